"""Tokens that count no more, before their time is up."""

from pathlib import Path

import pytest

from paneward.core.errors import StoreError
from paneward.surfaces.http.access.tokens import Access, Role, token_id
from tests.surfaces.http.test_access import Hours, refused


def test_a_revoked_identity_is_nobody(tmp_path: Path) -> None:
    access = Access.open(tmp_path, Hours())
    token = access.mint(Role.PARTICIPANT, "ada")
    access.revoke(token_id(token))
    assert refused(access, f"Bearer {token}") == "UNAUTHORIZED"


def test_what_was_revoked_stays_so_after_a_restart(tmp_path: Path) -> None:
    before = Access.open(tmp_path, Hours())
    token, other = before.mint(Role.PARTICIPANT, "ada"), before.mint(Role.PARTICIPANT, "bob")
    before.revoke(token_id(token))
    after = Access.open(tmp_path, Hours(), fresh=True)
    assert refused(after, f"Bearer {token}") == "UNAUTHORIZED"
    assert after.identify(f"Bearer {other}", None).agent == "bob"
    assert (tmp_path / "revoked.json").stat().st_mode & 0o077 == 0


def test_a_list_of_revoked_tokens_that_cannot_be_read_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "revoked.json").write_text("[")
    with pytest.raises(StoreError, match="revoked"):
        Access.open(tmp_path, Hours())


@pytest.mark.parametrize("given", ["", "nonsense", "a.b.c", "0123456789ABCDEF", "../0123456789abcdef", "0" * 17])
def test_what_is_no_token_has_no_id(given: str) -> None:
    assert token_id(given) == ""
