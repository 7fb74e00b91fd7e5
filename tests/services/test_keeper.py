"""Words for an agent over a tmux that is not there: killed at any write and at any key, they go in once.

Time passes only when somebody waits, so nothing follows the agent here: what the task does first is called by hand.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from paneward.config import Settings
from paneward.core.agent.record import Actor, Agent, Answer, Intent, Sent, Stage, Turn, choice_of
from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code, InvalidInput
from paneward.core.profiles import BUILT_IN, GENERIC
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.terminal.scene import Snapshot
from paneward.services.agents.follower import Follower
from paneward.services.agents.keeper import FRESH, Keeper
from paneward.services.agents.plan import Plan, picked
from paneward.services.agents.scrollback import CALM
from paneward.services.delivery.desk import Deliveries, Request
from paneward.services.delivery.driver import Driver
from paneward.services.panes import Panes
from paneward.store import Delivery, Store
from tests.services.dying import LABELS, DyingStore, Killed, Pane

PROFILES = {**BUILT_IN, "generic": replace(GENERIC, settle=0.0, floor=False)}


class Place:
    """What a keeper needs of a connection."""

    def __init__(self, tmux: Pane, store: Store) -> None:
        self.tmux = tmux
        self.readings = 0  # of its scrollback
        self.desk = Deliveries(
            tmux=tmux, clock=tmux.clock, store=lambda: store, lock=lambda key, timeout: _unlocked(),
            watch=tmux.watch, settings=Settings(), profiles=PROFILES,
        )  # fmt: skip

    async def menu(self, pane: str) -> Menu | None:
        return read_asked(await self.tmux.look(pane), PROFILES["generic"])

    async def past(self, pane: str, lines: int) -> Snapshot:
        self.readings += 1
        return await self.tmux.look(pane)


@asynccontextmanager
async def _free() -> Any:
    yield


def _unlocked() -> AbstractAsyncContextManager[None]:
    return cast(AbstractAsyncContextManager[None], _free())


class World:
    """One agent, its pane and its store, through several lives of a server."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tmux = Pane()
        self.keeper: Keeper

    async def begin(self, **agent: Any) -> None:
        await self.store.adopt(Agent("a", tmux="local:/tmp/fake", pane="%1", pane_pid=7, **agent))
        await self.start()

    async def start(self, store: Any = None) -> None:
        """A server takes over."""
        held = cast(Store, store or self.store)
        [agent] = await self.store.agents()
        self.keeper = Keeper(held, self.tmux.clock, cast(Panes, Place(self.tmux, held)), agent, 1.0)
        await self.keeper.recover(await self.store.unfinished())
        await self.keeper.take_up()

    async def send(self, text: str = "fix it", **how: Any) -> Sent:
        given = {"message_id": "m-1", "agent_id": "a", "intent": Intent.COMMAND, **how}
        return await self.keeper.deliver(Request("%1", text, **given))

    async def answer(self, answer: Answer) -> Sent:
        menu = await self.keeper.panes.menu("%1")
        choice = choice_of(answer, menu)
        request = Request("%1", answer.words, message_id="m-1", agent_id="a", intent=Intent.ANSWER)
        known = await self.keeper.known("m-1", answer.words)
        return known or await self.keeper.deliver(request, choice, picked(choice, menu))

    async def turns(self) -> list[Turn]:
        return (await self.store.turns("a"))[::-1]


def in_world(work: Callable[[World], Awaitable[Any]], **agent: Any) -> Any:
    async def act() -> Any:
        world = World(Store.open(None))
        await world.begin(**agent)
        try:
            return await work(world)
        finally:
            await world.store.close()

    return asyncio.run(act())


async def lives(world: World, act: Callable[[], Awaitable[Sent]], kill: str, at: int, after: bool) -> Sent | None:
    """The first server is killed, the second one is asked again. None: the first one lived."""
    if kill == "write":
        await world.start(DyingStore(world.store, at, after))
    else:
        world.tmux.left, world.tmux.after = at, after
    try:
        await act()
    except Killed:
        world.tmux.left = 0
        await world.start()
        return await act()
    return None


KILLS = [(kill, at, after) for kill in ("write", "key") for at in range(1, 9) for after in (False, True)]


@pytest.mark.parametrize(("kill", "at", "after"), KILLS)
def test_a_text_goes_in_once_wherever_the_server_was_killed(kill: str, at: int, after: bool) -> None:
    async def work(world: World) -> None:
        sent = await lives(world, world.send, kill, at, after)
        assert world.tmux.submitted == ["fix it"]
        assert world.tmux.text == ""
        [turn] = await world.turns()
        assert (turn.actor, turn.intent, turn.text, turn.unconfirmed) == (Actor.USER, Intent.COMMAND, "fix it", False)
        assert world.keeper.agent.stage is Stage.COMMANDED
        assert await world.store.unfinished() == []
        assert len(await world.store.recent()) == 1
        if sent is not None:
            assert (sent.result.verdict, sent.turn) == (Verdict.CONFIRMED, turn)
        changes = [event.data["new_state"] for event in await world.store.events(kinds=["state_changed"])]
        assert changes == ["COMMANDED"]

    in_world(work)


