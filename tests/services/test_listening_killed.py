"""Hooks and a server that is killed at any write, or a store that cannot be written."""

import time
from typing import Any

import pytest

from paneward.core.agent.record import Stage
from paneward.core.errors import StoreError
from paneward.core.result import Rung, SendResult, Verdict
from paneward.services.delivery.receipts import began_at
from paneward.services.hooks import AGAIN
from tests.services.dying import DyingStore, Killed
from tests.services.test_listening import BUSY, COMMAND, COMPLETION, IDLE, NOW, Room, in_room
from tests.services.test_turns import CONFIRMED, UNCONFIRMED


async def _story(room: Room) -> None:
    """All that hooks lead to; the times are those of the rows that are there."""
    room.pile.hook(NOW, hook_event_name="UserPromptSubmit", prompt="one", prompt_id="1")
    await room.hear()
    room.pile.hook(NOW + 1, hook_event_name="Stop", last_assistant_message="done one", prompt_id="1")
    room.pile.hook(NOW + 2, hook_event_name="UserPromptSubmit", prompt="two", prompt_id="2")
    room.pile.put(b'{"state": "needs_testing", "message": "m"}', NOW + 2, agent="a")
    await room.hear()
    room.pile.hook(NOW + 3, hook_event_name="Stop", last_assistant_message="done two", prompt_id="2")
    await room.hear()


TOLD = [(*COMMAND, "one"), (*COMPLETION, "done one"), (*COMMAND, "two"), (*COMPLETION, "done two")]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, 14))
def test_killed_at_any_write_nothing_is_lost_or_told_twice(at: int, after: bool) -> None:
    async def work(room: Room) -> None:
        room.dies(at, after)
        try:
            await _story(room)
        except Killed:
            await room.restart()
            assert (room.pile.files, room.listening.counts["echo"]) == ([], 0)  # by its mark, not by its words
            await _rest(room)
        assert await room.spoken() == TOLD
        assert len(await room.events("hook_heard")) == 5
        assert [one.data["message"] for one in await room.events("signal_seen")] == ["m"]
        assert [one.ending for one in await room.store.commands("a")] == ["done", "done"]
        assert room.turns.agent.stage is Stage.COMPLETE

    async def _rest(room: Room) -> None:
        """What of the story had not happened yet."""
        happened = room.pile.number
        if happened < 4:
            room.pile.hook(NOW + 1, hook_event_name="Stop", last_assistant_message="done one", prompt_id="1")
            room.pile.hook(NOW + 2, hook_event_name="UserPromptSubmit", prompt="two", prompt_id="2")
            room.pile.put(b'{"state": "needs_testing", "message": "m"}', NOW + 2, agent="a")
            await room.hear()
        if happened < 5:
            room.pile.hook(NOW + 3, hook_event_name="Stop", last_assistant_message="done two", prompt_id="2")
            await room.hear()

    in_room(work)


@pytest.mark.parametrize("receipt", [CONFIRMED, UNCONFIRMED], ids=lambda one: str(one.verdict))
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, 6))
def test_killed_while_a_receipt_is_upgraded_it_is_upgraded_once(at: int, after: bool, receipt: SendResult) -> None:
    async def work(room: Room) -> None:
        row = await room.sent("fix it", receipt)
        room.dies(at, after)
        try:
            await room.prompt("fix it", began_at(row) + 1)
        except Killed:
            await room.restart()
        assert await room.spoken() == [(*COMMAND, "fix it")]
        found = (await room.row("fix it")).receipt
        assert found is not None
        assert (found.verdict, found.rung) == (Verdict.CONFIRMED, Rung.ACCEPTED)
        assert room.turns.agent.stage is Stage.COMMANDED

    in_room(work)


class Sulking(DyingStore):
    """Cannot be written for a while."""

    refusals = 3

    async def take(self, *args: Any, **named: Any) -> Any:
        self.refusals -= 1
        if self.refusals >= 0:
            raise StoreError("the disk is full")
        return await self._store.take(*args, **named)


def test_a_store_that_cannot_be_written_for_a_while_loses_nothing() -> None:
    async def work(room: Room) -> None:
        room.listen(Sulking(room.store, 0, False))
        before = room.clock.now()
        await room.prompt("fix it", NOW)
        assert room.clock.now() - before >= 3 * AGAIN
        assert await room.spoken() == [(*COMMAND, "fix it")]

    in_room(work)


@pytest.mark.parametrize("restarted", [False, True])
def test_words_that_are_told_late_belong_to_the_command_that_their_work_opened(restarted: bool) -> None:
    async def work(room: Room) -> None:
        ran = time.time()
        await room.see(BUSY)
        await room.see(IDLE)
        if restarted:
            await room.restart()
        await room.prompt("what somebody typed", ran)
        assert (*COMMAND, "what somebody typed") in await room.spoken()
        assert room.turns.agent.stage is Stage.COMPLETE, "it is done with them"
        [command] = await room.store.commands("a")
        assert {turn.command for turn in await room.store.turns("a")} == {command.id}
        await room.prompt("and the next", NOW)
        assert len(await room.store.commands("a")) == 2

    in_room(work)
