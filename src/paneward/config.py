"""One frozen tree of settings from `config.yaml` and the environment, and the user's profiles.

`Settings()` is the defaults and reads nothing. `load` looks for the file and the variables; every value
remembers where it came from, and whatever is wrong is one error that names the place, the key, the value
and what would be allowed. pydantic judges the values; it is imported only when there is one to judge.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from paneward.core.errors import Code, InvalidInput, StoreError
from paneward.core.keys import check_keys
from paneward.core.profiles import BUILT_IN, PROMPT, Profile, profile_from

if TYPE_CHECKING:
    import yaml

FILE = "config.yaml"
PREFIX = "PANEWARD_"


class Rule(NamedTuple):
    """What a value has to be besides its type."""

    words: str
    holds: Callable[[Any], bool]


def _between(low: int, high: int) -> Rule:
    return Rule(f" from {low} up to {high}", lambda value: low <= value <= high)


def _compiles(value: str) -> bool:
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


DAY = 86_400
Milliseconds = Annotated[int, _between(0, 60_000)]
Seconds = Annotated[float, _between(0, DAY)]
SomeSeconds = Annotated[float, Rule(f" above 0 up to {DAY}", lambda value: 0 < value <= DAY)]
Program = Annotated[str, Rule(" that is not empty", bool)]
Pattern = Annotated[str, Rule(" that is a regular expression of Python's `re`", _compiles)]


@dataclass(frozen=True, slots=True)
class TmuxSettings:
    binary: Annotated[Program, "the tmux program: a name on PATH or a path"] = "tmux"
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
class ProfileSettings:
    file: Annotated[str | None, "a YAML file of your own profiles: name -> row"] = None


@dataclass(frozen=True, slots=True)
class Settings:
    tmux: TmuxSettings = TmuxSettings()
    tmux_bridge: BridgeSettings = BridgeSettings()
    readiness: ReadinessSettings = ReadinessSettings()
    profiles: ProfileSettings = ProfileSettings()
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)  # "tmux.binary" -> where from


SECTIONS: Mapping[str, Any] = {name: kind for name, kind in get_type_hints(Settings).items() if name != "origins"}


class Given(NamedTuple):
    """One value somebody set, and where: `config.yaml, line 3` or the name of a variable."""

    section: str
    key: str
    value: Any
    origin: str
    folder: Path  # what a relative path in it is relative to


def load(path: Path | str | None = None, env: Mapping[str, str] = os.environ) -> Settings:
    """The settings in effect: defaults, then the file, then the environment."""
    settings, origins = Settings(), dict.fromkeys(_all_keys(), "default")
    for given in [*_from_file(path, env), *_from_environment(env)]:
        judged = {given.key: _judged(given)}
        settings = replace(settings, **{given.section: replace(getattr(settings, given.section), **judged)})
        origins[f"{given.section}.{given.key}"] = given.origin
    return replace(settings, origins=origins)


def find_file(path: Path | str | None, env: Mapping[str, str]) -> Path | None:
    """The file that is read: the one asked for, `$PANEWARD_CONFIG`, else the first that exists."""
    if path is not None:
        return Path(path)
    if named := env.get(f"{PREFIX}CONFIG"):
        return Path(named)
    return next((place for place in (Path(FILE), _config_home(env) / "paneward" / FILE) if place.is_file()), None)


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The directory of locks and receipts; made for its owner alone."""
    named = env.get(f"{PREFIX}STATE_DIR")
    place = (
        Path(named).absolute()
        if named
        else _absolute(env.get("XDG_STATE_HOME"), _home(env) / ".local/state") / "paneward"
    )
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the state directory {place}: {error.strerror}",
            hint=f"{PREFIX}STATE_DIR names another one.",
        ) from None
    return place


def profiles_of(settings: Settings) -> Mapping[str, Profile]:
    """All profiles in the order in which they are tried: the user's own, the built-in ones, generic."""
    if settings.profiles.file is None:
        return BUILT_IN
    path = Path(settings.profiles.file)
    document = _read(path, f"profiles.file ({settings.origins.get('profiles.file', 'given')})")
    own: dict[str, Profile] = {}
    for name, row in document.mapping().items():
        own[name] = _profile(document, name, row, {**BUILT_IN, **own})
    known = {**own, **{name: profile for name, profile in BUILT_IN.items() if name not in own}}
    return {**{name: known[name] for name in known if name != "generic"}, "generic": known["generic"]}


# --- values


def _all_keys() -> Iterator[str]:
    for section, kind in SECTIONS.items():
        yield from (f"{section}.{item.name}" for item in fields(kind))


def _judged(given: Given) -> Any:
    """The value as the settings hold it; pydantic decides whether it is one."""
    from pydantic import TypeAdapter, ValidationError

    hint = _hint_of(given)
    text = isinstance(given.value, str) and given.origin.startswith(PREFIX)
    value = None if text and given.value in ("", "null") and NoneType in _kinds(hint) else given.value
    try:
        judged = TypeAdapter(hint).validate_python(value, strict=not text)
    except ValidationError:
        raise _unfit(given, hint) from None
    if not all(rule.holds(judged) for rule in _rules(hint)):
        raise _unfit(given, hint)
    if (given.section, given.key) == ("profiles", "file") and judged is not None:
        return str(given.folder / Path(judged).expanduser())
    return judged


def _hint_of(given: Given) -> Any:
    if given.section not in SECTIONS:
        raise _wrong(f"{given.origin}: unknown section {given.section!r}", f"Allowed: {', '.join(SECTIONS)}.")
    hints = get_type_hints(SECTIONS[given.section], include_extras=True)
    if given.key not in hints:
        raise _wrong(
            f"{given.origin}: unknown key {given.section}.{given.key}", f"Allowed: {', '.join(sorted(hints))}."
        )
    return hints[given.key]


