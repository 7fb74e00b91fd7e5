"""A text by a program's own API: under the conditions of typing, typed where it is not taken, never sent twice."""

import re
from collections.abc import Sequence
from dataclasses import replace

from paneward.core.delivery.by_api import post
from paneward.core.delivery.deliver import Order
from paneward.core.delivery.preflight import Draft, Terms, WhenBusy
from paneward.core.errors import Code, TmuxError, TmuxTimeout
from paneward.core.profiles import DEMO
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Effect, Paste, Phase, Post, Press, SavePhase
from paneward.core.terminal.scene import Scene
from paneward.testing import acts, scene

RULE = "─" * 40
BUSY = scene(f"✻ esc to interrupt\n{RULE}\n❯\u00a0‸\n{RULE}", quiet=0.1)


def box(text: str) -> Scene:
    return scene(f"hello\n{RULE}\n❯\u00a0{text}‸\n{RULE}\n")


def order(busy: WhenBusy = WhenBusy.WAIT, draft: Draft = Draft.HOLD) -> Order:
    return Order("exit", Terms(DEMO, re.compile(DEMO.prompt), busy, draft, timeout=2.0, draft_hold=1.0))


def played(wanted: Order, scenes: Sequence[Scene], fails: TmuxError | None = None) -> tuple[list[Effect], SendResult]:
    """Play a flow whose post fails as told; what is typed or pressed brings the next scene."""
    flow, asked, rest, now = post(wanted), [], list(scenes), 0.0
    try:
        effect = next(flow)
        while True:
            asked.append(effect)
            now += 0.05
            if isinstance(effect, Post) and fails is not None:
                effect = flow.throw(fails)
                continue
            if len(rest) > 1 and isinstance(effect, Paste | Press):
                rest.pop(0)
            effect = flow.send(replace(rest[0], now=now, output_seq=len(asked)))
    except StopIteration as done:
        return asked, done.value


def test_a_text_is_posted_as_it_is_and_the_receipt_says_by_what() -> None:
    asked, result = played(order(), [box("")])
    assert acts(asked) == [Post("exit")]
    assert (result.verdict, result.rung) == (Verdict.CONFIRMED, Rung.ACCEPTED)
    assert "API" in result.evidence


def test_it_is_known_to_be_on_its_way_before_it_is_posted() -> None:
    asked, _ = played(order(), [box("")])
    assert [effect for effect in asked if isinstance(effect, SavePhase | Post)][-2:] == [
        SavePhase(Phase.TYPED),
        Post("exit"),
    ]


def test_nothing_is_posted_while_a_draft_stands_there() -> None:
    asked, result = played(order(draft=Draft.REFUSE), [box("my own")])
    assert (acts(asked), result.error_type) == ([], Code.OPERATOR_DRAFT)


def test_what_the_api_does_not_take_is_typed() -> None:
    asked, result = played(order(), [box(""), box("exit"), box("")], TmuxError("no such session"))
    assert acts(asked) == [Post("exit"), Paste("exit"), Press(("Enter",))]
    assert result.success
    assert result.notes == ("no such session; it was typed instead",)


def test_what_the_api_may_have_taken_is_not_sent_again() -> None:
    asked, result = played(order(), [box("")], TmuxTimeout("no answer"))
    assert acts(asked) == [Post("exit")]
    assert (result.verdict, result.evidence) == (Verdict.UNCONFIRMED, "no answer")


def test_a_text_that_waits_its_turn_is_posted_too() -> None:
    asked, result = played(order(WhenBusy.QUEUE), [BUSY])
    assert acts(asked) == [Post("exit")]
    assert result.success


def test_work_that_is_to_be_stopped_first_is_stopped_in_the_pane() -> None:
    asked, result = played(order(WhenBusy.INTERRUPT), [BUSY, box(""), box("exit"), box("")])
    assert Post("exit") not in asked
    assert Press(("Escape",)) in asked
    assert result.success
