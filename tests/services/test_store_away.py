"""A store that fails a write in the middle and comes back: the record of an agent goes on without loss or repetition.

The write may have been stored although it failed: a database that went away takes its answer with it.
"""

import contextlib
from collections import Counter
from typing import Any, cast

import pytest

from paneward.core.agent.record import Intent
from paneward.core.errors import Code, StoreError
from paneward.core.profiles import GENERIC
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.state.claims import AgentState
from paneward.services.agents.signals import Tracker
from paneward.services.agents.turns import Turns
from paneward.store import Store
from paneward.testing import CURSOR, snapshot
from tests.services.dying import WRITES
from tests.services.test_turns import ASKED, SPOKEN, STATES, STORY, Desk, at_desk, told, writes_of_the_story


class AwayStore:
    """Fails so many writes, from the one of this number on; `after` says that they were stored all the same."""

    def __init__(self, store: Store, at: int, after: bool, times: int) -> None:
        self._store = store
        self._after = after
        self._fails = range(at, at + times)
        self._writes = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)

        async def act(*args: Any, **named: Any) -> Any:
            self._writes += 1
            if self._writes not in self._fails:
                return await found(*args, **named)
            if self._after:
                await found(*args, **named)
            raise StoreError("the connection is closed")

        return act if name in WRITES and name != "begin" else found


def away(desk: Desk, at: int, after: bool, times: int) -> None:
    store = AwayStore(desk.store, at, after, times)
    desk.turns = Turns(cast(Store, store), desk.clock, desk.turns.agent)


async def once_more(desk: Desk, step: Any) -> None:
    """Words that were typed are not typed again; a look is taken again."""
    with contextlib.suppress(StoreError):
        await step(desk)
        return
    if step not in (STORY[0], STORY[3]):
        await once_more(desk, step)


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("after", [False, True], ids=["not stored", "stored"])
@pytest.mark.parametrize("at", range(1, writes_of_the_story() + 1))
def test_a_write_that_fails_loses_and_doubles_nothing(at: int, after: bool, times: int) -> None:
    async def work(desk: Desk) -> None:
        away(desk, at, after, times)
        for step in STORY:
            await once_more(desk, step)
        turns, states, commands, _ = await told(desk)
        assert turns == SPOKEN
        assert states == STATES
        assert [command.ending for command in commands] == ["done", "done"]
        assert await desk.store.unfinished() == []

    at_desk(work)


@pytest.mark.parametrize("after", [False, True], ids=["not stored", "stored"])
@pytest.mark.parametrize("at", range(1, 4))
def test_each_signal_is_stored_once(at: int, after: bool) -> None:
    said = ("working:a", "needs_input:b", "completed:c")

    async def work(desk: Desk) -> None:
        tracker = Tracker(desk.clock.now)
        store = AwayStore(desk.store, at, after, 1)
        desk.turns = Turns(cast(Store, store), desk.clock, desk.turns.agent, tracker)
        tracker.catch_up(snapshot(f"$ {CURSOR}"), GENERIC)
        for text in said:
            tracker.hear(f"--<[paneward:{text}]>--\r\n".encode())
            await desk.clock.sleep(1.0)
            tracker.tick(desk.clock.now(), True)
            with contextlib.suppress(StoreError):
                await desk.turns.signalled()
        await desk.see(AgentState.IDLE)  # the record is read anew where the last write failed
        if tracker.found:
            await desk.turns.signalled()
        seen = Counter(f"{event.data['state']}:{event.data['message']}" for event in await desk.events("signal_seen"))
        assert seen == Counter(said)

    at_desk(work)


def test_a_refusal_that_could_not_be_stored_is_stored_later() -> None:
    """Else the next server would type what its caller was told is not typed."""
    refused = SendResult(Verdict.FAILED, Rung.NOTHING, "it works", error_type=Code.NOT_READY, pane="%1")

    async def work(desk: Desk) -> None:
        away(desk, 1, after=False, times=1)
        with pytest.raises(StoreError):
            await desk.deliver(Intent.COMMAND, "fix it", refused)
        await desk.see(AgentState.IDLE)
        assert await desk.store.unfinished() == []
        assert await desk.store.turns("a") == []

    at_desk(work)


class GoneStore:
    """Answers nothing, not even what it holds, while it is `gone`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.gone = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)

        async def act(*args: Any, **named: Any) -> Any:
            if self.gone:
                raise StoreError("the connection is closed")
            return await found(*args, **named)

        return act


def test_words_that_went_in_while_the_store_was_gone_are_told_before_what_came_of_them() -> None:
    async def work(desk: Desk) -> None:
        store = GoneStore(desk.store)
        desk.turns = Turns(cast(Store, store), desk.clock, desk.turns.agent)
        store.gone = True
        with pytest.raises(StoreError):
            await desk.turns.recognise("codex", "1")
        with pytest.raises(StoreError):
            await desk.deliver(Intent.COMMAND, "fix it")
        store.gone = False
        await desk.see(AgentState.AWAITING_QUESTION, ASKED)
        turns, _, commands, _ = await told(desk)
        assert turns == SPOKEN[:2]
        assert len(commands) == 1
        assert await desk.store.unfinished() == []

    at_desk(work)