ASKING: dict[str, Any] = {
    "stage": Stage.AWAITING_INPUT,
    "question": Menu("Which colour?", tuple(Option(n + 1, one) for n, one in enumerate(LABELS)), 0, None, False, "f"),
}


@pytest.mark.parametrize(("kill", "at", "after"), KILLS)
def test_an_answer_is_given_at_most_once_wherever_the_server_was_killed(kill: str, at: int, after: bool) -> None:
    """Killed in the moment before the key that chooses, nobody can tell: the same dialog may have been opened anew. It
    is left open then, and said to be so."""

    async def work(world: World) -> None:
        world.tmux.at = 0
        sent = await lives(world, lambda: world.answer(Answer("select", option_index=2)), kill, at, after)
        [turn] = await world.turns()
        assert (turn.actor, turn.intent, turn.text) == (Actor.USER, Intent.ANSWER, "Blue")
        assert await world.store.unfinished() == []
        assert len(await world.store.recent()) == 1
        if turn.unconfirmed:
            assert (world.tmux.chosen, world.tmux.at is not None) == ([], True)
            assert world.keeper.agent.stage is Stage.AWAITING_INPUT
        else:
            assert world.tmux.chosen == ["Blue"]
            assert world.keeper.agent.stage is Stage.PROCESSING
        if sent is not None:
            assert sent.turn == turn
            assert (sent.result.verdict is Verdict.UNCONFIRMED) == turn.unconfirmed

    in_world(work, **ASKING)


def test_most_kills_of_an_answer_leave_no_doubt() -> None:
    async def doubt(kill: str, at: int, after: bool) -> bool:
        async def work(world: World) -> bool:
            world.tmux.at = 0
            await lives(world, lambda: world.answer(Answer("select", option_index=2)), kill, at, after)
            return any(turn.unconfirmed for turn in await world.turns())

        world = World(Store.open(None))
        await world.begin(**ASKING)
        try:
            return await work(world)
        finally:
            await world.store.close()

    doubts = [kill for kill in KILLS if asyncio.run(doubt(*kill))]
    assert len(doubts) <= 2, doubts


# --- what cannot be gone on with


def begun(**how: Any) -> dict[str, Any]:
    return {
        "message_id": "m-1", "tmux": "local:/tmp/fake", "pane": "%1", "pane_pid": 7, "text": "fix it", "secret": False,
        "agent_id": "a", "intent": Intent.COMMAND, **how,
    }  # fmt: skip


def test_a_text_that_is_not_kept_waits_for_its_caller() -> None:
    async def work(world: World) -> None:
        await lives(world, partial_send(world, secret=True), "write", 2, after=True)
        assert world.tmux.submitted == ["fix it"]
        [row] = await world.store.recent()
        assert (row.text, row.receipt is not None) == (None, True)
        assert [turn.text for turn in await world.turns()] == [""]

    in_world(work)


def partial_send(world: World, **how: Any) -> Callable[[], Awaitable[Sent]]:
    return lambda: world.send(**how)


@pytest.mark.parametrize("how", [{"pane_pid": 8}, {}], ids=["another process", "no plan"])
def test_what_nobody_can_tell_any_more_is_said_to_be_so_and_not_typed(how: dict[str, Any]) -> None:
    async def work(world: World) -> None:
        await world.store.begin(**begun(**how))
        await world.start()
        assert world.tmux.submitted == []
        [row] = await world.store.recent()
        assert row.receipt is not None
        assert row.receipt.verdict is Verdict.UNCONFIRMED
        [turn] = await world.turns()
        assert turn.unconfirmed
        assert world.keeper.agent.stage is Stage.IDLE

    in_world(work)


def test_what_was_cut_off_long_ago_is_not_typed_any_more() -> None:
    async def work(world: World) -> None:
        await world.start(DyingStore(world.store, 2, after=True))
        with pytest.raises(Killed):
            await world.send()
        [row] = await world.store.unfinished()
        old = replace(row, created_at="2001-01-01T00:00:00.000+00:00")
        [agent] = await world.store.agents()
        keeper = Keeper(world.store, world.tmux.clock, cast(Panes, Place(world.tmux, world.store)), agent, 1.0)
        await keeper.recover([old])
        await keeper.take_up()
        assert world.tmux.clock.wall() > FRESH
        assert world.tmux.submitted == []
        [row] = await world.store.recent()
        assert row.receipt is not None
        assert row.receipt.verdict is Verdict.UNCONFIRMED

    in_world(work)


# --- refusals


def test_a_refusal_leaves_no_turn_and_does_not_use_up_its_id() -> None:
    async def work(world: World) -> None:
        world.tmux.at = 0
        refused = await world.send(timeout=0.1)
        assert (refused.result.error_type, refused.turn, refused.delivery_id) == (Code.BLOCKED_BY_DIALOG, None, None)
        world.tmux.at = None
        sent = await world.send()
        assert (sent.result.success, world.tmux.submitted) == (True, ["fix it"])

    in_world(work)


