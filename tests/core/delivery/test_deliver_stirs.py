"""A screen that moves between the judgement and the typing, played on drawn scenes."""

from paneward.core.delivery.deliver import deliver
from paneward.core.result import SendResult
from paneward.core.terminal.flow import Effect, Look, Press, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import acts, play, scene
from tests.core.delivery.test_deliver import order

ENTER = Press(("Enter",))
EMPTY, TYPED = scene("> ‸"), scene("> fix it‸")


def played(stirs: int, *scenes: Scene) -> tuple[list[Effect], SendResult]:
    return play(deliver(order()), scenes, stirs=stirs)


def test_a_screen_that_moves_right_before_typing_is_judged_again() -> None:
    asked, result = played(2, EMPTY, EMPTY, EMPTY, TYPED, EMPTY)
    assert result.success
    assert acts(asked) == [Type("fix it")] * 3 + [ENTER]
    assert sum(isinstance(effect, Look) for effect in asked) == 3  # before each attempt


def test_a_screen_that_never_stands_still_is_typed_into_all_the_same() -> None:
    asked, result = played(99, *[EMPTY] * 4, TYPED, EMPTY)
    assert result.success
    seen = [effect.seen for effect in asked if isinstance(effect, Type)]
    assert seen[-1] is None
    assert None not in seen[:-1]
