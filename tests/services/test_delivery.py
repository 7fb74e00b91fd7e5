"""Deliveries over a tmux that is not there and a store in memory: locks, receipts, ids and secrets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from paneward.config import Settings
from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code, StoreError
from paneward.core.profiles import BUILT_IN, GENERIC
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.scene import Scene
from paneward.services.delivery.desk import Deliveries, Request
from paneward.store import Delivery, Store
from paneward.testing import LINES, WORKING, FakeClock, FakeTmux

QUICK = {**BUILT_IN, "generic": replace(GENERIC, settle=0.0, floor=False)}


class Desk:
    """Deliveries with all they need, and what became of them."""

    def __init__(self, store: Store, tmux: FakeTmux | None = None) -> None:
        self.tmux = tmux or FakeTmux(FakeClock())
        self.store = store
        self.locked: list[tuple[str, float]] = []
        self.deliveries = Deliveries(
            tmux=self.tmux,
            clock=self.tmux.clock,
            store=lambda: store,
            lock=self._lock,
            watch=self.tmux.watch,
            settings=Settings(),
            profiles=QUICK,
            apis={"generic": self},
        )
        self.has_api = False
        self.why_not = ""
        self.posted: list[str] = []

    @asynccontextmanager
    async def _lock(self, key: str, timeout: float) -> AsyncIterator[None]:
        self.locked.append((key, timeout))
        yield

    async def find(self, scene: Scene, look: Callable[[], Awaitable[Scene]]) -> Callable[[str], Awaitable[None]] | str:
        """The program's own API, where it has one."""

        async def post(text: str) -> None:
            self.posted.append(text)

        return post if self.has_api else self.why_not

    async def send(self, text: str = "fix it", **how: Any) -> SendResult:
        return await self.deliveries.send(Request("%1", text, **how))


def at_desk(work: Callable[[Desk], Awaitable[Any]], tmux: FakeTmux | None = None, store: type[Store] = Store) -> Any:
    async def act() -> Any:
        desk = Desk(store.open(None), tmux)
        try:
            return await work(desk)
        finally:
            await desk.store.close()

    return asyncio.run(act())


def test_a_delivery_is_locked_stored_and_answered_with_its_receipt() -> None:
    async def work(desk: Desk) -> tuple[SendResult, Delivery, Desk]:
        return await desk.send(), (await desk.store.recent())[0], desk

    result, stored, desk = at_desk(work)
    assert (result.success, result.pane, result.profile, result.enters) == (True, "%1", "generic", 1)
    assert result.latency_ms > 0
    assert stored.receipt == replace(result, dump="")
    assert (stored.text, stored.pane, stored.pane_pid, stored.tmux) == ("fix it", "%1", 7, "local:/tmp/fake")
    assert desk.locked == [("local:/tmp/fake %1", 30.0)]
    assert desk.tmux.submitted == ["fix it"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (Request("%1", ""), Code.EMPTY_TEXT),
        (Request("%1", "\x1b"), Code.EMPTY_TEXT),
        (Request("%1", "x" * 1_000_001), Code.TEXT_TOO_LONG),
        (Request("%1", "x", profile="none"), Code.UNKNOWN_PROFILE),
        (Request("%9", "x"), Code.PANE_NOT_FOUND),
    ],
)
def test_what_cannot_be_sent_is_a_receipt_with_the_pane_it_was_for(request_: Request, code: Code) -> None:
    result = at_desk(lambda desk: desk.deliveries.send(request_))
    assert (result.error_type, result.rung, result.pane) == (code, Rung.NOTHING, request_.pane)
    assert result.hint


def test_what_was_changed_in_the_text_is_noted() -> None:
    assert at_desk(lambda desk: desk.send("a\x1bb")).notes == ("1 control character removed",)


def test_a_named_profile_is_used() -> None:
    assert at_desk(lambda desk: desk.send(profile="shell")).profile == "shell"


def test_a_failure_is_told_with_its_screen_freed_of_secrets(caplog: pytest.LogCaptureFixture) -> None:
    async def work(desk: Desk) -> SendResult:
        desk.tmux.swallows = 99
        return await desk.send("deploy with token=abcdef0123456789")

    result = at_desk(work)
    assert (result.error_type, result.enters) == (Code.SEND_FAILED, 4)
    assert "deploy with token=" in result.dump
    assert "abcdef0123456789" not in result.dump
    assert "abcdef0123456789" not in caplog.text
    assert "%1" in caplog.text


@pytest.mark.parametrize("how", ["hidden", "asked"])
def test_of_a_secret_only_the_length_is_kept(how: str) -> None:
    async def work(desk: Desk) -> tuple[SendResult, Delivery]:
        if how == "hidden":
            desk.tmux.facts = replace(LINES, echo=False)
        desk.tmux.swallows = 99
        result = await desk.send("hunter2", secret=how == "asked")
        return result, (await desk.store.recent())[0]

    result, stored = at_desk(work)
    assert (stored.text, stored.text_hash, stored.length) == (None, "", 7)
    assert "hunter2" not in result.dump + repr(stored)


def test_whether_it_is_a_secret_is_decided_when_typing_begins() -> None:
    """The program starts, and asks for a password only then."""

    class Starting(FakeTmux):
        async def process(self, snapshot: Any) -> Any:
            return replace(LINES, reading=False) if self.looks < 6 else replace(LINES, echo=False)

    async def work(desk: Desk) -> Delivery:
        await desk.send("hunter2")
        return (await desk.store.recent())[0]

    stored = at_desk(work, Starting(FakeClock()))
    assert (stored.text, stored.length) == (None, 7)


