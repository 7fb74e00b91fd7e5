"""The text that is being written: cursor, editing keys, and long pastes collapsed to a placeholder.

A collapsed paste is one private-use character of the text, so that the cursor passes it in one step and Backspace
takes it out whole; it is sent in full.
"""

from dataclasses import dataclass, field

from paneward.demo.keys import Key

COLLAPSE_CHARACTERS, COLLAPSE_LINES = 800, 4
FIRST_HOLDER = 0x10F000


@dataclass(slots=True)
class Editor:
    text: str = ""
    cursor: int = 0
    pastes: dict[str, str] = field(default_factory=dict)

    def take(self, key: Key) -> bool:
        """Apply a key; False when it is none that edits."""
        match key.name:
            case "text":
                self._insert(key.text)
            case "paste":
                self._insert(self._collapsed(key.text))
            case "Newline":
                self._insert("\n")
            case "Backspace" if self.cursor:
                self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
                self.cursor -= 1
            case "Delete":
                self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]
            case _:
                return self._move(key.name)
        return True

    def clear(self) -> None:
        self.text, self.cursor, self.pastes = "", 0, {}

    def whole(self) -> str:
        """The text with every collapsed paste in full."""
        return "".join(self.pastes.get(char, char) for char in self.text)

    def shown(self) -> tuple[str, int]:
        """What the box shows, and where its cursor stands in that."""
        before = self._visible(self.text[: self.cursor])
        return before + self._visible(self.text[self.cursor :]), len(before)

    def _insert(self, text: str) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def _collapsed(self, text: str) -> str:
        if len(text) <= COLLAPSE_CHARACTERS and text.count("\n") + 1 < COLLAPSE_LINES:
            return text
        holder = chr(FIRST_HOLDER + len(self.pastes) + 1)
        self.pastes[holder] = text
        return holder

    def _visible(self, text: str) -> str:
        return "".join(self._label(char) if char in self.pastes else char for char in text)

    def _label(self, holder: str) -> str:
        return f"[Pasted text #{ord(holder) - FIRST_HOLDER} +{self.pastes[holder].count(chr(10))} lines]"

    def _move(self, name: str) -> bool:
        match name:
            case "Left":
                self.cursor = max(0, self.cursor - 1)
            case "Right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "Home" | "C-a":
                self.cursor = 0
            case "End" | "C-e":
                self.cursor = len(self.text)
            case "C-u":
                self.text, self.cursor = self.text[self.cursor :], 0
            case "Backspace":
                pass
            case _:
                return False
        return True
