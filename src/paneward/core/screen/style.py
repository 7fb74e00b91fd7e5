"""The style of a cell, and what an SGR sequence makes of it: functions.

What surprised us: tmux joins attributes (`ESC[0;2m`), then writes each colour in a sequence of its own;
underline styles come as `4:3` and the underline's colour as `58;5;n`, whose numbers must not be taken
for attributes.
"""

from functools import lru_cache
from typing import NamedTuple

Colour = int | str | None  # None is the terminal's default; 0-255 from the palette; "#rrggbb"


class Style(NamedTuple):
    """A tuple and not a data class because it is looked up once per escape sequence: its hash has to be fast."""

    fg: Colour = None
    bg: Colour = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    blink: bool = False
    reverse: bool = False
    invisible: bool = False
    strike: bool = False

    @property
    def highlighted(self) -> bool:
        """It stands out by its ground: reversed, or on a background of its own."""
        return self.reverse or self.bg is not None


PLAIN = Style()


@lru_cache(maxsize=256)
def fits(style: Style, words: str) -> bool:
    """The style is as the words say: `bold`, `!reverse`, `fg=174`, `bg!=default`; all of them."""
    return all(_fits(style, word) for word in words.split())


def _fits(style: Style, word: str) -> bool:
    name, equals, wanted = word.partition("=")
    if not equals:
        return bool(getattr(style, name.lstrip("!"))) is not name.startswith("!")
    colour = getattr(style, name.rstrip("!"))
    same = ("default" if colour is None else str(colour)) == wanted
    return same is not name.endswith("!")


_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    5: {"blink": True},
    6: {"blink": True},
    7: {"reverse": True},
    8: {"invisible": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    25: {"blink": False},
    27: {"reverse": False},
    28: {"invisible": False},
    29: {"strike": False},
}
_EXTENDED = {38: "fg", 48: "bg", 58: ""}  # the last is the colour of the underline, skipped as a whole


@lru_cache(maxsize=2048)
def restyle(style: Style, parameters: str) -> Style:
    """The style after `ESC [ parameters m`; what is unknown or malformed changes nothing."""
    fields = parameters.split(";")
    while fields:
        numbers = [int(part[-9:]) if part else 0 for part in fields.pop(0).split(":")]
        code = numbers[0]
        if code in _EXTENDED:
            colour = _colour_after_colon(numbers) if len(numbers) > 1 else _take_colour(fields)
            style = style if colour is None else _paint(style, _EXTENDED[code], colour)
        elif code == 4 and len(numbers) > 1:
            style = style._replace(underline=numbers[1] != 0)
        else:
            style = _switch(style, code)
    return style


def _switch(style: Style, code: int) -> Style:
    if code == 0:
        return PLAIN
    if code in _SWITCHES:
        return style._replace(**_SWITCHES[code])
    ground, tone = divmod(code, 10)
    if tone == 9 and ground in (3, 4):
        return _paint(style, _GROUNDS[ground], None)
    if tone < 8 and ground in _GROUNDS:
        return _paint(style, _GROUNDS[ground], tone + 8 * (ground > 4))
    return style


_GROUNDS = {3: "fg", 9: "fg", 4: "bg", 10: "bg"}  # by the tens of the code


def _paint(style: Style, ground: str, colour: Colour) -> Style:
    match ground:
        case "fg":
            return style._replace(fg=colour)
        case "bg":
            return style._replace(bg=colour)
    return style


def _take_colour(fields: list[str]) -> Colour:
    """Take the fields of `5;n` or `2;r;g;b` that follow a 38, 48 or 58."""
    length = {"5": 2, "2": 4}.get(fields[0] if fields else "", 0)
    taken, fields[:length] = fields[:length], []
    return _colour([int(part[-9:]) for part in taken if part.isdecimal()])


def _colour_after_colon(numbers: list[int]) -> Colour:
    """Of `38:5:n`, `38:2:r:g:b` or `38:2:<colour space>:r:g:b`."""
    kind, *values = numbers[1:]
    return _colour([kind, *values[-3:]] if kind == 2 else [kind, *values[:1]])


def _colour(numbers: list[int]) -> Colour:
    match numbers:
        case [5, index] if index < 256:
            return index
        case [2, *channels] if len(channels) == 3 and max(channels) < 256:
            return "#{:02x}{:02x}{:02x}".format(*channels)
    return None
