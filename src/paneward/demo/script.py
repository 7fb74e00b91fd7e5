"""What the demo agent makes of a text: how long it works, what it says, what it asks. Shape: functions.

There is no model behind it. The first word decides, so that every situation an agent can be in can be called up.
"""

import re
from dataclasses import dataclass, replace

from paneward.demo.dialog import Chosen, DemoMenu, DemoOption, Field, MenuKind

SUGGESTIONS = (
    'Try "fix the tests"',
    'Try "ask which colour to use"',
    'Try "permit rm -r build"',
    'Try "work 10"',
    'Try "multi what to check"',
)
HELP = """ask …     a question with options and free text
permit …  a permission menu
multi …   a question with several answers; multi …; … asks one after the other
work N    busy for N seconds
say …     repeats the text
signal STATE MESSAGE  prints a marker
crash     ends with status 1
exit      leaves
Anything else is worked on for a moment and answered."""


@dataclass(frozen=True, slots=True)
class Say:
    """An answer, and the marker that is printed with it."""

    text: str
    signal: str = "completed"
    message: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    menu: DemoMenu


@dataclass(frozen=True, slots=True)
class Leave:
    status: int
    text: str
    signal: str


@dataclass(frozen=True, slots=True)
class ScriptedWork:
    """Work for so many seconds, then do this."""

    seconds: float
    then: Say | Ask | Leave


def plan(text: str, busy: float) -> ScriptedWork:
    """What a submitted text sets off."""
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "help":
            return ScriptedWork(0, Say(HELP, "idle", "told what I understand"))
        case "ask":
            return ScriptedWork(busy / 3, Ask(question(rest)))
        case "permit":
            return ScriptedWork(busy / 3, Ask(permission(rest)))
        case "multi":
            return ScriptedWork(busy / 3, Ask(several(rest)))
        case "work":
            seconds = duration(rest, busy)
            return ScriptedWork(seconds, Say(f"Worked for {seconds:g} s.", message=f"worked {seconds:g} s"))
        case "say" if rest:
            return ScriptedWork(busy / 3, Say(text.strip()[len(word) + 1 :], message="said it"))
        case "signal" if rest:
            state, _, message = rest.partition(" ")
            return ScriptedWork(busy / 3, Say(f"Signal {state}.", state, message))
        case "crash" if not rest:
            return ScriptedWork(0, Leave(1, "Something broke.", "error"))
        case "exit" | "quit" if not rest:
            return ScriptedWork(0, Leave(0, "Goodbye.", "idle"))
    return ScriptedWork(busy, answer_to(text))


def answer_to(text: str) -> Say:
    lines = text.count("\n") + 1
    size = f"{len(text)} character{'s' * (len(text) != 1)}" + (f" in {lines} lines" if lines > 1 else "")
    return Say(f"Done: {headline(text)}\nThe message had {size}.", message=headline(text))


def question(text: str) -> DemoMenu:
    asked = text or "Which colour should the button have?"
    options = (
        DemoOption("Red"),
        DemoOption("Green"),
        DemoOption("Blue"),
        DemoOption("Type something.", Field.REQUIRED),
    )
    return DemoMenu(MenuKind.QUESTION, "Question", asked, options)


def permission(text: str) -> DemoMenu:
    options = (DemoOption("Yes"), DemoOption("Yes, and don't ask again"), DemoOption("No, and say why", Field.OPTIONAL))
    return DemoMenu(
        MenuKind.PERMISSION, "Permission to run a command", "Do you want to proceed?", options, text or "rm -r build"
    )


def several(text: str) -> DemoMenu:
    options = (DemoOption("Unit tests"), DemoOption("Types"), DemoOption("Style"), DemoOption("Documentation"))
    first, _, more = text.partition(";")
    return DemoMenu(MenuKind.MULTI, "Question", first.strip() or "What should be checked?", options, more=more.strip())


def after(menu: DemoMenu, answer: Chosen, busy: float) -> ScriptedWork:
    """What an answered menu sets off."""
    if not answer.numbers:
        return ScriptedWork(0, Say("Cancelled. What should I do instead?", "idle", "cancelled"))
    chosen = ", ".join(answer.labels)
    if menu.kind is MenuKind.PERMISSION and answer.numbers == (3,):
        why = f": {answer.text}" if answer.text else "."
        return ScriptedWork(busy / 3, Say(f"Not run{why}", "idle", "permission refused"))
    if menu.kind is MenuKind.PERMISSION:
        return ScriptedWork(busy, Say(f"Ran {menu.detail}", message=f"ran {headline(menu.detail)}"))
    chosen = "; ".join(filter(None, (menu.chosen, answer.text or chosen)))
    if menu.more:
        return ScriptedWork(busy / 3, Ask(replace(several(menu.more), chosen=chosen)))
    return ScriptedWork(busy, Say(f"You chose {chosen}", message=f"chose {headline(chosen)}"))


def marker(signal: str, message: str) -> str:
    return f"--<[paneward:{signal}:{message}]>--"


def headline(text: str) -> str:
    """The first words of a text, short enough to stand on one row with a marker around it."""
    line = " ".join(text.split())
    return line if len(line) <= 32 else line[:31] + "…"


def duration(text: str, otherwise: float) -> float:
    found = re.match(r"\d+(?:\.\d+)?", text)
    return min(3600.0, float(found[0])) if found else otherwise
