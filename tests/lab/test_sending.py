"""Texts of every kind, sent to every real agent, and judged by what arrives at its model.

One agent is started for all of it, since a start costs more than everything that follows.
"""

import asyncio
import re
import time
import urllib.request
from collections.abc import Awaitable, Callable

import pytest

import paneward
from paneward.app import Connection
from paneward.core.errors import Code
from paneward.core.profiles import BUILT_IN
from paneward.core.result import Rung
from paneward.core.state.claims import AgentState
from tests.adapters.conftest import until
from tests.lab.agents import LabAgent, newest
from tests.lab.conftest import StartAgent
from tests.lab.moves import MOVES, WAIT_FOR_FILE
from tests.lab.recipes import pins
from tests.lab.replies import Hold, Reply
from tests.lab.sending import ARRIVES, BY_PASTE, GUARDED, TEXTS, expected, leave_dialog, send
from tests.live.human import Human

pytestmark = pytest.mark.real
Scene = Callable[[LabAgent, Connection], Awaitable[None]]
STARTS = 3  # of an agent that fails by its own fault
SWALLOWED = re.compile(r"Exception ignored in: .*\bKeyboardInterrupt:", re.DOTALL)  # aider, once in some twenty times
REFUSES = 3.0  # seconds in which a text that must not be typed has to be refused


@pytest.mark.parametrize(("agent", "version"), pins())
def test_every_text_arrives_as_text_and_nothing_is_typed_where_it_must_not_be(
    agent: str, version: str, start_agent: StartAgent
) -> None:
    async def play(lab: LabAgent) -> None:
        async with paneward.connect(lab.server.name, state=lab.home / "state") as connection:
            for scene in (every_text, a_dialog, a_draft, a_draft_put_aside, while_busy, steered, interrupted):
                await scene(lab, connection)

    for left in reversed(range(STARTS)):
        lab = start_agent(agent, version, **BY_PASTE.get(agent, {}))
        try:
            asyncio.run(play(lab))
            break
        except AssertionError:
            if not left or not SWALLOWED.search(lab.look().text):
                raise
            print(f"{agent} swallowed its interrupt in a callback of Python, and is started again")


async def every_text(lab: LabAgent, connection: Connection) -> None:
    """Exact, each once, in order; what was added is in the notes, and what cannot be given as text is refused."""
    sent = [await send(lab, connection, text) for text in TEXTS.values()]
    judged = {kind: one.judgement for kind, one in zip(TEXTS, sent, strict=True)}
    wanted = {kind: "exact" if expected(text, lab) is not None else "refused" for kind, text in TEXTS.items()}
    assert judged == wanted, [one for one in sent if one.judgement not in ("exact", "refused")]
    assert lab.model.prompts() == [one.expected for one in sent if one.expected is not None]
    for one in sent:
        if one.expected is None:
            assert (one.result.error_type, one.result.rung) == (Code.NOT_TAKEN_AS_TEXT, Rung.NOTHING)
        else:
            assert one.result.evidence


async def a_dialog(lab: LabAgent, connection: Connection) -> None:
    """Refused, nothing typed, nothing approved, and nothing is left in the box afterwards."""
    moves = MOVES[lab.recipe.name]
    lab.model.script(moves.run(WAIT_FOR_FILE))
    await send(lab, connection, "please run it")
    asked = await asyncio.to_thread(lab.wait_screen, moves.permission.seen)
    before = len(lab.model.arrivals())
    refused = await connection.send_text(lab.pane, "yes please\nand more", timeout=REFUSES)
    assert (refused.error_type, refused.rung) == (Code.BLOCKED_BY_DIALOG, Rung.NOTHING), refused
    assert re.search(moves.permission.seen, lab.look().text), asked.text
    assert len(lab.model.arrivals()) == before
    await asyncio.to_thread(leave_dialog, lab)
    after = await send(lab, connection, "and now something else")  # goes into an empty box only
    assert after.arrived[-1:] == ("and now something else",), after
    assert not list(lab.work.glob("foo.txt"))


async def a_draft(lab: LabAgent, connection: Connection) -> None:
    """What a second client typed stays as it is."""
    assert (await connection.wait_ready(lab.pane, timeout=ARRIVES)).is_ready
    human = Human(lab.server, lab.pane, width=100, height=35)
    try:
        human.type("words of my own")
        for how in ("refuse", "hold"):
            held = await connection.send_text(lab.pane, "not now", draft=how, timeout=REFUSES)
            assert (held.error_type, held.rung) == (Code.OPERATOR_DRAFT, Rung.NOTHING), held
        arrived = len(lab.model.prompts())
        human.press(b"\r")
        assert await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > arrived)
        assert lab.model.prompts()[-1] == "words of my own"
    finally:
        human.leave()


