"""Answering agents in real panes.

The scenarios of "Respond via tmux Bridge" have tests under their own names; the route is tested with the other routes.
"""

import pytest

from paneward.core.agent.record import Actor, Agent, Answer, Intent, Stage
from paneward.core.errors import Code
from paneward.core.result import Rung, Verdict
from tests.live.conftest import Ground
from tests.live.serving import Scene, played, refusal

# --- Requirement: Respond via tmux Bridge


def test_successful_response_delivery(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        asked = await one.asked()
        assert asked.question is not None
        with one.server.bus.subscribe() as news:
            sent = await one.agents.respond("worker", Answer(text="a colour of my own"))
            heard = [event for event in await anext(news) if event.kind == "state_changed"]
            while not heard:
                heard = [event for event in await anext(news) if event.kind == "state_changed"]
        assert (sent.result.verdict, sent.agent.stage, sent.result.latency_ms > 0) == ("confirmed", "PROCESSING", True)
        assert sent.turn is not None
        assert (sent.turn.actor, sent.turn.intent, sent.turn.answers) == (Actor.USER, Intent.ANSWER, asked.asked)
        change = heard[0].data
        assert (change["old_state"], change["new_state"]) == ("AWAITING_INPUT", "PROCESSING")
        assert (change["turn_id"], change["agent_id"], bool(change["reason"])) == (sent.turn.id, "worker", True)
        await one.until(Stage.COMPLETE)
        assert [event["text"] for event in play.named("answer")] == ["a colour of my own"]

    played(ground, work)


def test_other_mode_response_delivery(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked()
        sent = await one.agents.respond("worker", Answer("other", "mauve, with dots"))
        assert (sent.result.verdict, sent.result.rung) == (Verdict.CONFIRMED, Rung.SUBMITTED)
        await one.until(Stage.COMPLETE)
        [answer] = play.named("answer")
        assert (answer["numbers"], answer["text"]) == ([4], "mauve, with dots")
        assert (Actor.USER, Intent.ANSWER, "mauve, with dots") in await one.spoken()

    played(ground, work)


def test_agent_has_no_pane_id(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.store.adopt(Agent("ghost", stage=Stage.AWAITING_INPUT))

    async def again(one: Scene) -> None:
        assert await refusal(one.agents.respond("ghost", Answer("select"))) is Code.NO_PANE_ID
        assert await refusal(one.agents.send("ghost", "hello")) is Code.NO_PANE_ID
        assert one.agents.get("ghost").pane is None

    played(ground, work)
    played(ground, again)


def test_api_contract_preserved(ground: Ground) -> None:
    """What the route answers with comes from here: the agent, its new state, how long it took."""

    async def work(one: Scene) -> None:
        await one.adopt()
        await one.asked()
        sent = await one.agents.respond("worker", Answer("select", option_index=0))
        assert (sent.agent.id, sent.agent.stage) == ("worker", "PROCESSING")
        assert sent.result.latency_ms > 0
        assert sent.delivery_id is not None

    played(ground, work)


# --- the ways to answer


@pytest.mark.parametrize(
    ("command", "answer", "logged", "said"),
    [
        ("ask which", Answer("select", option_index=1), [2], "Green"),
        ("ask which", Answer("select", option_label="blue"), [3], "blue"),
        ("permit rm -r build", Answer("select", option_index=0), [1], "Yes"),
        ("permit rm -r build", Answer("select", "not that", option_index=2), [3], "No, and say why: not that"),
        ("multi what", Answer("multi_select", answers=((0, "Style"),)), [1, 3], "Unit tests, Style"),
    ],
)
def test_an_answer_by_index_label_or_several(
    ground: Ground, command: str, answer: Answer, logged: list[int], said: str
) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked(command)
        sent = await one.agents.respond("worker", answer)
        assert sent.result.success, sent.result
        await one.until(Stage.COMPLETE)
        assert [event["numbers"] for event in play.named("answer")] == [logged]
        assert [text for _, intent, text in await one.spoken() if intent is Intent.ANSWER] == [said]

    played(ground, work)


def test_several_questions_are_answered_by_one_list_each(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked("multi what to check; what to skip")
        sent = await one.agents.respond("worker", Answer("multi_select", answers=((0, 2), ("Documentation",))))
        assert sent.result.success, sent.result
        await one.until(Stage.COMPLETE)
        assert [event["numbers"] for event in play.named("answer")] == [[1, 3], [4]]
        said = [(intent, text) for _, intent, text in await one.spoken()]
        assert said[1:5] == [
            (Intent.QUESTION, "what to check"),
            (Intent.ANSWER, "Unit tests, Style"),
            (Intent.QUESTION, "what to skip"),
            (Intent.ANSWER, "Documentation"),
        ]

    played(ground, work)


def test_who_may_not_be_answered_is_told_in_this_order(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        assert await refusal(one.agents.respond("nobody", Answer("select"))) is Code.AGENT_NOT_FOUND
        await one.adopt()
        assert await refusal(one.agents.respond("worker", Answer("select"))) is Code.WRONG_STATE
        await one.asked()
        assert await refusal(one.agents.respond("worker", Answer("select"))) is Code.INVALID_ANSWER
        for answer, code in [
            (Answer("select", option_index=0, fingerprint="another"), Code.STALE_DIALOG),
            (Answer("select", option_index=9), Code.UNKNOWN_OPTION),
            (Answer("multi_select", answers=((0,),)), Code.UNKNOWN_OPTION),
        ]:
            sent = await one.agents.respond("worker", answer)
            assert (sent.result.error_type, sent.turn, sent.agent.stage) == (code, None, Stage.AWAITING_INPUT)
        assert [intent for _, intent, _ in await one.spoken()] == [Intent.COMMAND, Intent.QUESTION]

    played(ground, work)


def test_a_dialog_without_a_free_text_option_takes_no_words(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt()
        await one.asked("multi what")
        sent = await one.agents.respond("worker", Answer(text="whatever you like"))
        assert (sent.result.error_type, sent.turn) == (Code.NO_FREE_TEXT, None)

    played(ground, work)


def test_an_answer_with_a_message_id_is_given_once(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked()
        first = await one.agents.respond("worker", Answer("select", option_index=0), "m-1")
        again = await one.agents.respond("worker", Answer("select", option_index=0), "m-1")
        assert (first.result.repeated, again.result.repeated) == (False, True)
        assert first.turn is not None
        assert again.turn is not None
        assert (again.turn.id, again.delivery_id) == (first.turn.id, first.delivery_id)
        await one.until(Stage.COMPLETE)
        assert len(play.named("answer")) == 1

    played(ground, work)


def test_an_operator_who_answers_in_the_pane_is_a_turn_too(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked()
        one.ground.server.run("send-keys", "-t", play.pane, "Enter")
        await one.until(Stage.COMPLETE)
        turns = [(turn.actor, turn.intent, turn.source) for turn in reversed(await one.store.turns("worker"))]
        assert turns[2][:2] == (Actor.USER, Intent.ANSWER)
        assert turns[2][2] != "delivery"

    played(ground, work)
