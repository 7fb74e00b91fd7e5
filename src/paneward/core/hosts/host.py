"""Another machine whose tmux is reached by ssh: its record, where the connection stands, and when it is tried again.

Shape: data, functions and one machine. Whatever only a human can mend (a password, an unknown host key) is not tried
again until somebody asks: each try would be one more failed sign-in over there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from paneward.core.agent.record import NAME
from paneward.core.errors import Code, InvalidInput, PanewardError

FIRST: Final = 0.5  # seconds before the first try again; doubled with each that fails
STEADY: Final = 30.0  # seconds after which a connection was a good one: what comes later begins from the first pause
MOST_DOUBLED: Final = 16  # beyond that any longest pause is reached


class HostState(StrEnum):
    """Where the connection to a host stands."""

    CONNECTING = "connecting"  # it is tried for the first time, or because somebody asked
    CONNECTED = "connected"  # it answers
    DISCONNECTED = "disconnected"  # it does not answer; it is tried again by itself
    NEEDS_LOGIN = "needs_login"  # ssh would ask something: it is tried again only when somebody asks


class HostFact(StrEnum):
    """What happens to a connection."""

    ANSWERED = "answered"  # it was opened, and tmux is there
    FAILED = "failed"  # it could not be opened, or broke
    REFUSED = "refused"  # ssh wanted a password, or does not know the host's key
    ASKED = "asked"  # somebody wants it to be tried now


_OUTCOMES: Final = {
    HostFact.ANSWERED: HostState.CONNECTED,
    HostFact.FAILED: HostState.DISCONNECTED,
    HostFact.REFUSED: HostState.NEEDS_LOGIN,
}
TRANSITIONS: Final[Mapping[HostState, Mapping[HostFact, HostState]]] = {
    HostState.CONNECTING: {**_OUTCOMES, HostFact.ASKED: HostState.CONNECTING},
    HostState.CONNECTED: {**_OUTCOMES, HostFact.ASKED: HostState.CONNECTED},
    HostState.DISCONNECTED: {**_OUTCOMES, HostFact.ASKED: HostState.CONNECTING},
    HostState.NEEDS_LOGIN: {**_OUTCOMES, HostFact.ASKED: HostState.CONNECTING},
}


@dataclass(frozen=True, slots=True)
class HostRecord:
    """A host as it is stored."""

    name: str
    ssh: str = ""  # what `ssh` is told: an alias of its configuration, or `user@address`; empty: the name
    options: tuple[str, ...] = ()  # further options of ssh, as behind its `-o`: `Port=2222`
    config: str = ""  # another configuration file of ssh
    socket: str = ""  # the name or the path of the tmux socket there; empty: tmux's own default
    binary: str = ""  # the tmux program there; empty: as here, `tmux.binary`
    added_at: float = 0.0  # seconds since the epoch, given by the store

    @property
    def destination(self) -> str:
        return self.ssh or self.name


@dataclass(frozen=True, slots=True)
class HostTrouble:
    """Why a host cannot be used."""

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class HostStanding(HostRecord):
    """A host, and where the connection to it stands."""

    state: HostState = HostState.CONNECTING
    since: float = 0.0  # seconds since the epoch
    error: HostTrouble | None = None  # the last one; none while it is connected
    tries: int = 0  # that failed since it was last connected for a while
    retry_at: float | None = None  # seconds since the epoch; none: it is not tried by itself
    tmux: str = ""  # the version there, as it was last told
    agents: tuple[str, ...] = ()  # who live there
    http: str = "no"  # whether programs there can reach this server


# --- when it is tried


def pause(tries: int, longest: float, chance: float) -> float:
    """Seconds before the next try, after so many in a row have failed. `chance`, from 0 to 1, spreads those of many
    hosts that were lost at one moment: it takes up to half of the pause away."""
    doubled = float(2 ** min(max(tries - 1, 0), MOST_DOUBLED))
    whole = min(FIRST * doubled, longest)
    return whole * (1.0 - chance / 2)


@dataclass(slots=True)
class Reach:
    """A machine: where the connection to one host stands, and when it is due to be tried."""

    longest: float = 60.0  # seconds between two tries, at most
    state: HostState = HostState.CONNECTING
    tries: int = 0
    _due: float | None = 0.0  # none: not by itself
    _since: float = field(default=0.0)

    def answered(self, now: float) -> None:
        self._enter(HostFact.ANSWERED)
        self._since, self._due = now, None

    def failed(self, now: float, chance: float, needs_login: bool = False) -> None:
        if self.state is HostState.CONNECTED and now - self._since >= STEADY:
            self.tries = 0
        self._enter(HostFact.REFUSED if needs_login else HostFact.FAILED)
        self.tries += 1
        self._due = None if needs_login else now + pause(self.tries, self.longest, chance)

    def asked(self, now: float) -> None:
        self._enter(HostFact.ASKED)
        if self.state is HostState.CONNECTING:
            self.tries, self._due = 0, now

    def deadline(self) -> float | None:
        """When it is to be tried; None while it is connected, and where somebody has to ask."""
        return self._due

    def _enter(self, fact: HostFact) -> None:
        self.state = TRANSITIONS[self.state][fact]


# --- what may be asked for

MOST: Final = 64  # hosts of one server
LONGEST: Final = 1000  # characters of anything that is given
_DESTINATION: Final = re.compile(r"[^\s\-\x00-\x1f\x7f][^\s\x00-\x1f\x7f]*")
_OPTION: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*=[^\x00-\x1f\x7f]+")
# What Paneward rests on, in small letters as ssh does not care.
OWN_OPTIONS: Final = ("batchmode", "requesttty", "remotecommand", "controlmaster", "controlpath", "controlpersist")


def check_host(record: HostRecord) -> HostRecord:
    """A host that ssh can be asked for. Nothing of it is tried here."""
    if not NAME.fullmatch(record.name):
        raise InvalidInput(
            f"{record.name!r:.80} cannot be the name of a host",
            code=Code.INVALID_NAME,
            hint="Up to 63 lower case letters, digits, `-`, `_` and `.`; the first is a letter or a digit. "
            "What ssh calls it goes into --ssh.",
        )
    if not _DESTINATION.fullmatch(record.destination) or len(record.destination) > LONGEST:
        raise _bad(f"ssh: {record.ssh!r:.80} is no destination", "An alias of ~/.ssh/config, or user@address.")
    for option in record.options:
        _check_option(option)
    for what, value in (("config", record.config), ("socket", record.socket), ("binary", record.binary)):
        if len(value) > LONGEST or not value.isprintable() or value.startswith("-"):
            raise _bad(f"{what}: {value!r:.80} is no name", "The name or the path of a file.")
    return record


def _check_option(option: str) -> None:
    if not _OPTION.fullmatch(option) or len(option) > LONGEST:
        raise _bad(f"option {option!r:.80} is none of ssh's", "As behind ssh's -o: `Port=2222`.")
    if option.partition("=")[0].lower() in OWN_OPTIONS:
        raise _bad(f"option {option!r:.80} is Paneward's own to set", "Leave it out.")


def _bad(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.BAD_REQUEST, hint=hint)


def named_host(name: str, known: Sequence[str]) -> PanewardError:
    """The error for a name that no host has."""
    listed = f"There are {', '.join(known)}." if known else "`paneward hosts add NAME` adds one."
    return PanewardError(f"no host is called {name!r:.80}", code=Code.HOST_NOT_FOUND, hint=listed)
