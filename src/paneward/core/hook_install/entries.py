"""What is ours in the settings of an agent: functions on what was read of them."""

from collections.abc import Mapping
from typing import Any, Final

OURS: Final = "paneward-hook"


class EditRefused(ValueError):
    """The file cannot be edited; says why."""


def is_ours(group: Any) -> bool:
    return any(own(handler) for handler in listed(mapping(group).get("hooks")))


def own(handler: Any) -> bool:
    said = mapping(handler).get("command")
    return isinstance(said, str) and f" {OURS} " in said


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def has_all(data: Any, entries: Mapping[str, Any]) -> bool:
    """All of ours are there, and nothing else of ours."""
    found = mapping(data.get("hooks"))
    ours = {name: [group for group in listed(groups) if is_ours(group)] for name, groups in found.items()}
    return {name: groups for name, groups in ours.items() if groups} == {name: [one] for name, one in entries.items()}
