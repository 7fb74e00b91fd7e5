"""A program is given the time that it takes: a text settles, a key is taken before the next one."""

from dataclasses import replace

from paneward.core.delivery.deliver import deliver
from paneward.core.errors import Code
from paneward.core.terminal.flow import Look, Type, Watch
from paneward.testing import WORKING, acts, play, scene
from tests.core.delivery.test_deliver import ENTER, QUICK, order


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
