"""State is a fold over the log: replaying it gives what the tables say, whatever happened, also all at once."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from paneward.core.agent import changes as judging
from paneward.core.agent.events import AgentFound, AgentLost
from paneward.core.agent.record import SPOKEN, Agent, Said, Stage, Turn, opens
from paneward.core.errors import AgentExists, AgentNotFound
from paneward.store import Store
from tests.store.conftest import Place, using
from tests.store.fold import fold, told_of

NAMES = st.sampled_from(["a", "b", "c"])
PANES = st.sampled_from(["%1", "%2", None])
Act = Callable[[Store, dict[str, Agent]], Awaitable[object]]
Deed = tuple[str, Act]  # to which agent


def adopting(name: str, pane: str | None) -> Deed:
    async def deed(store: Store, known: dict[str, Agent]) -> None:
        known[name] = await store.adopt(Agent(name, "s", pane=pane, reason="adopted"))

    return name, deed


def forgetting(name: str, purge: bool) -> Deed:
    async def deed(store: Store, known: dict[str, Agent]) -> None:
        await store.forget(name, purge)
        known.pop(name, None)

    return name, deed


def saying(name: str, said: Said, reason: str) -> Deed:
    """The turn first, the change of state second, in one transaction: as the server does it."""

    async def deed(store: Store, known: dict[str, Agent]) -> None:
        agent = known.get(name, Agent(name))
        actor, intent = SPOKEN[said]
        turn = Turn(name, actor, intent, "words")
        told = judging.Grounds("screen", reason)

        def judge(turn: Turn) -> judging.Change:
            return judging.judged(agent, said, turn, told, judging.Moment(0.0, 0.0))

        _, saved = await store.take_turn(turn, opens(agent.stage, said), judge)
        assert saved is not None
        known[name] = saved

    return name, deed


def losing(name: str, reason: str) -> Deed:
    async def deed(store: Store, known: dict[str, Agent]) -> None:
        agent = known.get(name, Agent(name))
        event = AgentLost(name, reason) if reason else AgentFound(name, "it is there again")
        known[name] = await store.save(replace(agent, gone=reason), event)

    return name, deed


DEEDS = st.one_of(
    st.builds(adopting, NAMES, PANES),
    st.builds(forgetting, NAMES, st.booleans()),
    st.builds(saying, NAMES, st.sampled_from(Said), st.sampled_from(["it moved", "token=abcdefgh1234"])),
    st.builds(losing, NAMES, st.sampled_from(["", "the pane closed"])),
)


async def tried(deed: Deed, store: Store, known: dict[str, Agent], locks: dict[str, asyncio.Lock]) -> None:
    """One after the other on one agent, as the server does it."""
    name, act = deed
    async with locks[name]:
        try:
            await act(store, known)
        except (AgentExists, AgentNotFound):
            return


async def replayed(store: Store, rounds: list[list[Deed]]) -> None:
    """Each round at once: what is refused in it must leave no trace beside the others."""
    known: dict[str, Agent] = {}
    locks = defaultdict[str, asyncio.Lock](asyncio.Lock)
    for deeds in rounds:
        await asyncio.gather(*(tried(deed, store, known, locks) for deed in deeds))
    agents = await store.agents()
    events = await store.events(limit=10_000)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    tables = {one.id: told_of(one) for one in agents}
    assert fold(events) == tables
    for agent in agents:
        still_open = [command.id for command in await store.commands(agent.id) if command.closed_at is None]
        assert still_open == ([agent.command] if agent.command else [])


@given(st.lists(st.lists(DEEDS, min_size=1, max_size=6), max_size=8))
@settings(max_examples=150)
def test_replaying_the_log_gives_the_states_of_the_tables(rounds: list[list[Deed]]) -> None:
    using(None, lambda store: replayed(store, rounds))


def test_so_it_does_on_every_database(place: Place) -> None:
    rounds = [
        [adopting("a", "%1"), adopting("b", "%1"), adopting("c", "%2"), adopting("a", None)],
        [saying("a", Said.USER_COMMAND, "it moved"), saying("b", Said.AGENT_QUESTION, "it asks"), losing("c", "gone")],
        [saying("a", said, "it moved") for said in Said],
        [forgetting("a", True), losing("c", ""), saying("c", Said.AGENT_PROGRESS, "token=abcdefgh1234")],
        [adopting("a", "%1"), adopting("b", "%3")],
        [saying("b", Said.USER_ANSWER, "no way"), saying("a", Said.USER_COMMAND, "go"), forgetting("c", False)],
    ]
    using(place, lambda store: replayed(store, rounds))
    assert Stage.COMMANDED in using(place, stages)


async def stages(store: Store) -> list[Stage]:
    return [agent.stage for agent in await store.agents()]
