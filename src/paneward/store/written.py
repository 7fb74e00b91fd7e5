"""Records as JSON, and back: functions. Credentials are taken out on the way in.

A record that a later version wrote with more fields can be read; one of an earlier version has the defaults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from types import NoneType
from typing import Any, Final, TypeVar

from paneward.core.agent.program import Program
from paneward.core.agent.record import Actor, Agent, Intent, Stage, Turn
from paneward.core.credentials import own_patterns
from paneward.core.errors import Code
from paneward.core.hosts.host import HostRecord
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.core.text import redact
from paneward.core.usage import Usage

KEEP_TEXT = 64_000  # characters: the text is kept for people, and its hash and length tell it apart
# Names that Paneward gives or looks up by. A name that looked like a credential would not be found again.
NAMES: Final = {
    *("id", "agent", "agent_id", "host", "tmux", "socket", "pane", "profile", "kind", "stage", "fingerprint"),
    *("old_state", "new_state", "state", "said", "verdict", "rung", "source", "error_type", "actor", "intent"),
    *("delivery", "delivery_id", "message_id", "recording"),
}
T = TypeVar("T")

_encode = json.JSONEncoder(separators=(",", ":")).encode  # ASCII: no database stumbles over a NUL or half a character


def plain(value: Any) -> Any:
    """What JSON knows of a value, without credentials."""
    return _PLAIN.get(type(value), _other)(value)


def _other(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return record(value)
    raise TypeError(f"{value!r} cannot be written down")


def record(value: Any) -> dict[str, Any]:
    """The fields of a data class, each as what JSON knows. Every event goes through here."""
    found: dict[str, Any] = {}
    kind: type = type(value)
    for name in _names(kind):
        one = getattr(value, name)
        named = name in NAMES and type(one) is str and one.isprintable()
        found[name] = one if named or one is None or type(one) is int else _field(name, one)
    return found


def _field(name: str, value: Any) -> Any:
    if name in NAMES and type(value) is str:
        return value if value.isprintable() else _encodable(value)
    return plain(value)


def _redacted(text: str) -> str:
    return _redacted_short(text, own_patterns()) if len(text) < 200 else kept(text)


@lru_cache(1024)  # reasons and evidence are mostly the same words
def _redacted_short(text: str, own: tuple[str, ...]) -> str:
    return _encodable(redact(text))


def _encodable(text: str) -> str:
    if text.isascii() and "\x00" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")  # PostgreSQL has no place for a NUL


def _same(value: T) -> T:
    return value


_PLAIN: Final[dict[type, Callable[[Any], Any]]] = {
    str: _redacted,
    NoneType: _same,
    bool: _same,
    int: _same,
    float: _same,
    list: lambda values: [plain(one) for one in values],
    tuple: lambda values: [plain(one) for one in values],
    dict: lambda values: {_encodable(str(name)): _field(str(name), one) for name, one in values.items()},
}


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def written(value: Any) -> str:
    return _encode(plain(value))


def encoded(data: Any) -> str:
    """As JSON, of what is plain already."""
    return _encode(data)


def encoded_each(values: Sequence[Any]) -> list[str]:
    """Each as JSON, of what is plain already: in one go, since an encoder takes longer to be made than to encode.

    No plain list has a NUL in it, so one between the values tells where each ends.
    """
    between = [one for value in values for one in (value, "\x00")]
    return _encode(between[:-1])[1:-1].split(',"\\u0000",') if between else []


def kept(text: str) -> str:
    """A text of any length, without credentials, as every database takes it."""
    encodable = _encodable(redact(text))
    return encodable if len(encodable) <= KEEP_TEXT else f"{encodable[:KEEP_TEXT]}…"


def agent_of(data: Mapping[str, Any]) -> Agent:
    agent = _known(Agent, data)
    return Agent(
        **{
            **agent,
            "stage": Stage(agent["stage"]),
            "labels": tuple(agent.get("labels", ())),
            "question": menu_of(agent.get("question")),
            "usage": usage_of(agent.get("usage")),
            "program": program_of(agent.get("program")),
        }
    )


def usage_of(data: Mapping[str, Any] | None) -> Usage | None:
    return None if data is None else Usage(**_known(Usage, data))


def program_of(data: Mapping[str, Any] | None) -> Program | None:
    return None if data is None else Program(**_known(Program, data))


def turn_of(data: Mapping[str, Any]) -> Turn:
    turn = _known(Turn, data)
    spoken = {"actor": Actor(turn["actor"]), "intent": Intent(turn["intent"])}
    return Turn(**{**turn, **spoken, "question": menu_of(turn.get("question"))})


def raw(value: Any) -> dict[str, Any]:
    """The fields of a flat record as they are: what ssh is told must be what was given, whatever it looks like."""
    kind: type = type(value)
    return {name: list(one) if isinstance(one := getattr(value, name), tuple) else one for name in _names(kind)}


def host_of(data: Mapping[str, Any]) -> HostRecord:
    record = _known(HostRecord, data)
    return HostRecord(**{**record, "options": tuple(record.get("options", ()))})


def menu_of(data: Mapping[str, Any] | None) -> Menu | None:
    if data is None:
        return None
    menu = _known(Menu, data)
    return Menu(**{**menu, "options": tuple(Option(**_known(Option, one)) for one in menu["options"])})


def receipt_of(text: str) -> SendResult:
    receipt = _known(SendResult, json.loads(text))
    return SendResult(
        **{
            **receipt,
            "verdict": Verdict(receipt["verdict"]),
            "rung": Rung(receipt["rung"]),
            "error_type": Code(receipt["error_type"]) if receipt.get("error_type") else None,
            "notes": tuple(receipt.get("notes", ())),
        }
    )


def _known(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in _names(kind) if name in data}
