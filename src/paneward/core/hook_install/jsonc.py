"""JSON as people write it, edited in place: functions on its text.

Settings of agents have comments, odd indentation and an order that somebody chose. So nothing is written anew: the
text is read into a tree that knows where each part stands, and an edit puts a piece in or takes exactly it out again.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

_BLANK: Final = re.compile(r"(?>(?:[ \t\r\n\ufeff]|//[^\n]*|/\*(?>(?:[^*]|\*(?!/))*)\*/)*)")
_SCALAR: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"|-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null')
_INDENT: Final = re.compile(r"[ \t]*")
DEEPEST: Final = 200


class NotJson(ValueError):
    """The text cannot be read; says where."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands; of an object and a list what is in it."""

    start: int
    end: int
    value: Any  # of a scalar; "{" and "[" for the others
    items: tuple["Item", ...] = ()

    def get(self, key: str) -> "Node | None":
        """The value of a member; of one that stands there twice the last, as every reader has it."""
        found = [item.node for item in self.items if item.key == key]
        return found[-1] if found and self.value == "{" else None

    def data(self) -> Any:
        match self.value:
            case "{":
                return {item.key: item.node.data() for item in self.items}
            case "[":
                return [item.node.data() for item in self.items]
        return self.value[0]


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object, or an element of a list."""

    start: int  # of its key, if it has one
    node: Node
    key: str = ""

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """The one value of a text; comments and a comma behind the last element may stand there."""
    at = _blank(text, 0)
    node = _value(text, at, 0)
    rest = _blank(text, node.end)
    if rest != len(text):
        raise _wrong(text, rest, "nothing more is expected")
    return node


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise _wrong(text, at, "it is nested too deep")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(text, at, "a value is expected")
    try:
        return Node(at, found.end(), (json.loads(found[0], strict=False),))
    except ValueError:
        raise _wrong(text, at, "it is no JSON") from None


def _container(text: str, start: int, depth: int) -> Node:
    kind, close = text[start], "}" if text[start] == "{" else "]"
    items: list[Item] = []
    at = _blank(text, start + 1)
    while text[at : at + 1] != close:
        item = _member(text, at, depth) if kind == "{" else Item(at, _value(text, at, depth + 1))
        items.append(item)
        at = _blank(text, item.end)
        if text[at : at + 1] == ",":
            at = _blank(text, at + 1)
        elif text[at : at + 1] != close:
            raise _wrong(text, at, f"a comma or `{close}` is expected")
    return Node(start, at + 1, kind, tuple(items))


def _member(text: str, start: int, depth: int) -> Item:
    key = _value(text, start, depth + 1)
    if not isinstance(key.value, tuple) or not isinstance(key.value[0], str):
        raise _wrong(text, start, "a name in double quotes is expected")
    at = _blank(text, key.end)
    if text[at : at + 1] != ":":
        raise _wrong(text, at, "a colon is expected")
    return Item(start, _value(text, _blank(text, at + 1), depth + 1), key.value[0])


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _wrong(text: str, at: int, why: str) -> NotJson:
    line = text.count("\n", 0, at) + 1
    seen = text[at : at + 20].split("\n")[0]
    return NotJson(f"line {line}: {why}, and {f'`{seen}`' if seen else 'the end'} stands there")


# --- edits

# What is put into an empty list or object of the user's has one blank before it; a list or object that we made has a
# line end there. So each can be told when it is empty again, and leaves the text as it was.
INTO_EMPTY: Final = " "


def insert(text: str, into: Node, piece: str, indent: str, end: str = "\n") -> str:
    """Put an element, or a member with its name, behind the last one, on a line of its own."""
    if not into.items:
        return f"{text[: into.start + 1]}{INTO_EMPTY}{piece}{text[into.start + 1 :]}"
    at = into.items[-1].end
    return f"{text[:at]},{end}{indent}{piece}{text[at:]}"


def remove(text: str, of: Node, number: int) -> str:
    """Take an element or a member out, with the comma and the blanks that came with it."""
    item = of.items[number]
    if number:
        return text[: of.items[number - 1].end] + text[item.end :]
    if len(of.items) > 1:
        return text[: item.start] + text[of.items[1].start :]
    return text[: of.start + 1] + text[_without_comma(text, item.end) :]


def _without_comma(text: str, at: int) -> int:
    """Behind the comma after the last element, where one stands."""
    after = _blank(text, at)
    return after + 1 if text[after : after + 1] == "," else at


def made(text: str, node: Node) -> bool:
    """It has one thing in it and was made for that: what the user had empty has a blank before it."""
    return len(node.items) == 1 and text[node.start + 1 : node.items[0].start] != INTO_EMPTY


def indent_of(text: str, at: int) -> str:
    """The blanks before what stands first on the line."""
    found = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return "" if found is None else found[0]