async def a_draft_put_aside(lab: LabAgent, connection: Connection) -> None:
    """The text goes first, and the draft stands in the box again as it was."""
    assert (await connection.wait_ready(lab.pane, timeout=ARRIVES)).is_ready
    human = Human(lab.server, lab.pane, width=100, height=35)
    try:
        human.type("half a thought")
        sent = await send(lab, connection, "this comes first", draft="stash")
        if not BUILT_IN[lab.recipe.name].cut:
            assert (sent.result.error_type, sent.result.rung) == (Code.OPERATOR_DRAFT, Rung.NOTHING), sent
            human.press(b"\r")
            assert await asyncio.to_thread(lab.model.wait, lambda: lab.model.prompts()[-1] == "half a thought")
            return
        assert sent.judgement == "exact", sent
        assert not [note for note in sent.result.notes if "draft" in note], sent
        await asyncio.to_thread(lab.wait_screen, "half a thought", still=0.5)  # as a person presses Enter
        arrived = len(lab.model.prompts())
        human.press(b"\r")
        assert await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > arrived)
        assert lab.model.prompts()[-1] == "half a thought"
    finally:
        human.leave()


async def while_busy(lab: LabAgent, connection: Connection) -> None:
    """Refused, or queued behind the work, as the caller wants it."""
    lab.model.script(Reply("It takes a while, but it comes to an end.", hold=Hold.BEFORE))
    await send(lab, connection, "do it slowly")
    await asyncio.to_thread(lab.wait_screen, MOVES[lab.recipe.name].busy)
    refused = await connection.send_text(lab.pane, "are you busy?", when_busy="refuse", timeout=REFUSES)
    assert (refused.error_type, refused.rung) == (Code.NOT_READY, Rung.NOTHING), refused
    queued = await connection.send_text(lab.pane, "then do this", when_busy="queue", timeout=ARRIVES)
    before = len(lab.model.prompts())
    lab.model.release()
    if not BUILT_IN[lab.recipe.name].queue:
        assert (queued.error_type, queued.rung) == (Code.NOT_READY, Rung.NOTHING), queued
        return
    assert queued.success, queued
    assert await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > before)
    assert lab.model.prompts()[before:] == ["then do this"]


async def steered(lab: LabAgent, connection: Connection) -> None:
    """A text joins the work that goes on, in agents that have a way for that; in the others it is refused."""
    assert (await connection.wait_ready(lab.pane, timeout=ARRIVES)).is_ready
    lab.model.script(Reply("This is the first half of it, and this the rest.", hold=Hold.WITHIN))
    await send(lab, connection, "work on it")
    await shows_work(lab, connection)
    before = len(lab.model.prompts())
    sent = await connection.send_text(lab.pane, "and mind this", when_busy="steer", timeout=ARRIVES)
    lab.model.release()
    if not BUILT_IN[lab.recipe.name].steer:
        assert (sent.error_type, sent.rung) == (Code.NOT_READY, Rung.NOTHING), sent
        return
    assert sent.success, sent
    assert await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > before)
    assert lab.model.prompts()[before:] == ["and mind this"]


async def shows_work(lab: LabAgent, connection: Connection) -> None:
    """What the model has begun to say is on the screen a moment later."""
    async with connection.follow(lab.pane) as states:
        async for standing in states:
            if standing.state is AgentState.BUSY:
                return


async def interrupted(lab: LabAgent, connection: Connection) -> None:
    """The work is stopped, and the text comes next."""
    assert (await connection.wait_ready(lab.pane, timeout=ARRIVES)).is_ready
    lab.model.script(Reply("This is never heard to its end, since it is stopped.", hold=Hold.WITHIN))
    await send(lab, connection, "do it for ever")
    assert await asyncio.to_thread(lab.model.wait, lambda: lab.model.holding)
    await shows_work(lab, connection)
    sent = await send(lab, connection, "stop that and do this", when_busy="interrupt")
    assert (sent.judgement, sent.result.enters) == ("exact", 1), sent
    lab.model.release()


def test_opencode_is_given_texts_by_its_own_api_where_it_has_a_port(start_agent: StartAgent) -> None:
    lab = start_agent("opencode", newest("opencode"))

    async def play() -> None:
        async with paneward.connect(lab.server.name, state=lab.home / "state") as connection:
            await by_api(lab, connection)
            await a_dialog(lab, connection)
            await while_busy(lab, connection)

    asyncio.run(play())


async def by_api(lab: LabAgent, connection: Connection) -> None:
    """Exact, whatever it begins or ends with; before the first turn there is no session to give it to."""
    first = await send(lab, connection, "a first one")
    assert (first.judgement, first.result.rung) == ("exact", Rung.SUBMITTED), first
    await asyncio.to_thread(until, lambda: lab.look().title.startswith("OC | "))
    await asyncio.to_thread(until, lambda: answers(lab.api))
    sent = [
        await send(lab, connection, text) for text in (*GUARDED.values(), TEXTS["lines_40"], " blanks at both ends ")
    ]
    assert [one for one in sent if (one.judgement, one.result.rung) != ("exact", Rung.ACCEPTED)] == []
    assert lab.model.prompts() == ["a first one", *(one.text for one in sent)]


def answers(port: int) -> bool:
    """OpenCode answers its first requests late on a loaded machine."""
    began = time.monotonic()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/session", timeout=30) as answer:
        answer.read()
    return time.monotonic() - began < 0.5
