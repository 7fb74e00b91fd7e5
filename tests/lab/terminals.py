"""The terminals in which real agents are tried: data.

A program learns what its terminal can show from TERM, COLORTERM and NO_COLOR, and Gemini CLI from the version of Node
as well: inside tmux, Node 20 speaks of 256 colours where Node 22 speaks of 24 bits.
"""

from dataclasses import dataclass
from typing import Any

from tests.lab.recipes import CACHE

TERMS = ("tmux-256color", "screen", "xterm-256color")
COLOURS = ("", "truecolor", "NO_COLOR")  # COLORTERM absent, COLORTERM=truecolor, NO_COLOR=1
SIZES = ((100, 34), (64, 20), (240, 60), (80, 24))


@dataclass(frozen=True, slots=True)
class Terminal:
    term: str = TERMS[0]
    colours: str = COLOURS[0]
    node: str = ""  # major version; "" for the one that agents run on unless told otherwise
    width: int = 100
    height: int = 34

    @property
    def name(self) -> str:
        node = f", node {self.node}" if self.node else ""
        return f"{self.term}, {self.colours or 'no COLORTERM'}{node}, {self.width}x{self.height}"

    @property
    def environment(self) -> dict[str, str]:
        """What an agent is told; an empty value leaves the variable out."""
        node = CACHE / (f"node-{self.node}" if self.node else "node")
        return {
            "TERM": self.term,
            "COLORTERM": "truecolor" if self.colours == "truecolor" else "",
            "NO_COLOR": "1" if self.colours == "NO_COLOR" else "",
            "PATH": f"{node}:/usr/local/bin:/usr/bin:/bin",
        }

    @property
    def settings(self) -> dict[str, Any]:
        """How an agent is started in it: arguments for `start`."""
        return {"width": self.width, "height": self.height, "environment": self.environment}


# The forms in which screens are kept in the corpus, by the end of their names.
FORMS = {
    "60": Terminal(width=60, height=24),
    "100": Terminal(),
    "200": Terminal(width=200, height=50),
    "light": Terminal(),
    "colours16": Terminal(term="screen", node="20"),
    "colours256": Terminal(node="20"),
    "truecolor": Terminal(term="xterm-256color", colours="truecolor", node="24"),
    "nocolor": Terminal(colours="NO_COLOR"),
    "small": Terminal(width=64, height=20),
}
