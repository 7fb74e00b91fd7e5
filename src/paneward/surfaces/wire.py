"""JSON of what the verbs answer with: functions, derived from the types themselves.

A record becomes an object of its fields and of what it lets one read from them (`success`, `is_ready`), so a new field
is on the wire as soon as it exists. Every document has `ok`, which is true exactly when the command's exit code is 0.
What has an error code also has `status`, `error_type` (the code in small letters) and `error`.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

from paneward.core.errors import PanewardError
from paneward.core.result import SendResult, Verdict

_STATUS = {Verdict.CONFIRMED: "ok", Verdict.UNCONFIRMED: "unconfirmed", Verdict.FAILED: "error"}


def plain(value: Any) -> Any:
    """Any value of ours as what JSON knows."""
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list() | set() | frozenset():
            return [plain(item) for item in value]
        case PurePath():
            return str(value)
        case float():
            return round(value, 3)
        case _ if is_dataclass(value):
            return {name: plain(getattr(value, name)) for name in _names(type(value))}
    return value


def _names(kind: type) -> list[str]:
    views = [name for name, member in vars(kind).items() if isinstance(member, property) and not name.startswith("_")]
    return [field.name for field in fields(kind)] + views


def document(ok: bool, **parts: Any) -> dict[str, Any]:
    return {"ok": ok, **{name: plain(part) for name, part in parts.items()}}


def record(ok: bool, value: Any) -> dict[str, Any]:
    """A document that is one record."""
    return {"ok": ok, **plain(value)}


def error(failure: PanewardError) -> dict[str, Any]:
    return {"ok": False, **_error(failure.code, failure.message, failure.hint)}


def usage_error(message: str, hint: str) -> dict[str, Any]:
    return {"ok": False, **_error("USAGE", message, hint)}


def receipt(result: SendResult) -> dict[str, Any]:
    """The receipt of a delivery, beside its error if it has one."""
    written = {"ok": result.success, "status": _STATUS[result.verdict], **plain(result)}
    if result.error_type is not None:
        written |= _error(result.error_type, result.detail or result.evidence, result.hint)
    return written


def _error(code: str, message: str, hint: str) -> dict[str, Any]:
    return {
        "status": "error",
        "error_type": str(code).lower(),
        "error": {"code": str(code), "message": message, "hint": hint},
    }
