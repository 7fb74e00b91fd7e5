"""When a text that left no trace may be typed again."""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.preflight import Terms
from paneward.core.delivery.retype import GAPS, NOTE, Typings
from paneward.core.errors import Code
from paneward.core.profiles import GENERIC, Profile
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Press, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import LINES, READING, SHELL, acts, play, scene

QUICK = replace(GENERIC, settle=0.0, floor=False)
LOADING = replace(READING, young=True)
ERASE = Press(("BSpace",) * 6)
ENTER = Press(("Enter",))


def terms(profile: Profile = QUICK, timeout: float = 30.0) -> Terms:
    return Terms(profile, re.compile(profile.prompt), timeout=timeout)


def sent(scenes: list[Scene], text: str = "fix it", timeout: float = 30.0) -> tuple[list[object], SendResult]:
    asked, result = play(deliver(Order(text, terms(timeout=timeout))), scenes)
    return list(acts(asked)), result


def looks(drawing: str, seconds: float) -> list[Scene]:
    """Looks that last so long: one every 0.03 seconds."""
    return [scene(drawing, LOADING)] * int(seconds / 0.03)


def test_a_text_that_a_loading_program_dropped_is_typed_again() -> None:
    seen = [*looks("> ‸", GAPS[0] + 0.3), *looks("> fix it‸", GAPS[0] + 0.3), scene("fix it\n> ‸", LOADING)]
    did, result = sent(seen)
    assert did == [Type("fix it"), ERASE, Type("fix it"), ENTER]
    assert (result.verdict, result.notes) == (Verdict.CONFIRMED, (NOTE,))


def test_it_is_typed_again_at_most_twice() -> None:
    did, result = sent([scene("> ‸", LOADING)])
    assert did == [Type("fix it"), ERASE, Type("fix it"), ERASE, Type("fix it")]
    assert (result.error_type, result.rung, result.enters) == (Code.SEND_FAILED, Rung.TYPED, 0)
    assert result.notes == (NOTE, NOTE)


def test_nothing_is_typed_again_after_the_time_is_up() -> None:
    did, _ = sent([scene("> ‸", LOADING)], timeout=GAPS[0] - 1)
    assert did == [Type("fix it")]


@pytest.mark.parametrize("twice", ["> fix itfix it‸", "> fix it\n> fix it‸"])
def test_a_text_that_stands_there_twice_is_not_submitted(twice: str) -> None:
    seen = [*looks("> ‸", GAPS[0] + 0.3), *looks("> fix it‸", 1.0), scene(twice, LOADING)]
    did, result = sent(seen)
    assert ENTER not in did
    assert result.verdict is Verdict.FAILED
    assert "not submitted" in result.evidence


def test_a_text_that_is_drawn_otherwise_the_second_time_is_not_submitted() -> None:
    did, result = sent([*looks("> ‸", GAPS[0] + 0.3), scene("> ******‸", LOADING, quiet=5.0)])
    assert ENTER not in did
    assert result.verdict is Verdict.FAILED


AFTER = scene("> ‸", LOADING)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AFTER, scene("> ‸", replace(LOADING, reading=False))),
        (AFTER, scene("> ‸", replace(LOADING, reading=None))),
        (AFTER, scene("> ‸", replace(LOADING, unread=3))),
        (AFTER, scene("> ‸", replace(LOADING, unread=None))),
        (AFTER, scene("> ‸", replace(LOADING, pid=8))),
        (AFTER, scene("> ‸", READING)),
        (AFTER, scene("> ‸", None)),
        (AFTER, scene("took it\n> ‸", LOADING)),
        (scene("ready‸", LOADING), scene("ready‸", LOADING)),
        (scene("Name: ‸", LOADING), scene("Name: ‸", LOADING)),
        (scene("Password> ‸", LOADING), scene("Password> ‸", LOADING)),
        (scene("$ ‸", replace(SHELL, young=True)), scene("$ ‸", replace(SHELL, young=True))),
        (scene("> ‸", replace(LINES, young=True)), scene("> ‸", replace(LINES, young=True))),
    ],
    ids=[
        "works", "hidden", "unread", "unread hidden", "another program", "loaded", "no process", "screen changed",
        "no prompt", "question", "password", "shell", "line reader",
    ],
)  # fmt: skip
def test_what_may_have_been_taken_is_not_typed_again(before: Scene, after: Scene) -> None:
    typings = Typings("fix it", terms())
    typings.typed(before)
    assert not typings.dropped(after)


@pytest.mark.parametrize("text", ["", " \n", "x" * 401])
def test_what_could_not_be_seen_or_erased_is_not_typed_again(text: str) -> None:
    typings = Typings(text, terms())
    typings.typed(AFTER)
    assert not typings.dropped(AFTER)


def test_an_agent_that_reads_at_all_times_proves_nothing_by_it() -> None:
    typings = Typings("fix it", terms(replace(QUICK, reads=False)))
    typings.typed(AFTER)
    assert not typings.dropped(AFTER)


def test_a_drop_is_seen_where_nothing_speaks_against_it() -> None:
    typings = Typings("fix it", terms())
    assert not typings.dropped(AFTER)
    typings.typed(AFTER)
    assert typings.dropped(AFTER)