def test_a_refused_delivery_is_stored_too() -> None:
    async def work(desk: Desk) -> tuple[SendResult, Delivery]:
        desk.tmux.facts = WORKING
        return await desk.send(timeout=1.0), (await desk.store.recent())[0]

    result, stored = at_desk(work)
    assert result.error_type is Code.NOT_READY
    assert stored.receipt is not None
    assert stored.receipt.error_type is Code.NOT_READY


def test_a_refusal_does_not_use_up_its_message_id() -> None:
    async def work(desk: Desk) -> tuple[SendResult, SendResult]:
        calm, desk.tmux.facts = desk.tmux.facts, WORKING
        refused = await desk.send(timeout=1.0, message_id="m")
        desk.tmux.facts = calm
        return refused, await desk.send(message_id="m")

    refused, sent = at_desk(work)
    assert (refused.error_type, refused.message_id) == (Code.NOT_READY, "m")
    assert (sent.success, sent.repeated) == (True, False)


def test_a_message_id_is_sent_once_and_belongs_to_one_text() -> None:
    async def work(desk: Desk) -> list[SendResult]:
        first = await desk.send("fix it", message_id="m")
        again = await desk.send("fix it", message_id="m")
        other = await desk.send("break it", message_id="m")
        assert desk.tmux.submitted == ["fix it"]
        return [first, again, other]

    first, again, other = at_desk(work)
    assert (first.repeated, again.repeated) == (False, True)
    assert replace(again, repeated=False) == first
    assert other.error_type is Code.IDEMPOTENCY_CONFLICT


def test_an_id_that_another_sender_took_in_the_meantime_is_a_conflict_and_nothing_is_typed() -> None:
    class Late(Store):
        async def find(self, message_id: str) -> Delivery | None:
            await super().begin(message_id=message_id, tmux="", pane="%5", pane_pid=1, text="fix it", secret=False)
            return None

    async def work(desk: Desk) -> SendResult:
        result = await desk.send("fix it", message_id="m")
        assert not any(words[0] in ("type", "paste", "press") for words in desk.tmux.asked)
        return result

    result = at_desk(work, store=Late)
    assert result.error_type is Code.IDEMPOTENCY_CONFLICT
    assert "%5" in result.detail


def test_after_a_crash_the_delivery_goes_on_where_it_was() -> None:
    async def work(desk: Desk) -> SendResult:
        row, _ = await desk.store.begin(message_id="m", tmux="", pane="%1", pane_pid=7, text="fix it", secret=False)
        desk.tmux.put("fix it")
        result = await desk.send("fix it", message_id="m")
        assert desk.tmux.asked == [("press", "Enter")]
        stored = await desk.store.find("m")
        assert stored is not None
        assert (stored.id, stored.receipt) == (row.id, result)
        return result

    assert at_desk(work).success


class Full(Store):
    """A disk with no room left."""

    async def begin(self, **_: Any) -> Any:
        raise StoreError("the disk is full", hint="Make room.")


def test_a_store_that_refuses_keeps_a_message_with_an_id_from_being_typed() -> None:
    async def work(desk: Desk) -> SendResult:
        result = await desk.send(message_id="m")
        assert desk.tmux.asked == []
        return result

    assert at_desk(work, store=Full).error_type is Code.STORE_ERROR


def test_without_an_id_a_store_that_fails_never_turns_a_delivery_into_a_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work(desk: Desk) -> SendResult:
        await desk.store._run(lambda tx: tx.connection.exec_driver_sql("DROP TABLE deliveries"))
        return await desk.send()

    assert at_desk(work).success
    assert "receipt not stored: the store in memory: no such table" in caplog.text


def test_keys_are_checked_pressed_and_not_stored() -> None:
    async def work(desk: Desk) -> list[SendResult]:
        good = await desk.deliveries.press(Request("%1", ""), ("Escape", "Up"))
        bad = await desk.deliveries.press(Request("%1", ""), ("Entr",))
        assert desk.tmux.asked == [("press", "Escape", "Up")]
        assert not await desk.store.recent()
        return [good, bad]

    good, bad = at_desk(work)
    assert (good.verdict, good.rung, good.pane) == (Verdict.CONFIRMED, Rung.TYPED, "%1")
    assert bad.error_type is Code.UNKNOWN_KEY


def test_an_answer_without_text_is_none_that_is_empty() -> None:
    result = at_desk(lambda desk: desk.deliveries.answer(Request("%1", ""), Choice(select=1)))
    assert result.error_type is Code.NO_DIALOG
    answered = at_desk(lambda desk: desk.deliveries.answer(Request("%1", "yes"), Choice(text="yes")))
    assert answered.success


def test_a_program_with_an_api_of_its_own_gets_texts_by_it_and_commands_by_its_terminal() -> None:
    async def work(desk: Desk) -> tuple[SendResult, SendResult, list[str]]:
        desk.has_api = True
        return await desk.send("by api"), await desk.send("/typed", as_command=True), desk.posted

    by_api, typed, posted = at_desk(work)
    assert posted == ["by api"]
    assert (by_api.rung, typed.rung) == (Rung.ACCEPTED, Rung.SUBMITTED)


def test_without_its_api_a_program_is_typed_to() -> None:
    async def work(desk: Desk) -> tuple[SendResult, list[str]]:
        return await desk.send("by hand"), desk.posted

    result, posted = at_desk(work)
    assert (result.rung, posted) == (Rung.SUBMITTED, [])
    assert result.notes == ()


def test_why_a_text_was_typed_where_the_program_has_an_api_is_in_its_receipt() -> None:
    async def work(desk: Desk) -> SendResult:
        desk.why_not = "its API does not answer"
        return await desk.send("by hand")

    assert at_desk(work).notes == ("its API does not answer: it was typed",)
