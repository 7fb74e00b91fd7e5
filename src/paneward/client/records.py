"""What a server answers with, as the records it was made of: the way back from `wire.plain`. Shape: functions.

A key that this version does not know is left out, and one that is missing has its default: the two ends may be of
different versions.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from paneward.core.errors import ServerError

T = TypeVar("T")


def revive(kind: type[T], data: Any) -> T:
    """A record of this kind from what JSON knows of it."""
    try:
        value: T = _value(kind, data)
    except (TypeError, ValueError, KeyError) as error:
        raise ServerError(
            f"the server answered with no {kind.__name__} that can be read: {error}",
            hint="`paneward status` tells whether it is of another version: restart it with `down` and `up`.",
        ) from None
    return value


def _value(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return None if data is None else _value(next(one for one in get_args(kind) if one is not NoneType), data)
    if origin is tuple:
        return tuple(_value(get_args(kind)[0], item) for item in data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, data)
    return data


def _record(kind: type, data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise TypeError(f"{data!r:.80} is no object")
    hints = get_type_hints(kind)
    missing = [one.name for one in fields(kind) if one.name not in data and _needed(one)]
    if missing:
        raise KeyError(", ".join(missing))
    return kind(**{one.name: _value(hints[one.name], data[one.name]) for one in fields(kind) if one.name in data})


def _needed(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