def test_nothing_is_typed_into_the_pane_of_another_process() -> None:
    async def work(world: World) -> None:
        [agent] = await world.store.agents()
        place = cast(Panes, Place(world.tmux, world.store))
        keeper = Keeper(world.store, world.tmux.clock, place, replace(agent, pane_pid=8), 1.0)
        await keeper.take_up()
        sent = await keeper.deliver(Request("%1", "fix it", message_id="m", agent_id="a", intent=Intent.COMMAND))
        pressed = await keeper.press(Request("%1", ""), ("Enter",))
        assert (sent.result.error_type, pressed.error_type) == (Code.PANE_NOT_FOUND, Code.PANE_NOT_FOUND)
        assert (world.tmux.text, world.tmux.submitted) == ("", [])

    in_world(work)


def test_a_failed_delivery_is_told_and_leaves_no_turn() -> None:
    async def work(world: World) -> None:
        world.tmux.swallows = 99
        sent = await world.send()
        assert (sent.result.error_type, sent.turn, sent.delivery_id) == (Code.SEND_FAILED, None, "1")
        [event] = await world.store.events(kinds=["delivery_changed"])
        assert (event.data["verdict"], event.data["error_type"]) == ("failed", "SEND_FAILED")

    in_world(work)


def test_a_message_id_belongs_to_one_text_for_one_agent() -> None:
    async def work(world: World) -> None:
        sent = await world.send()
        other_text = await world.send("another text")
        assert (other_text.result.error_type, other_text.turn) == (Code.IDEMPOTENCY_CONFLICT, None)
        await world.store.adopt(Agent("b", tmux="local:/tmp/fake", pane="%2", pane_pid=7))
        [_, other] = await world.store.agents()
        keeper = Keeper(world.store, world.tmux.clock, world.keeper.panes, other, 1.0)
        await keeper.take_up()
        request = Request("%1", "fix it", message_id="m-1", agent_id="b", intent=Intent.COMMAND)
        for_other = await keeper.deliver(request)
        assert (for_other.result.error_type, for_other.turn) == (Code.IDEMPOTENCY_CONFLICT, None)
        assert (keeper.agent.stage, await world.turns()) == (Stage.IDLE, [sent.turn])
        with pytest.raises(InvalidInput):
            await keeper.known("m-1", "fix it")

    in_world(work)


def test_a_caller_that_goes_away_leaves_no_text_half_submitted() -> None:
    async def work(world: World) -> None:
        caller = asyncio.ensure_future(world.send())
        await world.tmux.typed.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await world.keeper.stop()
        assert world.tmux.submitted == ["fix it"]
        assert [turn.intent for turn in await world.turns()] == [Intent.COMMAND]

    in_world(work)


# --- plans


@pytest.mark.parametrize(
    "choice",
    [
        None,
        Choice(2, fingerprint="f"),
        Choice("Red", other="why"),
        Choice(multi=(1, "Blue"), fingerprint="f"),
        Choice(text="words"),
    ],
)
def test_a_plan_is_the_same_after_it_was_written_and_holds_no_words(choice: Choice | None) -> None:
    how = {name: getattr(Request("%1", ""), name) for name in ("when_busy", "draft", "timeout")}
    written = Plan(how, choice, "Red").written()
    assert "why" not in str(written)
    assert "words" not in str(written)
    read = Plan.read(written)
    assert (read.how, read.picked) == (how, "Red")
    words = None if choice is None else choice.words
    assert read.choice_with(words or "") == choice


def test_what_was_picked_and_what_was_said_are_one_turn() -> None:
    menu = Menu("?", (Option(1, "Yes"), Option(3, "No")), 0, None, False, "f")
    assert picked(Choice(3), menu) == "No"
    assert picked(Choice(multi=(1, 3)), menu) == "Yes, No"
    assert picked(Choice(7), None) == "option 7"
    assert picked(Choice(text="words"), menu) == ""
    receipt = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "")
    row = Delivery("1", "m", "t", "%1", 7, "because", "", 7, "done", receipt, "", "")  # type: ignore[arg-type]
    assert Plan({}, picked="No").spoken(row) == "No: because"
    assert Plan({}, picked="No").spoken(replace(row, text=None)) == "No"
    assert Plan({}).spoken(row) == "because"


def test_the_scrollback_of_a_flood_is_read_when_it_is_over() -> None:
    async def work(world: World) -> None:
        keeper, tmux = world.keeper, world.tmux
        async with tmux.watch("%1") as watch:
            follower = Follower(Driver("%1", tmux, tmux.clock, watch), tmux.clock, lambda _: PROFILES["generic"])
            await follower.once()

            async def readings(flooding: bool) -> int:
                tmux.flooding = flooding
                await tmux.clock.sleep(CALM)
                keeper.tracker.gap()
                await keeper._track(follower)
                return cast(Place, keeper.panes).readings

            assert await readings(True) == 1, "at the start, whatever it prints"
            assert await readings(True) == 1
            assert await readings(True) == 1
            assert await readings(False) == 2
            keeper.tracker.memory.paints = True
            assert await readings(True) == 3, "what paints is read by its screen"

    in_world(work)