def _unfit(given: Given, hint: Any) -> InvalidInput:
    return _wrong(f"{given.origin}: {given.section}.{given.key}: {given.value!r}", f"Allowed: {_allowed(hint)}.")


def _rules(hint: Any) -> list[Rule]:
    return [mark for mark in get_args(hint) if isinstance(mark, Rule)]


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The types a value may have: `str | None` is two."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return get_args(bare) if get_args(bare) and get_origin(bare) is not Literal else (bare,)


def _allowed(hint: Any) -> str:
    kind, *others = _kinds(hint)
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    words = {bool: "true, false", int: "a whole number", float: "a number", str: "a text"}[kind]
    return f"{words}{''.join(rule.words for rule in _rules(hint))}{' or null' if NoneType in others else ''}"


def _wrong(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.CONFIG_INVALID, hint=hint)


# --- places


def _from_environment(env: Mapping[str, str]) -> Iterator[Given]:
    """`PANEWARD_<SECTION>__<KEY>`; names without the double underscore are not settings."""
    for name in sorted(env):
        section, divider, key = name.removeprefix(PREFIX).partition("__")
        if name.startswith(PREFIX) and divider:
            yield Given(section.lower(), key.lower(), env[name], name, Path.cwd())


def _from_file(path: Path | str | None, env: Mapping[str, str]) -> Iterator[Given]:
    found = find_file(path, env)
    if found is None:
        return
    document = _read(found, "--config" if path is not None else f"{PREFIX}CONFIG" if env.get(f"{PREFIX}CONFIG") else "")
    for section, rows in document.mapping().items():
        if section not in SECTIONS:
            raise _wrong(
                f"{document.at(section)}: unknown section {section!r}",
                f"Allowed: {', '.join(SECTIONS)}. Another program's file? --config or {PREFIX}CONFIG names yours.",
            )
        for key, value in document.rows(section, rows).items():
            yield Given(section, key, value, document.at(section, key), found.absolute().parent)


def _config_home(env: Mapping[str, str]) -> Path:
    return _absolute(env.get("XDG_CONFIG_HOME"), _home(env) / ".config")


def _absolute(named: str | None, otherwise: Path) -> Path:
    """The XDG rules ignore a relative path."""
    return Path(named) if named and Path(named).is_absolute() else otherwise


def _home(env: Mapping[str, str]) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


# --- YAML


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file: its values, and the line of each."""

    path: Path
    value: Any
    lines: Mapping[tuple[str, ...], int]

    def at(self, *keys: str) -> str:
        line = self.lines.get(keys)
        return f"{self.path}, line {line}" if line else str(self.path)

    def mapping(self) -> dict[str, Any]:
        return self._mapping(self.value, (), "a mapping of names")

    def rows(self, name: str, value: Any) -> dict[str, Any]:
        return self._mapping(value, (name,), "a mapping of keys")

    def _mapping(self, value: Any, keys: tuple[str, ...], wanted: str) -> dict[str, Any]:
        where = f"{self.at(*keys)}: " + (f"{keys[0]}: " if keys else "")
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise _wrong(f"{where}{value!r:.80}", f"Allowed: {wanted}.")
        for key in value:
            if not isinstance(key, str):
                raise _wrong(f"{where}the key {key!r} is no text", "Put it in quotes.")
        return value


def _read(path: Path, asked_by: str) -> Document:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, yaml.SafeLoader)
        value = None if node is None else yaml.safe_load(text)
    except OSError as error:
        by = f", which {asked_by} names" if asked_by else ""
        raise _wrong(f"cannot read {path}{by}: {error.strerror}", "Name a file that exists and is readable.") from None
    except UnicodeDecodeError as error:
        raise _wrong(f"{path}: byte {error.start} is not UTF-8", "Save the file as UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise _wrong(f"{place}: not YAML: {error.problem or error.context}", "Mend the file at that line.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _wrong(f"{path}: not YAML: {error!s:.200}", "Mend the file.") from None
    return Document(path, value, dict(_lines(path, node)))


def _lines(path: Path, node: "yaml.Node | None", above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The line of each key of the two upper levels; a key that stands there twice is refused."""
    import yaml

    if not isinstance(node, yaml.MappingNode) or len(above) > 1:
        return
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if key.value in seen:
            raise _wrong(f"{path}, line {line}: {key.value!r} stands there twice", "Keep one of the two.")
        seen.add(str(key.value))
        yield (*above, str(key.value)), line
        yield from _lines(path, value, (*above, str(key.value)))


# --- profiles


def _profile(document: Document, name: str, row: Any, known: Mapping[str, Profile]) -> Profile:
    """Judged key by key, so that what is wrong has its line."""
    rows = document.rows(name, row)
    extends = {"extends": rows["extends"]} if "extends" in rows else {}
    for key, value in rows.items():
        try:
            _check_keys(key, value, profile_from(name, {**extends, key: value}, known))
        except InvalidInput as error:
            raise _wrong(f"{document.at(name, key)}: {_naming(error.message, name)}", error.hint) from None
    return profile_from(name, rows, known)


def _naming(message: str, name: str) -> str:
    return message if f"profile {name!r}" in message else f"profile {name!r}: {message}"


def _check_keys(key: str, value: Any, profile: Profile) -> None:
    if key not in ("submit", "queue", "steer", "interrupt", "cut"):
        return
    if key == "submit" and not profile.submit:
        raise _wrong(f"key 'submit': {value!r}", "Allowed: at least one key.")
    check_keys(name for name in getattr(profile, key) if name != "CR")  # CR: a literal carriage return
