"""The captured screens of the agents, and what is true of them: data for tests."""

import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from paneward.core.profiles import BUILT_IN, Profile, at_version
from paneward.core.result import Menu
from paneward.core.terminal.scene import Snapshot

CORPUS = Path(__file__).parents[2] / "corpus"

# What an empty composer shows, by agent, and in one case other than in the rest.
GHOSTS = {
    ("claude", "queued"): r"Press up to edit queued messages",
    ("codex", ""): r"Ask Codex to do anything",
    ("codex", "bang"): r"",
    ("gemini", ""): r"Type your message or @path/to/file",
    ("gemini", "bang"): r"Type your shell command",
    ("opencode", "idle"): r'Ask anything… ".*"',
    ("opencode", "bang"): r'Run a command… ".*"',
}
KINDS = {"permission_second": "permission", "question_second": "question", "several": "question"}

# Where the screen does not show what is true; by name, with the reason.
PAINTED_OVER = "at 60 columns the agent paints the last option over the second row of the one before"
NOT_SHOWN = "the agent does not show what is queued until its turn comes"
NO_GROUND = "without colours nothing tells what is queued from what was said"
QUEUED_IN = ("60", "100", "200", "light", "colours16", "truecolor", "nocolor")
OTHERWISE: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"claude/2.1.197/{case}_60": (
            PAINTED_OVER,
            {"options": ["Yes", "Yes, and always allow access to work/ from this", "Nooject"]},
        )
        for case in ("permission", "permission_second")
    },
    "claude/2.1.197/queued_nocolor": (NO_GROUND, {"queued": []}),
    **{f"opencode/1.18.33/queued_{form}": (NOT_SHOWN, {"queued": []}) for form in QUEUED_IN},
}


@dataclass(frozen=True, slots=True)
class Capture:
    """A captured screen with what is true of it."""

    path: Path

    def __str__(self) -> str:
        return f"{self.agent}/{self.version}/{self.path.stem}"

    @property
    def agent(self) -> str:
        return self.path.parts[-3]

    @property
    def version(self) -> str:
        return self.path.parts[-2]

    @property
    def case(self) -> str:
        return self.path.stem.rpartition("_")[0]

    @property
    def form(self) -> str:
        """Of the terminal: `100`, `light`, `nocolor`; tests/lab/terminals.py has them all."""
        return self.path.stem.rpartition("_")[2]

    @property
    def profile(self) -> Profile:
        return BUILT_IN[self.agent]

    @property
    def versioned(self) -> Profile:
        return at_version(self.profile, self.version)

    @property
    def snapshot(self) -> Snapshot:
        return _snapshot(self.path)

    @property
    def truth(self) -> dict[str, Any]:
        return _truth(self.path)

    @property
    def other(self) -> dict[str, Any]:
        return OTHERWISE.get(str(self), ("", {}))[1]

    @property
    def dialog(self) -> bool:
        return bool(self.truth["state"] == "dialog")

    @property
    def ghost(self) -> re.Pattern[str]:
        """Pattern of what the composer must show that nobody typed."""
        if self.dialog or self.truth["draft"]:
            return re.compile("")
        return re.compile(GHOSTS.get((self.agent, self.case), GHOSTS.get((self.agent, ""), "")))

    @property
    def kind(self) -> str:
        return KINDS.get(self.case, self.case) if self.dialog else ""

    @property
    def menu(self) -> dict[str, Any] | None:
        """The menu as far as it is on the screen."""
        menu = self.truth["menu"]
        if menu is None:
            return None
        hidden, free = menu["hidden"], menu["free_text"]
        seen = self.other.get("options", [label for label in menu["options"] if label not in hidden])
        return {
            "question": menu["question"],
            "options": seen,
            "selected": menu["selected"],
            "free_text": None if free is None or menu["options"][free] in hidden else free,
            "multi": menu["multi"],
            "hidden": bool(hidden),
        }


@cache
def _snapshot(path: Path) -> Snapshot:
    fields: dict[str, Any] = json.loads(path.read_text())
    return Snapshot(pane="%1", **{**fields, "rows": tuple(fields["rows"])})


@cache
def _truth(path: Path) -> dict[str, Any]:
    return {"mode": "", "question": None, **json.loads(path.with_suffix(".expected.json").read_text())}


def each_of(captures: Sequence[Capture]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Plays a test of one `capture` with each of these: an agent in one form at a time, and names all that fail."""
    groups: dict[str, list[Capture]] = {}
    for capture in captures:
        groups.setdefault(f"{capture.agent}/{capture.version}/{capture.form}", []).append(capture)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def every(group: list[Capture], **others: Any) -> None:
            failed = {str(capture): wrong for capture in group if (wrong := _failure(test, capture, others))}
            assert not failed, (
                f"{len(failed)} of {len(group)}: {', '.join(failed)}; {'; '.join(map(str, failed.values()))}"
            )

        others = [one for name, one in inspect.signature(test).parameters.items() if name != "capture"]
        group = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        every.__dict__.update(vars(test), __signature__=inspect.Signature([group, *others]))
        every.__name__, every.__doc__, every.__module__ = test.__name__, test.__doc__, test.__module__
        marked: Callable[..., None] = pytest.mark.parametrize("group", list(groups.values()), ids=list(groups))(every)
        return marked

    return decorate


def _failure(test: Callable[..., None], capture: Capture, others: dict[str, Any]) -> AssertionError | None:
    try:
        test(capture=capture, **others)
    except AssertionError as wrong:
        return wrong
    return None


def as_data(menu: Menu | None) -> dict[str, Any] | None:
    return (
        None
        if menu is None
        else {
            "question": menu.question,
            "options": [option.label for option in menu.options],
            "selected": menu.selected,
            "free_text": menu.free_text,
            "multi": menu.multi,
            "hidden": menu.hidden,
        }
    )


CAPTURES = [Capture(path) for path in sorted(CORPUS.glob("*/*/*.json")) if not path.name.endswith(".expected.json")]
DIALOGS = [capture for capture in CAPTURES if capture.dialog]
