"""Who may in: tokens, names, origins, roles, limits; and that every change is on record."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import jwt
import pytest

from paneward.config import ServerSettings
from paneward.core.errors import Denied, StoreError
from paneward.surfaces.http.access.gate import OPEN, cookie_name, cookie_of
from paneward.surfaces.http.access.tokens import (
    CODE_LASTS,
    CODES_KEPT,
    IDENTITY_LASTS,
    MAY,
    Access,
    Identity,
    May,
    Role,
    host_of,
)
from tests.surfaces.http.conftest import Open, Site, client, either_store, listening
from tests.surfaces.http.test_routes import code_of, run


class Hours:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def now(self) -> float:
        return self.at

    def wall(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str | None:
    return either_store(request)


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return Access.open(tmp_path, Hours())


def refused(access: Access, authorization: str | None = None, cookie: str | None = None) -> str:
    with pytest.raises(Denied) as failure:
        access.identify(authorization, cookie)
    return str(failure.value.code)


# --- tokens


def test_a_server_that_starts_makes_a_new_token_and_the_old_one_counts_no_more(tmp_path: Path) -> None:
    first = Access.open(tmp_path, Hours())
    fresh = Access.open(tmp_path, Hours(), fresh=True)
    assert Access.open(tmp_path, Hours()).token == fresh.token
    assert refused(fresh, f"Bearer {first.token}") == "UNAUTHORIZED"


def test_the_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = Access.open(tmp_path, Hours())
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("token", "identity.key")] == [0o600, 0o600]
    assert Access.open(tmp_path, Hours()).token == first.token
    assert first.identify(f"Bearer {first.token}", None) == Identity(Role.OPERATOR)


def test_a_token_that_others_can_read_is_closed_again(tmp_path: Path) -> None:
    Access.open(tmp_path, Hours())
    (tmp_path / "token").chmod(0o644)
    Access.open(tmp_path, Hours())
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe"])
def test_a_file_without_a_secret_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(StoreError, match="token"):
        Access.open(tmp_path, Hours())


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer x", "Basic dTpw", "Bearer ä", "Bearer a.b.c"])
def test_a_wrong_token_is_nobody(access: Access, given: str | None) -> None:
    assert refused(access, given) == "UNAUTHORIZED"


def test_an_identity_token_says_who_asks_until_it_is_too_old(access: Access) -> None:
    token = access.mint(Role.COORDINATOR, "ada", "main", "r1")
    who = access.identify(f"Bearer {token}", None)
    assert (who.role, who.agent, who.workspace, who.runtime, who.name) == (
        Role.COORDINATOR, "ada", "main", "r1", "coordinator:ada",
    )  # fmt: skip
    assert access.good(who)
    access.clock.at += IDENTITY_LASTS  # type: ignore[attr-defined]
    assert refused(access, f"Bearer {token}") == "UNAUTHORIZED"
    assert not access.good(who)


@pytest.mark.parametrize(
    "claims",
    [
        {"role": "king", "jti": "1", "exp": 9e9, "use": "identity"},
        {"role": "operator", "exp": 9e9, "use": "identity"},
        {"role": "operator", "jti": "1", "use": "identity"},
        {"role": "operator", "jti": "1", "exp": "soon", "use": "identity"},
        {"role": "operator", "jti": "1", "exp": 9e9, "use": "session"},
    ],
)
def test_claims_that_are_off_are_nobody(access: Access, claims: dict[str, Any]) -> None:
    assert refused(access, f"Bearer {jwt.encode(claims, access.key, algorithm='HS256')}") == "UNAUTHORIZED"


def test_a_token_of_another_key_or_of_none_is_nobody(access: Access) -> None:
    claims = {"role": "operator", "jti": "1", "exp": 9e9, "use": "identity"}
    assert refused(access, f"Bearer {jwt.encode(claims, b'k' * 64, algorithm='HS256')}") == "UNAUTHORIZED"
    assert refused(access, f"Bearer {jwt.encode(claims, None, algorithm='none')}") == "UNAUTHORIZED"


def test_a_code_signs_in_once_and_not_forever(access: Access) -> None:
    code, late = access.new_code(), access.new_code()
    cookie = access.sign_in(code)
    assert access.identify(None, cookie).role is Role.OPERATOR
    assert refused(access, f"Bearer {cookie}") == "UNAUTHORIZED", "a cookie is no bearer token"
    for used in (code, "", "guess"):
        with pytest.raises(Denied):
            access.sign_in(used)
    access.clock.at += CODE_LASTS  # type: ignore[attr-defined]
    with pytest.raises(Denied):
        access.sign_in(late)


def test_codes_are_not_kept_without_bound(access: Access) -> None:
    for _ in range(CODES_KEPT * 2):
        access.new_code()
    assert len(access._codes) == CODES_KEPT


# --- roles


def test_only_the_operator_rules_and_an_auditor_touches_nothing() -> None:
    assert {role for role, rights in MAY.items() if May.RULE in rights} == {Role.OPERATOR}
    assert MAY[Role.AUDITOR] == {May.LOOK, May.AUDIT}
    assert set(MAY) == set(Role)


ROUTES = [
    ("GET", "/api/agents", May.LOOK),
    ("GET", "/api/version", May.LOOK),
    ("GET", "/metrics", May.LOOK),
    ("GET", "/api/audit", May.AUDIT),
    ("POST", "/api/agents", May.KEEP),
    ("DELETE", "/api/agents/nobody", May.KEEP),
    ("POST", "/api/agents/nobody/send", May.TELL),
    ("POST", "/api/agents/nobody/keys", May.TELL),
    ("POST", "/api/respond/nobody", May.TELL),
    ("POST", "/api/panes/nothing/send", May.TELL),
    ("POST", "/api/panes/nothing/answer", May.TELL),
    ("POST", "/api/signin-code", May.RULE),
    ("POST", "/api/shutdown", May.RULE),
]


def test_a_token_of_one_role_cannot_act_as_another(open_site: Open) -> None:
    async def test(site: Site) -> None:
        for role in Role:
            token = {"authorization": f"Bearer {site.access.mint(role, 'ada')}"}
            for method, path, may in ROUTES:
                answer = await site.client.request(method, path, json={}, headers=token)
                assert (answer.status_code == 403) == (may not in MAY[role]), (role, path, answer.text)
                if answer.status_code == 403:
                    assert code_of(answer) == "FORBIDDEN"
        assert site.stopped.is_set(), "the operator ended it"

    run(open_site, test)


def test_a_body_that_claims_another_sender_is_refused(open_site: Open) -> None:
    async def test(site: Site) -> None:
        token = {"authorization": f"Bearer {site.access.mint(Role.COORDINATOR, 'ada')}"}
        for sender, code in (("bob", "CLAIM_MISMATCH"), ("operator", "CLAIM_MISMATCH"), ("ada", "AGENT_NOT_FOUND")):
            body = {"text": "hello", "sender": sender}
            answer = await site.client.post("/api/agents/nobody/send", json=body, headers=token)
            assert code_of(answer) == code

    run(open_site, test)


# --- names and origins


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8474", "LOCALHOST", "[::1]:8474", "box.example:80"])
def test_own_names_pass(tmp_path: Path, host: str) -> None:
    Access.open(tmp_path, Hours(), ServerSettings(allowed_hosts=("box.example",))).check_host(host)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:8474", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"]
)
def test_a_rebound_name_is_refused(access: Access, host: str) -> None:
    with pytest.raises(Denied):
        access.check_host(host)


def test_a_server_that_listens_everywhere_is_reached_by_any_address_and_by_no_name(tmp_path: Path) -> None:
    access = Access.open(tmp_path, Hours(), ServerSettings(host="0.0.0.0"))
    access.check_host("192.0.2.7:8474")
    with pytest.raises(Denied):
        access.check_host("evil.example")


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8474", "https://box.example"])
def test_own_origins_pass(tmp_path: Path, origin: str) -> None:
    access = Access.open(tmp_path, Hours(), ServerSettings(allowed_hosts=("box.example",)))
    access.check_origin(origin, "127.0.0.1:8474")


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1:3000",
        "http://localhost",
        "http://[",
        "http://127.0.0.1:8474.x",
    ],
)
def test_a_foreign_origin_is_refused(access: Access, origin: str) -> None:
    with pytest.raises(Denied):
        access.check_origin(origin, "127.0.0.1:8474")


def test_the_parts_of_a_head_are_read_as_they_are() -> None:
    assert [host_of(one) for one in ("A:1", "[::1]:2", "[::1]", "b")] == ["a", "::1", "::1", "b"]
    assert [cookie_name(one) for one in ("127.0.0.1:8474", "box")] == ["paneward-8474", "paneward"]
    assert cookie_of(["a=1; paneward=x.y-z"], "paneward") == "x.y-z"
    assert cookie_of(["\x00;;==", ""], "paneward") is None


# --- at the door


def test_every_route_but_health_asks_for_a_token(open_site: Open) -> None:
    async def test(site: Site) -> None:
        paths = [(path, method) for path, item in site.api.fast.openapi()["paths"].items() for method in item]
        async with client(site.api) as stranger:
            for path, method in [*paths, ("/", "get"), ("/openapi.json", "get"), ("/api/nothing", "get")]:
                answer = await stranger.request(method, path)
                assert (answer.status_code == 401) != (path in OPEN), path
                if path not in OPEN:
                    assert answer.headers["www-authenticate"] == "Bearer"
        assert len(paths) > 25

    run(open_site, test)


def test_a_foreign_host_and_origin_are_refused_on_every_route(open_site: Open) -> None:
    async def test(site: Site) -> None:
        for path in ("/api/agents", "/healthz", "/", "/api/events/stream", "/signin?code=x"):
            rebound = await site.client.get(path, headers={"host": "evil.example"})
            assert code_of(rebound) == "FOREIGN_HOST"
            foreign = await site.client.get(path, headers={"origin": "http://evil.example"})
            assert code_of(foreign) == "FOREIGN_ORIGIN"

    run(open_site, test)


def test_a_browser_signs_in_by_a_url_that_counts_once(open_site: Open) -> None:
    async def test(site: Site) -> None:
        made = (await site.client.post("/api/signin-code", json={})).json()
        async with client(site.api, accept="text/html") as browser:
            assert "not signed in" in (await browser.get("/")).text
            first = await browser.get(made["url"])
            cookie = first.headers["set-cookie"]
            assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/", "paneward-8474="))
            assert (await browser.get("/")).status_code == 200
            assert (await browser.get("/api/agents")).status_code == 200
        async with client(site.api) as thief:
            assert (await thief.get(made["url"])).status_code == 401
            assert "set-cookie" not in (await thief.get(made["url"])).headers

    run(open_site, test)


def test_an_identity_that_asks_too_often_is_told_to_wait(open_site: Open) -> None:
    async def test(site: Site) -> None:
        answers = [await site.client.get("/api/version") for _ in range(30)]
        slow = [answer for answer in answers if answer.status_code == 429]
        assert code_of(slow[0]) == "RATE_LIMITED"
        assert int(slow[0].headers["retry-after"]) >= 1
        other = {"authorization": f"Bearer {site.access.mint(Role.PARTICIPANT, 'ada')}"}
        assert (await site.client.get("/api/version", headers=other)).status_code == 200

    run(open_site, test, rate_per_second=5.0)


def test_a_body_that_is_too_long_is_refused_however_it_comes(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async def endless() -> Any:
            for _ in range(100):
                yield b"x" * 1000

        for content in (b"x" * 5000, endless()):
            answer = await site.client.post("/api/agents", content=content)
            assert code_of(answer) == "BODY_TOO_LARGE"

    run(open_site, test, max_body_bytes=4096)


# --- on record


def test_every_change_is_on_record_with_who_and_how_it_ended(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada", "--busy", "0.1")
        await site.client.post("/api/agents/ada/send", json={"text": "my password is swordfish"})
        await site.client.post("/api/agents/ada/keys", json={"keys": ["s", "w", "Enter"]})
        token = {"authorization": f"Bearer {site.access.mint(Role.AUDITOR, 'eve')}"}
        await site.client.delete("/api/agents/ada", headers=token)
        await site.client.delete("/api/agents/ada")
        answer = await site.client.get("/api/audit", headers=token)
        rows = [(one["identity"], one["action"], one["agent_id"], one["result"]) for one in answer.json()["entries"]]
        assert rows == [
            ("operator", "forget", "ada", "ok"),
            ("auditor:eve", "forget", "ada", "FORBIDDEN"),
            ("operator", "keys", "ada", "ok"),
            ("operator", "send", "ada", "ok"),
            ("operator", "adopt", "ada", "ok"),
        ]
        assert "swordfish" not in answer.text
        assert answer.json()["entries"][2]["detail"] == "· · Enter"

    run(open_site, test)


def test_a_repeated_key_gets_the_first_reply_and_nothing_is_done_again(open_site: Open) -> None:
    async def test(site: Site) -> None:
        log = Path(site.tmux.home) / "demo.log"
        await site.adopt("ada", "--busy", "0.1", "--log", str(log))
        key = {"idempotency-key": "k1"}
        body = {"text": "say it once"}
        asked = [site.client.post("/api/agents/ada/send", json=body, headers=key) for _ in range(3)]
        answers = await asyncio.gather(*asked)
        assert len({answer.text for answer in answers}) == 1
        assert sorted(answer.headers.get("idempotent-replayed", "") for answer in answers) == ["", "true", "true"]
        taken = [json.loads(line) for line in log.read_text().splitlines()]
        assert [one["text"] for one in taken if one["event"] == "submit"] == ["say it once"]
        other = await site.client.post("/api/agents/ada/send", json={"text": "another"}, headers=key)
        assert code_of(other) == "IDEMPOTENCY_CONFLICT"

    run(open_site, test)


def test_a_key_belongs_to_who_used_it_and_a_refusal_does_not_use_it_up(open_site: Open) -> None:
    async def test(site: Site) -> None:
        key = {"idempotency-key": "k1"}
        first = await site.client.post("/api/signin-code", json={}, headers=key)
        refused = await site.client.delete("/api/agents/nobody", headers={"idempotency-key": "k2"})
        assert code_of(refused) == "AGENT_NOT_FOUND"
        other = {**key, "authorization": f"Bearer {site.access.mint(Role.OPERATOR, 'ada')}"}
        assert (await site.client.post("/api/signin-code", json={}, headers=other)).json() != first.json()
        assert (await site.client.post("/api/shutdown", headers={"idempotency-key": "k2"})).status_code == 200
        for bad in ("", "x" * 500):
            answer = await site.client.post("/api/shutdown", headers={"idempotency-key": bad})
            assert code_of(answer) == "BAD_REQUEST"

    run(open_site, test)


def test_what_leaves_tells_browsers_what_not_to_do(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url, client(site.api, site.access) as asking:
            assert url
            page = await asking.get("/")
            assert "default-src 'none'" in page.headers["content-security-policy"]
            for answer in (page, await asking.get("/api/agents"), await asking.get("/api/nothing")):
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["x-frame-options"] == "DENY"
            assert (await asking.get("/api/agents")).headers["cache-control"] == "no-store"

    run(open_site, test)
