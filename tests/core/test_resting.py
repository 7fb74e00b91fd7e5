"""A program is given the time that it takes: a text settles, a key is taken before the next one."""

from dataclasses import replace

from paneward.core.delivery import deliver
from paneward.core.errors import Code
from paneward.core.flow import Look, Paste, Press, Type, Watch
from paneward.core.preflight import WhenBusy
from paneward.core.profiles import DEMO
from paneward.testing import READING, WORKING, acts, play, scene
from tests.core.test_delivery import ENTER, QUICK, RULE, box, order


def test_what_somebody_types_while_the_text_settles_is_never_submitted_with_it() -> None:
    slow = order(profile=replace(QUICK, settle=0.2))
    asked, result = play(deliver(slow), [scene("> ‸"), scene("> fix it‸"), scene("> fix it oh‸")])
    assert (result.error_type, acts(asked)) == (Code.OPERATOR_DRAFT, [Type("fix it")])


def test_submit_waits_for_a_program_that_settles_to_come_to_rest() -> None:
    """One that computes has not noticed yet that the paste is over: it would take Enter for a part of it."""
    slow = order(profile=replace(QUICK, settle=0.2, reads=False))
    busy = [scene("> fix it‸", WORKING)] * 12
    asked, result = play(deliver(slow), [scene("> ‸"), *busy, scene("> fix it‸"), scene("> ‸")])
    assert len([effect for effect in asked[: asked.index(ENTER)] if isinstance(effect, Look | Watch)]) > len(busy)
    assert (acts(asked), result.success) == ([Type("fix it"), ENTER], True)


def test_submit_does_not_wait_for_ever_for_a_program_that_never_rests() -> None:
    slow = order(profile=replace(QUICK, settle=0.2, reads=False))
    asked, _ = play(deliver(slow), [scene("> ‸"), scene("> fix it‸", WORKING)])
    assert ENTER in acts(asked)


def test_of_several_keys_that_interrupt_each_is_taken_before_the_next_is_pressed() -> None:
    twice = replace(DEMO, interrupt=("Escape", "Escape"))
    busy = scene(f"✻ esc to interrupt\n{RULE}\n❯\u00a0‸\n{RULE}", quiet=0.1)
    deaf = replace(busy, process=replace(READING, unread=1))
    scenes = [busy, deaf, deaf, deaf, busy, box(""), box(""), box("fix it"), box("")]
    asked, result = play(deliver(order(profile=twice, when_busy=WhenBusy.INTERRUPT)), scenes)
    first, second = [at for at, effect in enumerate(asked) if effect == Press(("Escape",))]
    assert sum(isinstance(effect, Watch) for effect in asked[first:second]) == 3
    assert result.success


def test_an_interrupt_stops_the_work_first() -> None:
    busy = scene(f"✻ esc to interrupt\n{RULE}\n❯\u00a0‸\n{RULE}", quiet=0.1)
    scenes = [busy, box(""), box(""), box("fix it"), box("")]
    asked, result = play(deliver(order(profile=DEMO, when_busy=WhenBusy.INTERRUPT)), scenes)
    assert acts(asked) == [Press(("Escape",)), Paste("fix it"), ENTER]
    assert result.success
