"""A menu that the demo agent opens instead of its box: a question, a permission, or several things to tick.

Shape: machine. Digits act at once; arrows move, Enter takes what is highlighted. An option with a field is typed into
in place as soon as it is highlighted. Everything that acts is answered with an `Answer`.
"""

from dataclasses import dataclass
from enum import StrEnum

from paneward.demo.editor import Editor
from paneward.demo.keys import Key
from paneward.demo.screen import ACCENT, BOLD, DIM, RESET, DemoFrame, cells, cut, prose, rule, wrap


class MenuKind(StrEnum):
    QUESTION = "question"
    PERMISSION = "permission"
    MULTI = "multi"


class Field(StrEnum):
    """Whether an option is typed into, and whether it may stay empty."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class DemoOption:
    label: str
    field: Field = Field.NONE


@dataclass(frozen=True, slots=True)
class DemoMenu:
    """What is asked."""

    kind: MenuKind
    title: str
    question: str
    options: tuple[DemoOption, ...]
    detail: str = ""
    more: str = ""  # the questions that follow
    chosen: str = ""  # what the questions before were answered with


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen: numbers from 1 and their labels, and what was typed; nothing when it was cancelled."""

    numbers: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    text: str = ""


CANCELLED = Chosen()


class OpenMenu:
    """An open menu."""

    def __init__(self, menu: DemoMenu) -> None:
        self.menu = menu
        self._at = 0
        self._ticked: set[int] = set()
        self._field = Editor()

    def take(self, key: Key) -> Chosen | None:
        """Apply a key; the answer when it decided."""
        if key.name in ("Escape", "C-c"):
            return CANCELLED
        if key.name in ("Up", "Down"):
            self._go((self._at + (1 if key.name == "Down" else -1)) % len(self.menu.options))
        elif key.name == "Enter":
            return self._decide()
        elif self._in_field:
            self._field.take(key)
        elif key.name == "text":
            return self._characters(key.text)
        return None

    @property
    def _in_field(self) -> bool:
        return self.menu.options[self._at].field is not Field.NONE

    def _go(self, index: int) -> None:
        self._at = index
        self._field.clear()

    def _characters(self, text: str) -> Chosen | None:
        """Digits choose, Space ticks; what follows the digit of a field is typed into it."""
        for position, char in enumerate(text):
            answer = self._character(char)
            if answer is not None:
                return answer
            if self._in_field:
                rest = text[position + 1 :]
                self._field.take(Key("text", rest))
                return None
        return None

    def _character(self, char: str) -> Chosen | None:
        index = "123456789".find(char)
        if self.menu.kind is MenuKind.MULTI:
            if char == " ":
                self._ticked ^= {self._at}
            elif 0 <= index < len(self.menu.options):
                self._go(index)
                self._ticked ^= {index}
        elif 0 <= index < len(self.menu.options):
            self._go(index)
            return None if self._in_field else self._decide()
        return None

    def _decide(self) -> Chosen | None:
        """What Enter means here; nothing on an empty field that must be filled, or with nothing ticked."""
        if self.menu.kind is MenuKind.MULTI:
            chosen = sorted(self._ticked)
            return self._answer(chosen) if chosen else None
        if self.menu.options[self._at].field is Field.REQUIRED and not self._field.text:
            return None
        return self._answer([self._at])

    def _answer(self, chosen: list[int]) -> Chosen:
        labels = tuple(self.menu.options[index].label for index in chosen)
        return Chosen(tuple(index + 1 for index in chosen), labels, self._field.whole())

    # -- drawing --------------------------------------------------------------------------------------------------

    def frame(self, columns: int, height: int) -> DemoFrame:
        """The menu, cut from the top when the screen is too low for it."""
        head = self._head(columns)
        rows, row, before = self._options(columns)
        keys = "space ticks, enter sends" if self.menu.kind is MenuKind.MULTI else "↑↓ enter, or a digit"
        foot = ["", DIM + cut(f" {keys} · esc cancels", columns - 1) + RESET]
        everything = [*head, *rows, *foot]
        first = max(0, min(len(everything) - height, len(head)))
        return DemoFrame(everything[first:][:height], len(head) + row - first, before, cursor=self._in_field)

    def _head(self, columns: int) -> list[str]:
        rows = [rule(columns), f" {ACCENT}{BOLD}{cut(self.menu.title, columns - 2)}{RESET}", ""]
        if self.menu.detail:
            rows += [*prose("   ", self.menu.detail, columns), ""]
        return [*rows, *prose(" ", self.menu.question, columns)]

    def _options(self, columns: int) -> tuple[list[str], int, str]:
        rows: list[str] = []
        place = (0, "")
        for index in range(len(self.menu.options)):
            if index == self._at:
                drawn, row, before = self._highlighted(index, columns)
                place = (len(rows) + row, before)
            else:
                drawn = wrap(self._number("  ", index), self.menu.options[index].label, 0, columns).rows
            rows += drawn
        return rows, *place

    def _highlighted(self, index: int, columns: int) -> tuple[list[str], int, str]:
        number = f"{ACCENT}{self._number('❯ ', index)}"
        label = self.menu.options[index].label
        if not self._in_field:
            wrapped = wrap(number, label, 0, columns)
            return [f"{row}{RESET}" for row in wrapped.rows], 0, ""
        text, cursor = self._field.shown()
        wrapped = wrap(f"{number}{RESET}", text, cursor, columns)
        ghost = "" if text else DIM + cut(label, columns - 1 - cells(number)) + RESET
        return [*wrapped.rows[:-1], wrapped.rows[-1] + ghost], wrapped.row, wrapped.before

    def _number(self, mark: str, index: int) -> str:
        tick = ("[✔] " if index in self._ticked else "[ ] ") if self.menu.kind is MenuKind.MULTI else ""
        return f" {mark}{index + 1}. {tick}"
