"""A screen that moves between the judgement and the typing, played on drawn scenes."""

from dataclasses import replace

from paneward.core.delivery import deliver
from paneward.core.errors import PaneMoved
from paneward.core.flow import Effect, Look, Press, Type, Watch
from paneward.core.result import SendResult
from paneward.core.scene import Scene
from paneward.testing import acts, scene
from tests.core.test_delivery import order

ENTER = Press(("Enter",))


def played_with_stirs(stirs: int, scenes: list[Scene]) -> tuple[list[Effect], SendResult]:
    """Play a delivery in which the screen moves right before the first `stirs` attempts to type."""
    flow, asked, rest = deliver(order()), [], list(scenes)
    last, now = rest.pop(0), 0.0
    try:
        effect = next(flow)
        while True:
            asked.append(effect)
            if isinstance(effect, Type) and effect.seen is not None and stirs:
                stirs -= 1
                effect = flow.throw(PaneMoved("it moved"))
                continue
            if isinstance(effect, Watch) and rest:
                last = rest.pop(0)
            now += 0.01
            effect = flow.send(replace(last, now=now, output_seq=len(scenes) - len(rest)))
    except StopIteration as done:
        return asked, done.value


def test_a_screen_that_moves_right_before_typing_is_judged_again() -> None:
    asked, result = played_with_stirs(2, [scene("> ‸"), scene("> fix it‸"), scene("> ‸")])
    assert result.success
    assert acts(asked) == [Type("fix it")] * 3 + [ENTER]
    assert sum(isinstance(effect, Look) for effect in asked) == 3  # before each attempt


def test_a_screen_that_never_stands_still_is_typed_into_all_the_same() -> None:
    asked, result = played_with_stirs(99, [scene("> ‸"), scene("> fix it‸"), scene("> ‸")])
    assert result.success
    seen = [effect.seen for effect in asked if isinstance(effect, Type)]
    assert seen[-1] is None
    assert None not in seen[:-1]
