"""Identity tokens that count no more, before their time is up: their ids, in a file of the state directory.

The key that signs tokens outlives a restart, so what was revoked has to as well. An id is kept for longer than any
token is good. A file that cannot be read ends the start of the server: without it, tokens would count again.
"""

import json
import os
from pathlib import Path
from typing import Final

from paneward.core.errors import StoreError

FILE: Final = "revoked.json"
KEPT: Final = 30 * 86400.0  # seconds


class Revocations:
    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._until: dict[str, float] = {} if file is None else _read(file)

    def __contains__(self, jti: str) -> bool:
        return jti in self._until

    def add(self, jti: str, now: float) -> None:
        """From now on, and after a restart too."""
        self._until = {one: until for one, until in self._until.items() if until > now}
        self._until[jti] = now + KEPT
        if self._file is not None:
            _write(self._file, self._until)


def _read(file: Path) -> dict[str, float]:
    try:
        return {str(jti): float(until) for jti, until in json.loads(file.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise StoreError(
            f"cannot read the revoked tokens in {file}: {error}",
            hint=f"Remove it together with {file.with_name('identity.key')}: all tokens end then.",
        ) from None


def _write(file: Path, until: dict[str, float]) -> None:
    """All of them, in one step."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            json.dump(until, out)
        draft.replace(file)
    except OSError as error:
        raise StoreError(
            f"revoked, but only until the next start: cannot write {file}: {error.strerror}",
            hint="Make room there, then revoke it again.",
        ) from None
