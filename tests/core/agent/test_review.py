"""What a look shows is held against our last words and against the record of the agent."""

import pytest

from paneward.core.agent.record import Agent, Stage
from paneward.core.agent.review import after_words, by_record, told_standing
from paneward.core.profiles import DEMO
from paneward.core.readiness.pending import REST, Pending, SentWords
from paneward.core.readiness.rules import Assessment, Tried
from paneward.core.result import Menu, ReadyVerdict
from paneward.core.state.claims import AgentState, Source, Standing
from paneward.core.terminal.scene import Scene, Snapshot

READY = Assessment(ReadyVerdict.READY, "composer", "the composer", (Tried("composer", "the composer", True),))
BUSY = Assessment(None, "busy_mark", "esc to interrupt", working=True)
ASKS = Assessment(ReadyVerdict.AWAITING_ANSWER, "menu", "a menu", question="Which?")
AWAY = Assessment(None, "not_reading", "it is not reading", working=True)
UNREAD = Assessment(None, "input_unread", "3 bytes", working=True)
IDLE = Standing(AgentState.IDLE, Source.SCREEN, "the composer", 0.0)
QUESTION = Menu("Which database?", (), None, None, False, "")


def scene(now: float) -> Scene:
    return Scene(Snapshot("%1", ("❯",), 40, 20, 2, 0), now=now)


def reviewed(*looks: tuple[float, Assessment]) -> Assessment:
    pending = Pending(SentWords(10.0))
    return [after_words(found, pending, scene(now), DEMO) for now, found in looks][-1]


def test_right_after_our_words_nobody_is_ready_who_only_looks_so() -> None:
    found = reviewed((10.1, READY))
    assert (found.verdict, found.rule, found.working) == (None, "delivered", False)
    assert [one.rule for one in found.tried if one.decided] == ["delivered"]


@pytest.mark.parametrize("found", [BUSY, ASKS])
def test_what_it_shows_otherwise_is_what_it_is(found: Assessment) -> None:
    assert reviewed((10.1, found)) == found


def test_who_was_at_work_since_is_ready() -> None:
    found = reviewed((10.1, BUSY), (10.2, READY))
    assert (found.verdict, found.rule, found.evidence) == (READY.verdict, READY.rule, READY.evidence)
    assert found.tried[-1].rule == "worked"


@pytest.mark.parametrize("moment", [AWAY, UNREAD, ASKS])
def test_taking_the_text_is_no_work(moment: Assessment) -> None:
    assert reviewed((10.1, moment), (10.2, READY)).verdict is None


def test_what_rests_on_time_alone_says_so() -> None:
    found = reviewed((10 + REST, READY))
    assert (found.verdict, found.rule) == (ReadyVerdict.READY, "unseen")
    assert found.evidence.startswith("the composer; no sign of work")


@pytest.mark.parametrize(
    ("stage", "verdict", "rule", "working"),
    [
        (Stage.IDLE, ReadyVerdict.READY, "composer", False),
        (Stage.COMPLETE, ReadyVerdict.READY, "composer", False),
        (Stage.COMMANDED, None, "record", False),
        (Stage.PROCESSING, None, "record", True),
        (Stage.AWAITING_INPUT, ReadyVerdict.AWAITING_ANSWER, "record", False),
    ],
)
def test_the_record_of_an_agent_that_is_followed_decides(
    stage: Stage, verdict: ReadyVerdict | None, rule: str, working: bool
) -> None:
    found = by_record(READY, Agent("it", stage=stage, reason="so it said", question=QUESTION), IDLE)
    assert found is not None
    assert (found.verdict, found.rule, found.working) == (verdict, rule, working)
    assert found.question == ("Which database?" if stage is Stage.AWAITING_INPUT else None)
    assert by_record(BUSY, Agent("it", stage=stage), IDLE) == BUSY


@pytest.mark.parametrize(
    ("agent", "standing"),
    [
        (Agent("it", gone="its pane closed"), IDLE),
        (Agent("it"), None),
        (Agent("it"), Standing(AgentState.UNKNOWN, Source.NONE, "nothing known", 0.0)),
    ],
)
def test_a_record_that_cannot_tell_does_not(agent: Agent, standing: Standing | None) -> None:
    assert by_record(READY, agent, standing) is None


def test_what_only_looks_idle_is_explained_as_what_it_is() -> None:
    commanded = told_standing(IDLE, reviewed((10.1, READY)))
    assert (commanded.state, commanded.source, commanded.stage) == (AgentState.BUSY, Source.DELIVERY, "COMMANDED")
    asked = by_record(READY, Agent("it", stage=Stage.AWAITING_INPUT, question=QUESTION), IDLE)
    assert asked is not None
    asking = told_standing(IDLE, asked)
    assert (asking.state, asking.question) == (AgentState.AWAITING_QUESTION, "Which database?")
    assert told_standing(IDLE, READY) == IDLE
    assert told_standing(IDLE, Assessment(None, "prompt", "in mid-output")) == IDLE
