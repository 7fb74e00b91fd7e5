"""Texts of every kind sent to real agents by Paneward, and what must arrive of them at the model: data and functions.

What must arrive is worked out from what the profile says that it adds (guards) and that the program itself changes
(edits). Everything else is exact, once, and nothing beside it.
"""

import asyncio
import contextlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paneward.app import Connection
from paneward.core.delivery.guards import defuse
from paneward.core.profiles import BUILT_IN, Profile, at_version
from paneward.core.profiles.row import Edit
from paneward.core.result import Rung, SendResult
from tests.lab.agents import LabAgent, NotSeen
from tests.lab.moves import MOVES

BY_PASTE: Mapping[str, dict[str, Any]] = {
    "opencode": {"arguments": ()}
}  # how to start it so that there is no other way
ARRIVES = 180.0  # seconds; OpenCode's first turn took a seventh of them on a loaded machine
SENTENCE = "Look at the parser once more, line by line, and say what you would change in it first. "


def _long(length: int) -> str:
    return (SENTENCE * (length // len(SENTENCE) + 1))[: length - 1] + "."


PLAIN: Mapping[str, str] = {
    "characters_10": "just hello",
    "characters_200": _long(200),
    "characters_2000": _long(2000),
    "characters_5000": _long(5000),
    "lines_40": "\n".join(f"{number}. a line of its own" for number in range(1, 41)),
    "unicode": "Grüße — привет, 你好世界, مرحبا, ñandú, ½ ≠ ⅓",
    "emoji": "ship it 🚀 👩‍💻 🇩🇪 ❤️ done",
    "quotes": 'say "it\'s" $(date) `ls` #tag @name %s ; and *stars*',
    "bang_inside": "say {name!r} to them",
}
GUARDED: Mapping[str, str] = {
    "bang": "!ls",
    "slash": "/help me",
    "path": "/etc/hosts is a file",
    "question": "?",
    "exit": "exit",
    "quit": "quit",
    "backslash": "it ends with a \\",
    "blank_slash": " /x is what I mean",
    "tab": "before\tafter",
}
TEXTS = {**PLAIN, **GUARDED}


def expected(text: str, lab: LabAgent, notes: tuple[str, ...] = ()) -> str | None:
    """What the model must get of a text whose receipt has these notes; None where it must be refused.

    A profile that cannot see the version adds what is needed in all of them.
    """
    name = lab.recipe.name
    defused = [defuse(text, profile.guards) for profile in (at_version(BUILT_IN[name], lab.version), BUILT_IN[name])]
    if defused[0].left is not None:
        return None
    one = max(
        (one for one in defused if set(one.notes) <= set(notes)), key=lambda one: len(one.notes), default=defused[0]
    )
    return edited(one.text, BUILT_IN[name], bool(MOVES[name].collapsed(one.text)))


def edited(text: str, profile: Profile, collapsed: bool) -> str:
    """The text as the program itself changes it."""
    for edit in profile.edits:
        match edit:
            case Edit.TABS:
                text = text.replace("\t", "    ")
            case Edit.NFC:
                text = unicodedata.normalize("NFC", text)
            case Edit.TRIMS_START if not collapsed:
                text = text.lstrip()
            case Edit.TRIMS_END if not collapsed:
                text = text.rstrip()
            case Edit.BLANK_AFTER_PASTE if collapsed:
                text += " "
    return text


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery and what arrived of it."""

    text: str
    result: SendResult
    arrived: tuple[str, ...]
    expected: str | None

    @property
    def judgement(self) -> str:
        """`exact`, `refused`, or what is wrong."""
        if self.expected is None:
            return "refused" if not self.arrived and not self.result.success else "not refused"
        if not self.arrived:
            return "lost" if self.result.success else f"not sent: {self.result.error_type or self.result.verdict}"
        if len(self.arrived) > 1:
            return "doubled"
        if self.arrived[0] != self.expected:
            return "changed"
        return "exact" if self.result.success else f"exact, but {self.result.verdict}"


async def send(lab: LabAgent, connection: Connection, text: str, **how: Any) -> Sent:
    """Send a text, and wait for what arrives of it."""
    before = len(lab.model.prompts())
    result = await connection.send_text(lab.pane, text, **{"timeout": ARRIVES, **how})
    wanted = text if result.rung is Rung.ACCEPTED else expected(text, lab, result.notes)  # an API takes it as it is
    seconds = ARRIVES if result.success else 1.0
    if wanted is not None:
        await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > before, seconds)
    return Sent(text, result, tuple(lab.model.prompts()[before:]), wanted)


def leave_dialog(lab: LabAgent) -> None:
    """Close the permission dialog without an answer: Claude Code is deaf for a moment after it opened one."""
    dialog = MOVES[lab.recipe.name].permission
    gone = rf"(?s)\A(?!.*{dialog.seen.replace('(?m)', '')})"
    for _ in range(10):
        lab.keys(*(("n", "Enter") if lab.recipe.name == "aider" else dialog.leave))
        with contextlib.suppress(NotSeen):
            lab.wait_screen(gone, seconds=3.0)
            return
    raise NotSeen(f"the dialog of {lab.recipe.name} stays open")
