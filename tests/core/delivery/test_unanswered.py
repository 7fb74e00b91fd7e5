"""tmux did not answer."""

from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.preflight import Terms
from paneward.core.delivery.unanswered import TRIES, answered
from paneward.core.errors import PaneNotFound, TmuxError, TmuxTimeout, Unanswered
from paneward.core.profiles import GENERIC
from paneward.core.readiness.rules import compile_prompt
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Effect, Look, Press, Rest, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import scene

ORDER = Order("fix it", Terms(GENERIC, compile_prompt("> $")))


def answers(*errors: TmuxError) -> tuple[list[Effect], Scene | None]:
    """What the flow asked for while its first looks failed with these."""
    flow, asked, rest = answered(), [], list(errors)
    try:
        effect = next(flow)
        while True:
            asked.append(effect)
            effect = flow.throw(rest.pop(0)) if rest else flow.send(scene("> ‸"))
    except StopIteration as done:
        return asked, done.value


def test_the_pane_is_looked_at_until_tmux_answers_and_has_done_what_it_was_handed() -> None:
    asked, seen = answers(TmuxTimeout("late"), TmuxTimeout("late"))
    assert [type(effect) for effect in asked] == [Look, Look, Look, Rest]
    assert seen is not None


def test_at_some_time_nobody_waits_any_more() -> None:
    assert answers(*[TmuxTimeout("late")] * TRIES)[1] is None
    assert answers(PaneNotFound("gone"))[1] is None


def delivered(fails: type, after: str) -> SendResult:
    """A text of which one act is not answered; the pane shows `after` since."""
    flow, screen, now = deliver(ORDER), "> ‸", 0.0
    try:
        effect = next(flow)
        while True:
            now += 0.05
            if isinstance(effect, fails):
                screen, fails = after, type(None)
                effect = flow.throw(Unanswered("late"))
                continue
            if isinstance(effect, Type):
                screen = "> fix it‸"
            elif isinstance(effect, Press):
                screen = "fix it\n> ‸"
            from_now = scene(screen, quiet=1.0)
            effect = flow.send(Scene(from_now.snapshot, from_now.process, now, int(now * 100), 1.0))
    except StopIteration as done:
        result: SendResult = done.value
        return result


def test_a_text_that_went_in_after_all_is_submitted_and_not_typed_again() -> None:
    result = delivered(Type, "> fix it‸")
    assert (result.verdict, result.enters) == (Verdict.CONFIRMED, 1)


def test_a_text_that_is_nowhere_is_unknown() -> None:
    result = delivered(Type, "> ‸")
    assert (result.verdict, result.rung, result.enters) == (Verdict.UNCONFIRMED, Rung.TYPED, 0)


def test_a_submit_that_went_in_after_all_is_confirmed() -> None:
    assert delivered(Press, "fix it\n> ‸").verdict is Verdict.CONFIRMED
