"""Who asks, and what they may: one table. Tokens, sign-in codes and identity tokens; names of this server.

The operator's token lies in a file of the state directory, a new one with each start of the server. A browser trades a
code, which counts once, for a cookie.
Identity tokens are signed with a key that lies beside the token, so they outlive a restart. Agents of one OS user can
read each other's files: an identity is for order and for the audit, it is no wall.
"""

import hmac
import ipaddress
import os
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol, Self
from urllib.parse import urlsplit

import jwt

from paneward.config import ServerSettings
from paneward.core.errors import Code, Denied, StoreError
from paneward.surfaces.http.access.revocations import FILE as REVOKED
from paneward.surfaces.http.access.revocations import Revocations
from paneward.surfaces.http.access.sessions import FILE as DEVICES
from paneward.surfaces.http.access.sessions import Device, Sessions

TOKEN_FILE, KEY_FILE = "token", "identity.key"
COOKIE: Final = "paneward"
CODE_LASTS = 600.0  # seconds
IDENTITY_LASTS = 900.0
CODES_KEPT = 100
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
ANYWHERE: Final = frozenset({"0.0.0.0", "::", ""})


class Clock(Protocol):
    def now(self) -> float: ...
    def wall(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Role(StrEnum):
    PARTICIPANT = "participant"  # an agent among others
    COORDINATOR = "coordinator"  # one that tells others what to do
    OPERATOR = "operator"  # the human, and what acts for them
    AUDITOR = "auditor"  # looks, and touches nothing


class May(StrEnum):
    LOOK = "look"  # at agents, panes, events
    TELL = "tell"  # send, press keys, answer, type in a terminal
    KEEP = "keep"  # adopt and forget agents
    AUDIT = "audit"  # read who did what
    RULE = "rule"  # end the server, sign others in, add and remove hosts


MAY: Final[Mapping[Role, frozenset[May]]] = {
    Role.PARTICIPANT: frozenset({May.LOOK}),
    Role.COORDINATOR: frozenset({May.LOOK, May.TELL, May.KEEP}),
    Role.OPERATOR: frozenset(May),
    Role.AUDITOR: frozenset({May.LOOK, May.AUDIT}),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, as the token says."""

    role: Role
    agent: str = ""
    workspace: str = ""
    runtime: str = ""
    jti: str = ""
    until: float | None = None  # seconds since the epoch; None: it does not expire
    device: str = ""  # of a browser that is signed in

    @property
    def name(self) -> str:
        """As the audit and the limits know it."""
        return f"{self.role}:{self.agent}" if self.agent else str(self.role)

    def require(self, may: May) -> None:
        if may not in MAY[self.role]:
            able = " or ".join(role for role, rights in MAY.items() if may in rights)
            raise Denied(
                f"the role {self.role} may not {may}", code=Code.FORBIDDEN, hint=f"Ask with a token of {able}."
            )

    def check_claim(self, sender: str | None) -> None:
        """What a body says of who asks must be what the token says."""
        if sender is not None and sender not in (self.agent or self.role, self.name):
            raise Denied(
                f"the body says {sender!r:.80}, the token {self.agent or self.role!r}",
                code=Code.CLAIM_MISMATCH,
                hint="Leave `sender` out: the token says who asks.",
            )


@dataclass(slots=True)
class Access:
    """The door's own knowledge: which tokens are good, and by which names this server is reached."""

    token: str
    key: bytes
    clock: Clock
    hosts: Collection[str] = LOOPBACK
    any_address: bool = False  # the server listens everywhere: any literal address is one of its own
    sessions: Sessions = field(default_factory=lambda: Sessions(secrets.token_bytes(32), None))
    revoked: Revocations = field(default_factory=Revocations)
    on_revoke: Callable[[], None] = lambda: None
    _codes: dict[str, float] = field(default_factory=dict)  # code -> until when, by the monotonic clock

    @classmethod
    def open(
        cls, directory: Path, clock: Clock, settings: ServerSettings | None = None, *, fresh: bool = False
    ) -> Self:
        """What lies in the state directory; made where there is none. `fresh`: a server starts, and an operator's token
        that anybody was shown before counts no more."""
        settings = settings or ServerSettings()
        token = _kept(directory / TOKEN_FILE, lambda: secrets.token_urlsafe(32), fresh)
        key = _kept(directory / KEY_FILE, lambda: secrets.token_hex(32))
        hosts = {host.lower().strip("[]") for host in (settings.host, *settings.allowed_hosts)} | LOOPBACK
        sessions = Sessions(key.encode(), directory / DEVICES)
        revoked = Revocations(directory / REVOKED)
        return cls(token, key.encode(), clock, hosts, settings.host in ANYWHERE, sessions, revoked)

    # --- who asks

    def identify(self, authorization: str | None, cookie: str | None) -> Identity:
        """Who asks; `Denied` where nobody vouches for them."""
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and given:
            return self._by_token(given.strip())
        if cookie:
            return self.by_cookie(cookie)[0]
        raise _nobody("the request names no token")

    def by_cookie(self, cookie: str) -> tuple[Identity, str]:
        """Who a browser acts for, and what its cookie holds from now on; empty where that stays."""
        admitted = self.sessions.admit(cookie, self.clock.wall())
        if admitted is None:
            raise _nobody("the browser is not signed in, or no longer")
        return _at(admitted.device), admitted.cookie

    def mint(
        self, role: Role, agent: str = "", workspace: str = "", runtime: str = "", seconds: float = IDENTITY_LASTS
    ) -> str:
        """An identity token, good for a while."""
        claims = {"role": role, "agent": agent, "workspace": workspace, "runtime": runtime}
        return self._signed("identity", seconds, claims)

    def revoke(self, jti: str) -> None:
        """End a token, and whatever it holds open."""
        try:
            self.revoked.add(jti, self.clock.wall())
        finally:
            self.on_revoke()

    def good(self, identity: Identity) -> bool:
        """Still: a stream outlives the request that opened it."""
        if identity.device:
            return self.sessions.good(identity.device, self.clock.wall())
        return identity.jti not in self.revoked and (identity.until is None or self.clock.wall() < identity.until)

    # --- signing in

    def new_code(self) -> str:
        """A code that signs one browser in, once."""
        now = self.clock.now()
        self._codes = {code: until for code, until in self._codes.items() if until > now}
        while len(self._codes) >= CODES_KEPT:
            del self._codes[next(iter(self._codes))]
        code = secrets.token_urlsafe(24)
        self._codes[code] = now + CODE_LASTS
        return code

    def sign_in(self, code: str, browser: str = "") -> str:
        """Trade a code for what the cookie holds."""
        until = self._codes.pop(code, 0.0)
        if self.clock.now() >= until:
            raise _nobody("the code is unknown, too old, or was used before")
        return self.sessions.begin(browser, self.clock.wall())

    def sign_out(self, device: str) -> bool:
        """End the session of a browser, and whatever it holds open; whether there was one."""
        found = self.sessions.end(device)
        self.on_revoke()
        return found

    # --- by which name

    def check_host(self, host: str) -> None:
        """DNS rebinding: a page of a stranger may give this machine a name of its own."""
        if not self._ours(host_of(host)):
            raise Denied(
                f"this server is not called {host!r:.100}",
                code=Code.FOREIGN_HOST,
                hint="Use 127.0.0.1 or localhost, or add the name to server.allowed_hosts.",
            )

    def check_origin(self, origin: str, host: str) -> None:
        """A page may ask only the server that it came from."""
        try:
            parts = urlsplit(origin)
            same = parts.netloc.lower() == host.lower() or (self._ours(host_of(parts.netloc)) and _proxied(parts, host))
        except ValueError:
            same = False
        if not same:
            raise Denied(
                f"the request comes from {origin!r:.100}",
                code=Code.FOREIGN_ORIGIN,
                hint="Open Paneward's own page, or add the name of its proxy to server.allowed_hosts.",
            )

    def _ours(self, name: str | None) -> bool:
        if name is None:
            return False
        return name in self.hosts or (self.any_address and _is_address(name))

    # --- inside

    def _by_token(self, given: str) -> Identity:
        if hmac.compare_digest(given.encode(), self.token.encode()):
            return Identity(Role.OPERATOR)
        return self._by_claims(given, "identity")

    def _by_claims(self, given: str, use: str) -> Identity:
        try:
            # The library would read the clock of the machine; ours decides.
            claims = jwt.decode(
                given, self.key, algorithms=["HS256"], options={"verify_exp": False, "verify_iat": False}
            )
            identity = _identity(claims)
        except (jwt.InvalidTokenError, ValueError, TypeError, KeyError):
            raise _nobody("the token is not one of this server") from None
        if claims.get("use") != use or not self.good(identity):
            raise _nobody("the token is too old or was revoked")
        return identity

    def _signed(self, use: str, seconds: float, claims: Mapping[str, Any]) -> str:
        now = self.clock.wall()
        about = {"use": use, "iat": int(now), "exp": now + seconds, "jti": secrets.token_hex(8)}
        return jwt.encode({**claims, **about}, self.key, algorithm="HS256")


HOST: Final = re.compile(r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


def host_of(netloc: str) -> str | None:
    """A name or address without its port: `[::1]:80` is `::1`. None where it is nothing but that: what stands before or
    behind it would be read in another way by somebody else."""
    found = HOST.fullmatch(netloc)
    return None if found is None else (found[1] or found[2]).lower()


def _proxied(parts: Any, host: str) -> bool:
    """Behind a proxy the browser sees its name, the server its own: both are ours. A port of this machine that is not
    ours is a stranger."""
    return host_of(parts.netloc) not in LOOPBACK and parts.scheme in ("http", "https")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def token_id(given: str) -> str:
    """The id of a token, or an id as it is; empty where it is neither. It need not be good any more."""
    found = given
    if "." in given:
        with suppress(jwt.InvalidTokenError, ValueError):
            found = str(jwt.decode(given, options={"verify_signature": False}).get("jti"))
    return found if re.fullmatch(r"[0-9a-f]{16}", found) else ""


def _identity(claims: Mapping[str, Any]) -> Identity:
    texts = {name: str(claims.get(name, "")) for name in ("agent", "workspace", "runtime")}
    return Identity(Role(claims["role"]), **texts, jti=str(claims["jti"]), until=float(claims["exp"]))


def _at(device: Device) -> Identity:
    return Identity(Role.OPERATOR, jti=f"device:{device.id}", until=device.until, device=device.id)


def _nobody(message: str) -> Denied:
    return Denied(
        message, code=Code.UNAUTHORIZED, hint="Send the token of the state directory, or sign in by a new URL."
    )


def _kept(path: Path, make: Any, fresh: bool = False) -> str:
    """A secret in a file for its owner alone; the first one to ask makes it, and it is there whole or not at all."""
    if path.exists() and not fresh:
        return _read_secret(path)
    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{make()}\n")
        if fresh:
            draft.replace(path)
            return _read_secret(path)
        with suppress(FileExistsError):  # somebody else was first
            os.link(draft, path)
        draft.unlink()
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}", hint="PANEWARD_STATE_DIR names another one."
        ) from None
    return _read_secret(path)


def _read_secret(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        secret = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {path}: {error}", hint="Remove it: a new one is made.") from None
    if len(secret) < 32:
        raise StoreError(f"{path} holds no secret", hint="Remove it: a new one is made.")
    return secret
