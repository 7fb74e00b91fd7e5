"""A numbered menu with a highlight, three options and one for free text; afterwards a plain box.

Arrows move, Enter takes the highlighted option, a digit takes its option (or, with `--digits move`, only goes there).
`--permission` asks for permission, where digits always act at once. `--multi` lets Space or a digit tick options and
Enter submit them. Everything that acted is logged, and so is text that had no business here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import Key, parser

COLOURS = ("Red, as the logo", "Green", "Blue")
PERMISSIONS = ("Yes", "Yes, and don't ask again for rm", "No")
FREE = "Type something else"


class Menu:
    """The menu's state; `take` returns whether it is still open."""

    def __init__(self, console: Console, chosen: argparse.Namespace) -> None:
        self._console = console
        self._multi, self._acts = chosen.multi, chosen.permission or chosen.digits == "act"
        self._question = "Do you want to run `rm -r build`?" if chosen.permission else "Which colour do you want?"
        self._options = list(PERMISSIONS if chosen.permission else COLOURS) + ([FREE] * (not chosen.multi))
        self._at = 0
        self._ticked: set[int] = set()
        self._typing = False

    def draw(self) -> None:
        if self._typing:
            self._console.above, self._console.prompt = [self._question, "", "Type your answer:"], "> "
            return
        options = map(self._row, range(len(self._options)))
        hint = "\x1b[2mEnter to choose, Esc to cancel\x1b[0m"
        self._console.above = [f"\x1b[1m{self._question}\x1b[0m", "", *options, "", hint]
        self._console.prompt = ""

    def _row(self, index: int) -> str:
        tick = ("[x] " if index in self._ticked else "[ ] ") if self._multi else ""
        row = f"{index + 1}. {tick}{self._options[index]}"
        return f"\x1b[36m❯ {row}\x1b[0m" if index == self._at else f"  {row}"

    def take(self, key: Key) -> bool:
        if self._typing:
            return self._take_text(key)
        match key.name:
            case "Up" | "Down":
                step = 1 if key.name == "Down" else -1
                self._at = (self._at + step) % len(self._options)
            case "Enter":
                return self._enter(key.name)
            case "text":
                return all(self._take_char(char) for char in key.text)
            case "tick":
                pass
            case "Escape" | "C-c":
                self._console.log.write("key", key=key.name, cancelled=True)
                return False
            case _:
                self._console.log.write("key", key=key.name, text=key.text)
        return True

    def _take_char(self, char: str) -> bool:
        if self._typing:
            return self._take_text(Key("text", char))
        index = int(char) - 1 if char in "123456789" else -1
        if char == " " and self._multi:
            self._tick(self._at)
        elif not 0 <= index < len(self._options):
            self._console.log.write("key", key="text", text=char)
        else:
            self._at = index
            if self._multi:
                self._tick(index)
            elif self._acts:
                return self._enter(char)
        return True

    def _tick(self, index: int) -> None:
        self._ticked ^= {index}
        self._console.log.write("key", key="Space", toggled=index + 1)

    def _enter(self, key: str) -> bool:
        """Take the highlighted option, or the ticked ones."""
        if self._multi:
            numbers = sorted(index + 1 for index in self._ticked)
            labels = [self._options[number - 1] for number in numbers]
            self._console.log.write("key", key=key, choices=numbers, labels=labels)
            self._console.say("chose: ", ", ".join(labels))
            return False
        label = self._options[self._at]
        self._console.log.write("key", key=key, choice=self._at + 1, label=label)
        self._typing = label == FREE
        if not self._typing:
            self._console.say("chose: ", label)
        return self._typing

    def _take_text(self, key: Key) -> bool:
        if key.name == "Escape":
            self._console.log.write("key", key="Escape")
            self._typing = False
            self._console.text, self._console.cursor = "", 0
            return True
        done = key.name == "Enter" and bool(self._console.text)
        self._console.take(key)
        return not done


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--multi", action="store_true")
    options.add_argument("--permission", action="store_true")
    options.add_argument("--digits", choices=("act", "move"), default="act")
    chosen = options.parse_args()
    with Console(chosen) as console:
        menu = Menu(console, chosen)
        menu.draw()
        asking = True
        for key in console.typed():
            if not asking:
                console.take(key)
            elif asking := menu.take(key):
                menu.draw()
            else:
                console.above, console.prompt = [], "> "


if __name__ == "__main__":
    main()
