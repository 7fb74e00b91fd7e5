"""Work is stopped by keys that had their effect: each is pressed when the one before was taken."""

from dataclasses import replace

from paneward.core.delivery.deliver import deliver
from paneward.core.delivery.interrupt import ROUNDS
from paneward.core.delivery.preflight import WhenBusy
from paneward.core.errors import Code
from paneward.core.profiles import DEMO, Profile
from paneward.core.profiles.row import Mark, Where
from paneward.core.result import SendResult
from paneward.core.terminal.flow import Effect, Paste, Press, Watch
from paneward.core.terminal.scene import Scene
from paneward.testing import READING, acts, play, scene
from tests.core.delivery.test_deliver import ENTER, RULE, box, order

ESCAPE = Press(("Escape",))
TWICE = replace(DEMO, interrupt=("Escape", "Escape"), busy=(Mark(Where.ABOVE, r"esc (?:again )?to interrupt"),))


def working(words: str = "esc to interrupt") -> Scene:
    return scene(f"✻ {words}\n{RULE}\n❯\u00a0‸\n{RULE}", quiet=0.1)


SENT = [box(""), box(""), box("fix it"), box("")]


def sent(profile: Profile, scenes: list[Scene], timeout: float = 30.0) -> tuple[list[Effect], SendResult]:
    return play(deliver(order(profile=profile, when_busy=WhenBusy.INTERRUPT, timeout=timeout)), scenes)


def test_an_interrupt_stops_the_work_first() -> None:
    asked, result = sent(DEMO, [working(), *SENT])
    assert acts(asked) == [ESCAPE, Paste("fix it"), ENTER]
    assert result.success


def test_a_key_is_taken_before_anything_is_made_of_it() -> None:
    deaf = replace(working(), process=replace(READING, unread=1))
    asked, result = sent(TWICE, [working(), deaf, deaf, deaf, working("esc again to interrupt"), *SENT])
    first, second = [at for at, effect in enumerate(asked) if effect == ESCAPE]
    assert sum(isinstance(effect, Watch) for effect in asked[first:second]) == 3
    assert result.success


def test_a_key_that_is_wanted_twice_is_pressed_again_when_the_program_says_so() -> None:
    """OpenCode, slow, would else take both for one."""
    late = [working()] * 20
    asked, result = sent(TWICE, [working(), *late, working("esc again to interrupt"), *SENT])
    first, second = [at for at, effect in enumerate(asked) if effect == ESCAPE]
    assert sum(isinstance(effect, Watch) for effect in asked[first:second]) == len(late)
    assert acts(asked) == [ESCAPE, ESCAPE, Paste("fix it"), ENTER]
    assert result.success


def test_escape_is_pressed_again_where_it_had_no_effect() -> None:
    asked, result = sent(DEMO, [working()] * 250 + SENT)
    presses = acts(asked).count(ESCAPE)
    assert 1 < presses <= ROUNDS
    assert result.success


def test_work_that_no_key_stops_is_said_to_go_on() -> None:
    asked, result = sent(TWICE, [working()])
    assert acts(asked) == [ESCAPE] * 2 * ROUNDS
    assert (result.success, result.error_type) == (False, Code.NOT_READY)


def test_a_key_that_ends_programs_is_pressed_once() -> None:
    asked, result = sent(replace(DEMO, interrupt=("C-c",)), [working()])
    assert acts(asked) == [Press(("C-c",))]
    assert (result.success, result.error_type) == (False, Code.NOT_READY)


def test_no_key_is_pressed_after_the_time_that_was_given() -> None:
    asked, result = sent(TWICE, [working()], timeout=1.0)
    assert acts(asked) == [ESCAPE]
    assert not result.success
