"""The tree of settings: data. Each key has its type, what its value has to be besides, and one line for people."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from paneward.core.pattern import BadPattern
from paneward.core.profiles import PROMPT
from paneward.core.profiles.patterns import compiled
from paneward.core.usage import price, window


class Rule(NamedTuple):
    """What a value has to be besides its type."""

    words: str
    holds: Callable[[Any], bool]


def _between(low: float, high: float) -> Rule:
    return Rule(f" from {low} up to {high}", lambda value: value is None or low <= value <= high)


def _above(low: float, high: float) -> Rule:
    return Rule(f" above {low} up to {high}", lambda value: value is None or low < value <= high)


def _compiles(value: str) -> bool:
    try:
        compiled(value)
    except BadPattern:
        return False
    return True


def _reads(read: Callable[[str], object], values: tuple[str, ...]) -> bool:
    try:
        return all(read(value) for value in values)
    except ValueError:
        return False


DAY = 86_400
Milliseconds = Annotated[int, _between(0, 60_000)]
Seconds = Annotated[float, _between(0, DAY)]
SomeSeconds = Annotated[float, _above(0, DAY)]
Bytes = Annotated[int, _between(4096, 1 << 50)]
Name = Annotated[str, Rule(" that is not empty", bool)]
Word = Annotated[str, Rule(" of letters, digits, `-` and `_`", lambda value: bool(re.fullmatch(r"[\w-]+", value)))]
Names = Annotated[tuple[str, ...], Rule(", none of them empty", all)]
Pattern = Annotated[str, Rule(" that is a regular expression of RE2, which has no lookaround", _compiles)]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    host: Annotated[Name, "the address that `up` listens at"] = "127.0.0.1"
    port: Annotated[int, _between(0, 65_535), "its port; 0 is any that is free"] = 8474
    allowed_hosts: Annotated[Names, "other names that a browser may reach the server by, such as a proxy's"] = ()
    insecure_bind: Annotated[bool, "listen beyond this machine without TLS: tokens can be read on the way"] = False
    tls_certificate: Annotated[str | None, "a PEM file: the server speaks TLS"] = None
    tls_key: Annotated[str | None, "the PEM file of its key, where that is another one"] = None
    rate_per_second: Annotated[float, _above(0, 100_000), "requests a second that one identity may make"] = 100.0
    max_body_bytes: Annotated[int, _between(1024, 1 << 30), "the longest body of a request"] = 4_194_304
    max_streams: Annotated[int, _between(1, 100_000), "event streams and terminals open at once"] = 2000
    log: Annotated[Literal["text", "json"], "lines for people, or one JSON object per line"] = "text"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    url: Annotated[
        str | None, "a database: `sqlite:///PATH` or `postgresql+psycopg://…`; else a file in the state directory"
    ] = None
    retention_days: Annotated[float, _above(0, 36_500), "days that events and texts are kept"] = 30.0
    redact: Annotated[
        tuple[str, ...],
        Rule(", each a regular expression", lambda all_: all(map(_compiles, all_))),
        "patterns of your own for what is never stored or logged, beside the credentials that are known",
    ] = ()


@dataclass(frozen=True, slots=True)
class TmuxSettings:
    binary: Annotated[Name, "the tmux program: a name on PATH or a path"] = "tmux"
    link_foreign: Annotated[bool, "link windows of foreign sessions into the watched one, to watch more than 30"] = (
        False
    )
    transport: Annotated[Literal["control", "exec"], "a control client, or a process per command"] = "control"


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    text_enter_delay_ms: Annotated[Milliseconds, "base of the wait before Enter where nothing can be seen"] = 120
    clear_delay_ms: Annotated[Milliseconds, "wait after Escape took ghost text away"] = 200
    max_enter_retries: Annotated[int, _between(0, 20), "how often submit is pressed again"] = 3
    subprocess_timeout: Annotated[SomeSeconds, "seconds until a tmux that does not answer counts as hanging"] = 5.0
    sequential_send_delay_ms: Annotated[Milliseconds, "wait between the keys that walk through a menu"] = 150
    health_check_interval: Annotated[SomeSeconds, "seconds between probes where no event tells"] = 30.0
    draft_hold_s: Annotated[Seconds, "seconds an operator's draft is waited for"] = 10.0


@dataclass(frozen=True, slots=True)
class ReadinessSettings:
    prompt_pattern: Annotated[Pattern, "what a prompt looks like on the cursor's line"] = PROMPT
    timeout: Annotated[Seconds, "seconds `wait_ready` waits unless a profile or the caller says more"] = 10.0
    accept_stable: Annotated[bool, "count a screen that stands still as ready"] = False


@dataclass(frozen=True, slots=True)
class HostSettings:
    connect_timeout: Annotated[SomeSeconds, "seconds in which a host has to answer when it is connected to"] = 10.0
    silent_after: Annotated[SomeSeconds, "seconds without an answer after which a host counts as lost"] = 10.0
    longest_pause: Annotated[SomeSeconds, "seconds between two tries of a host that is lost, at most"] = 60.0


@dataclass(frozen=True, slots=True)
class SignalSettings:
    word: Annotated[Word, "what stands in the markers of agents: `--<[WORD:state:message]>--`"] = "paneward"
    catchup_lines: Annotated[int, _between(0, 100_000), "lines of scrollback read at the start, at least"] = 200
    bell: Annotated[bool, "the bell of an agent's terminal is a signal"] = True


@dataclass(frozen=True, slots=True)
class UsageSettings:
    budget_tokens: Annotated[int | None, _between(1, 10**15), "tokens of one agent beyond which it nudges, once"] = None
    budget_cost: Annotated[float | None, _above(0, 10**9), "US dollars of one agent beyond which it nudges, once"] = (
        None
    )
    context_left_below: Annotated[
        int | None, _between(1, 100), "per cent of its context left below which an agent nudges"
    ] = None
    prices: Annotated[
        tuple[str, ...],
        Rule(
            ", each `MODEL IN OUT [CACHED [KEPT]]`, in US dollars for a million tokens",
            lambda all_: _reads(price, all_),
        ),
        "what models cost, where the agent does not say; `*` in a name stands for anything",
    ] = ()
    windows: Annotated[
        tuple[str, ...],
        Rule(", each `MODEL TOKENS`", lambda all_: _reads(window, all_)),
        "the context windows of models, where the agent does not say",
    ] = ()


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    sound_disabled: Annotated[bool, "the page of the server makes no sound when an agent calls"] = False


@dataclass(frozen=True, slots=True)
class RecordingSettings:
    max_size: Annotated[Bytes, "bytes of a recording; then it stops"] = 256 << 20
    max_part_size: Annotated[Bytes, "bytes of one of its files; then it goes on in the next"] = 16 << 20
    max_total_size: Annotated[Bytes, "bytes of all recordings; the oldest make room for the newest"] = 2 << 30
    max_age_days: Annotated[float, _above(0, 36_500), "days that a recording goes on, and is kept after its end"] = 30.0


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    file: Annotated[str | None, "a YAML file of your own profiles: name -> row"] = None


@dataclass(frozen=True, slots=True)
class Settings:
    server: ServerSettings = ServerSettings()
    store: StoreSettings = StoreSettings()
    tmux: TmuxSettings = TmuxSettings()
    tmux_bridge: BridgeSettings = BridgeSettings()
    readiness: ReadinessSettings = ReadinessSettings()
    hosts: HostSettings = HostSettings()
    signals: SignalSettings = SignalSettings()
    usage: UsageSettings = UsageSettings()
    notifications: NotificationSettings = NotificationSettings()
    recording: RecordingSettings = RecordingSettings()
    profiles: ProfileSettings = ProfileSettings()
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)  # "tmux.binary" -> where from
    notice: str = field(default="", compare=False, repr=False)  # what has to be said of the working directory's file


SECTIONS: Mapping[str, Any] = {
    name: kind for name, kind in get_type_hints(Settings).items() if name not in ("origins", "notice")
}
PATHS = ("profiles.file", "server.tls_certificate", "server.tls_key", "store.url")  # relative to their file
