"""Prompts that take one key."""

from dataclasses import replace
from typing import Any

import pytest

from paneward.core.delivery.one_key import Prompt, Reaction, prompt_for_keys, reaction, refused, taken
from paneward.core.dialog.choice import one_way
from paneward.core.errors import Code
from paneward.core.profiles import CLAUDE, GENERIC
from paneward.core.result import Verdict
from paneward.core.terminal.scene import ProcessFacts, Scene
from paneward.testing import LINES, READING, WORKING, play, scene

ECHOING = replace(READING, echo=True)
ASKED = scene("Overwrite? [y/N] ‸")


def prompt(drawing: str, process: ProcessFacts | None = READING) -> Prompt | None:
    return prompt_for_keys(scene(drawing, process), GENERIC)


def test_a_prompt_for_keys_asks_on_a_terminal_that_collects_no_lines() -> None:
    assert prompt("Overwrite? [y/N] ‸") == Prompt("Overwrite? [y/N]", sure=False, offered=frozenset("yn"))
    assert prompt("Overwrite? [y/N] ‸", None) is not None  # it cannot be seen: be careful
    assert prompt("Overwrite? [y/N] ‸", LINES) is None
    assert prompt("> ‸") is None
    assert prompt_for_keys(ASKED, CLAUDE) is None


@pytest.mark.parametrize(
    ("drawing", "process"),
    [
        ("Overwrite? [y/N] ‸", ECHOING),
        ("Press any key to continue ‸", READING),
        (":‸", READING),
        ("/tmp/file‸", replace(READING, command="less")),
    ],
)
def test_no_line_editor_reads_there(drawing: str, process: ProcessFacts) -> None:
    found = prompt(drawing, process)
    assert found is not None
    assert found.sure


@pytest.mark.parametrize(
    ("asked", "letters"),
    [
        ("Stage this hunk [y,n,q,a,d,e,?]? ‸", "ynqade?"),
        ("Go on? (yes/no) ‸", "yn"),
        ("Go on y/n? ‸", "yn"),
        ("Name [bob]: ‸", ""),
        ("Name: ‸", ""),
    ],
)
def test_the_letters_that_are_offered(asked: str, letters: str) -> None:
    found = prompt(asked)
    assert found is not None
    assert found.offered == frozenset(letters)


def test_what_cannot_be_typed_there() -> None:
    maybe, sure = Prompt("Go on?", sure=False, offered=frozenset("yn")), Prompt("Go on?", sure=True)
    assert [refused(maybe, text) for text in ("y", "x", "yes")] == [None, None, None]
    assert refused(None, "yes") is None
    for one, text in ((maybe, "please"), (sure, "yes"), (Prompt(":", sure=True, pages=True), "q")):
        refusal = refused(one, text)
        assert refusal is not None
        assert refusal.code is Code.BLOCKED_BY_DIALOG


def reacted(*scenes: Scene, sure: bool = False, before: Scene = ASKED) -> Reaction:
    return play(reaction(before, "y", GENERIC, sure), [before, *scenes])[1][0]


@pytest.mark.parametrize(
    ("after", "facts", "sure", "expected"),
    [
        ("Overwrite? [y/N] y‸", {}, False, Reaction.STANDS),
        ("Overwrite? [y/N] y‸", {"process": None}, False, Reaction.STANDS),
        ("Overwrite? [y/N] y‸", {"quiet": 9.0}, True, Reaction.STANDS),
        ("Overwrite? y‸", {}, False, Reaction.STANDS),  # the default went away
        ("Overwrite? [y/N] y\nDelete all, really? ‸", {}, False, Reaction.TAKEN),
        ("Overwrite? [y/N] y\nDelete ALL, really‸", {}, False, Reaction.TAKEN),  # it ends with our letter
        ("Overwrite? [y/N] y\n‸", {}, False, Reaction.TAKEN),
        ("Overwrite? [y/N] y\nOverwrite? [y/N] ‸", {}, False, Reaction.TAKEN),
        ("Overwrite? [y/N] ‸", {"process": WORKING}, False, Reaction.TAKEN),
        ("Overwrite? [y/N] ‸", {"process": replace(READING, pid=99)}, False, Reaction.TAKEN),
        ("Overwrite? [y/N] ‸", {"quiet": 9.0}, False, Reaction.IGNORED),
        ("Overwrite? [y/N] *‸", {"quiet": 9.0}, False, Reaction.IGNORED),  # an editor that hides what it got
        ("Overwrite? [y/N] ‸", {"process": replace(READING, unread=1)}, False, Reaction.IGNORED),
        ("‸", {"dead": True}, False, Reaction.ENDED),
        ("‸", {"gone": True}, False, Reaction.ENDED),
    ],
)
def test_what_came_of_a_key(after: str, facts: dict[str, Any], sure: bool, expected: Reaction) -> None:
    assert reacted(scene(after, **facts), sure=sure) is expected


def test_a_key_that_was_echoed_is_not_a_line_while_the_program_works() -> None:
    echoed = scene("Overwrite? [y/N] y‸", WORKING, quiet=0.1)
    assert reacted(echoed, echoed, scene("Overwrite? [y/N] y\nDelete all? ‸")) is Reaction.TAKEN


def test_the_receipt_says_what_was_typed() -> None:
    asked = Prompt("Overwrite? [y/N]", sure=True)
    assert taken(asked, Reaction.TAKEN, "y", "").verdict is Verdict.CONFIRMED
    assert taken(asked, Reaction.TAKEN, "y", "es").error_type is Code.NOT_TAKEN_AS_TEXT
    for other in (Reaction.STANDS, Reaction.IGNORED, Reaction.ENDED):
        assert taken(asked, other, "y", "").verdict is Verdict.UNCONFIRMED


def test_an_answer_is_given_in_one_way() -> None:
    assert one_way("a", None, None, None, None)
    assert one_way(None, None, None, None, "y")
    assert one_way(None, 1, "a", None, None)
    assert one_way(None, None, "a", None, None)
    assert not one_way(None, None, None, None, None)
    assert not one_way("a", None, None, None, "y")
    assert not one_way("a", None, "b", None, None)
    assert not one_way(None, None, "b", None, "y")
