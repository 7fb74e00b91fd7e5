"""The audit, and replies to requests that may come again."""

from dataclasses import replace

from paneward.core.audit import AuditEntry
from paneward.store import KEEP_REPLIES, Store
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from tests.store.conftest import Place, using

ENTRY = AuditEntry("operator", "send", "claude-1", "ok", "delivery 7, token=abcdef123456")


def test_what_was_done_is_written_down_newest_first_without_credentials(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.audit(ENTRY)
        await store.audit(replace(ENTRY, agent_id=None, action="shutdown", detail=""))
        await store.audit(replace(ENTRY, agent_id="codex-1", result="WRONG_STATE"))
        last, second, first = await store.audits()
        assert first == replace(ENTRY, id=1, at=first.at, detail="delivery 7, token=[redacted: secret]")
        assert first.at > 1_700_000_000
        assert (second.action, second.agent_id) == ("shutdown", None)
        assert await store.audits(limit=1) == [last]
        assert await store.audits(before=3) == [second, first]
        assert await store.audits(agent_id="codex-1") == [last]

    using(place, work)


def test_a_repeated_request_finds_the_first_reply(place: Place) -> None:
    async def work(store: Store) -> None:
        assert await store.reply("operator", "k1") is None
        await store.keep_reply("operator", "k1", "hash", 200, '{"status": "ok"}')
        await store.keep_reply("operator", "k1", "other", 409, "{}")
        reply = await store.reply("operator", "k1")
        assert reply is not None
        assert (reply.request_hash, reply.status, reply.body) == ("hash", 200, '{"status":"ok"}')
        assert await store.reply("participant", "k1") is None

    using(place, work)


def test_a_reply_is_stored_without_credentials_and_may_be_any_text(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.keep_reply(
            "o", "k1", "h", 200, '{"evidence": "password=hunter2hunter2", "id": "a-secret_key=1234567"}'
        )
        await store.keep_reply("o", "k\ud800\x00", "h", 200, "plain words, \x00 too")
        one, other = await store.reply("o", "k1"), await store.reply("o", "k\ud800\x00")
        assert one is not None
        assert other is not None
        assert one.body == '{"evidence":"password=[redacted: secret]","id":"a-secret_key=1234567"}'
        assert other.body == "plain words, \ufffd too"

    using(place, work)


def test_a_reply_is_kept_for_a_day(place: Place) -> None:
    async def work(store: Store) -> None:
        def age(tx: Transaction) -> None:
            tx.connection.execute(tables().replies.update().values(at=tx.at - KEEP_REPLIES - 1))

        await store.keep_reply("o", "old", "h", 200, "{}")
        await store._run(age)
        assert await store.reply("o", "old") is None
        await store.keep_reply("o", "new", "h", 200, "{}")
        left = await store._read(lambda connection: [row.key for row in connection.execute(tables().replies.select())])
        assert left == ["new"]
        await store.keep_reply("o", "old", "h2", 200, "{}")
        reply = await store.reply("o", "old")
        assert reply is not None
        assert reply.request_hash == "h2"

    using(place, work)
