"""Browsers that are signed in: one row for each, in a file of the state directory.

A browser sends its cookie to every port of this machine, so whoever listens on another one can read it. The cookie is
therefore worth little: it names a row here, which can be removed; it holds no claims; it lasts for hours; and its
secret is changed while it is used, so that a copy is soon worth nothing. Of the secret only a keyed hash is kept.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

LASTS: Final = 12 * 3600.0  # seconds without a request after which a browser has to sign in again
RENEWED: Final = 600.0  # seconds after which a session in use gets a new secret
OVERLAP: Final = 60.0  # seconds for which the secret before counts once the new one was seen: requests cross
AT_MOST: Final = 30 * 86400.0  # seconds after signing in
MOST: Final = 50  # devices; the one that was not seen for longest makes room
FILE: Final = "devices.json"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Device:
    """A browser that is signed in. Times are seconds since the epoch."""

    id: str
    name: str  # what it says of itself
    created_at: float
    seen_at: float
    until: float
    renewed_at: float
    digest: str  # of its secret
    prior: str = ""  # the digest before: it counts until the new secret is seen, and a moment longer
    prior_until: float | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    device: Device
    cookie: str = ""  # to be set anew; empty: it stays as it is


class Sessions:
    def __init__(self, key: bytes, file: Path | None) -> None:
        self._key = hmac.digest(key, b"sessions", "sha256")
        self._file = file
        self._devices: dict[str, Device] = {} if file is None else _read(file)

    def all(self, now: float) -> list[Device]:
        return sorted((one for one in self._devices.values() if now < one.until), key=lambda one: -one.seen_at)

    def good(self, device: str, now: float) -> bool:
        found = self._devices.get(device)
        return found is not None and now < found.until

    def begin(self, name: str, now: float) -> str:
        """A new device; what its cookie holds."""
        self._devices = {one.id: one for one in self.all(now)[: MOST - 1]}
        device, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        self._devices[device] = Device(device, name, now, now, now + LASTS, now, self._digest(device, secret))
        self._write()
        return f"{device}.{secret}"

    def admit(self, cookie: str, now: float) -> Admitted | None:
        """The device whose cookie this is."""
        name, _, secret = cookie.partition(".")
        device = self._devices.get(name)
        if device is None or now >= device.until:
            return None
        given = self._digest(name, secret)
        if hmac.compare_digest(given, device.digest):
            return self._current(device, now)
        before = device.prior_until is None or now < device.prior_until
        if device.prior and hmac.compare_digest(given, device.prior) and before:
            return Admitted(device)
        return None

    def end(self, device: str) -> bool:
        """Sign one out; whether there was one."""
        found = self._devices.pop(device, None) is not None
        if found:
            self._write()
        return found

    def _current(self, device: Device, now: float) -> Admitted:
        if device.prior and device.prior_until is None:  # the new secret arrived
            device = self._devices[device.id] = replace(device, prior_until=now + OVERLAP)
        if not 0 <= now - device.renewed_at < RENEWED:
            return self._renewed(device, now)
        return Admitted(device)

    def _renewed(self, device: Device, now: float) -> Admitted:
        secret, until = secrets.token_urlsafe(32), min(now + LASTS, device.created_at + AT_MOST)
        changes: dict[str, Any] = {"seen_at": now, "renewed_at": now, "until": until, "prior_until": None}
        device = replace(device, digest=self._digest(device.id, secret), prior=device.digest, **changes)
        self._devices[device.id] = device
        self._write()
        return Admitted(device, f"{device.id}.{secret}")

    def _digest(self, device: str, secret: str) -> str:
        words = f"{device}.{secret}".encode("utf-8", "replace")
        return hmac.new(self._key, words, hashlib.sha256).hexdigest()

    def _write(self) -> None:
        """All of them, in one step. What cannot be written lasts as long as this server."""
        if self._file is None:
            return
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump([asdict(one) for one in self._devices.values()], file)
            draft.replace(self._file)
        except OSError as error:
            log.warning("the signed-in browsers could not be stored: %s", error)


def _read(file: Path) -> dict[str, Device]:
    """What is stored; a file that cannot be read signs everybody out."""
    try:
        rows: list[Mapping[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return {str(row["id"]): Device(**row) for row in rows}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        log.warning("%s cannot be read, and every browser has to sign in again: %s", file, error)
        return {}


def shown(device: Device) -> dict[str, Any]:
    """A device without what proves it."""
    return {name: getattr(device, name) for name in ("id", "name", "created_at", "seen_at", "until")}
