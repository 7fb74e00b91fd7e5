"""A command line that is right, parsed by the declarations of its command: functions.

Whatever is not plainly right (an unknown option, a value that does not fit, `--help`) is left to typer, which says so;
it takes longer to load than most commands take to run. A test holds both against each other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from paneward.surfaces.cli.declarations import Argument, CliOption, Context, Parameter

Function = Callable[..., Any]


class Unclear(Exception):
    """typer has to look at this line."""


class Declared(NamedTuple):
    """One parameter of a command."""

    name: str
    kind: Any  # str, int, float, bool, Path, or the words of a Literal
    several: bool
    default: Any
    needed: bool
    as_typed: Parameter | None  # none: the context


def parsed(function: Function, words: Sequence[str], ctx: Context) -> dict[str, Any]:
    """What a command is called with."""
    values, rest = _read(declared(function), list(words), stop=False)
    if rest:
        raise Unclear
    return called_with(function, values, ctx)


def leading(function: Function, words: Sequence[str]) -> tuple[dict[str, list[Any]], list[str]]:
    """The options before the command, and the rest of the line."""
    return _read(declared(function), list(words), stop=True)


def called_with(function: Function, values: dict[str, list[Any]], ctx: Context) -> dict[str, Any]:
    call: dict[str, Any] = {}
    for one in declared(function):
        if one.as_typed is None:
            call[one.name] = ctx
            continue
        given = values.get(one.name)
        if given is None and one.needed:
            raise Unclear
        value = one.default if given is None else given if one.several else given[-1]
        if callback := one.as_typed.more.get("callback"):
            value = callback(ctx, value)
        if one.as_typed.more.get("expose_value", True):
            call[one.name] = value
    return call


def _read(known: list[Declared], words: list[str], stop: bool) -> tuple[dict[str, list[Any]], list[str]]:
    """The values that were given, by name; `stop`: at the first word that is no option, and what is left then."""
    options = {name: one for one in known if isinstance(one.as_typed, CliOption) for name in _names(one)}
    places = [one for one in known if isinstance(one.as_typed, Argument)]
    values: dict[str, list[Any]] = {}
    plain: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--" and not stop:
            plain += words
            break
        if not word.startswith("-") or word == "-":
            if stop:
                return values, [word, *words]
            plain.append(word)
            continue
        name, divided, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        one = options.get(name)
        if one is None or (one.as_typed is not None and one.as_typed.more.get("is_eager")):
            raise Unclear
        if one.kind is bool:
            if divided:
                raise Unclear
            values[one.name] = [True]
            continue
        if not divided and not words:
            raise Unclear
        values.setdefault(one.name, []).append(_value(one, value if divided else words.pop(0)))
    _place(places, plain, values)
    return values, []


def _place(places: list[Declared], plain: list[str], values: dict[str, list[Any]]) -> None:
    """Words to the arguments, in their order; only the last may take several."""
    for one in places:
        taken, plain = (plain, []) if one.several else (plain[:1], plain[1:])
        if taken:
            values[one.name] = [_value(one, word) for word in taken]
    if plain:
        raise Unclear


def _value(one: Declared, word: str) -> Any:
    if isinstance(one.kind, tuple):
        if word not in one.kind:
            raise Unclear
        return word
    try:
        value = one.kind(word)
    except ValueError:
        raise Unclear from None
    limits = one.as_typed.more if one.as_typed is not None else {}
    if ("min" in limits and value < limits["min"]) or ("max" in limits and value > limits["max"]):
        raise Unclear
    return value


# --- the declarations of a command


def declared(function: Function) -> list[Declared]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    return [_declared(name, function.__annotations__[name], defaults) for name in names]


def _declared(name: str, hint: Any, defaults: dict[str, Any]) -> Declared:
    if get_origin(hint) is not Annotated:
        return Declared(name, None, False, None, False, None)
    kind, as_typed = get_args(hint)
    if get_origin(kind) in (Union, UnionType):
        [kind] = [one for one in get_args(kind) if one is not NoneType]
    several = get_origin(kind) is list
    if several:
        [kind] = get_args(kind)
    kind = get_args(kind) if get_origin(kind) is Literal else kind
    if not isinstance(kind, tuple) and kind not in (str, int, float, bool, Path):
        raise Unclear
    return Declared(name, kind, several, defaults.get(name), name not in defaults, as_typed)


def _names(one: Declared) -> tuple[str, ...]:
    return (one.as_typed.names if one.as_typed is not None else ()) or (f"--{one.name.replace('_', '-')}",)
