"""What receipts tell: which words went into a pane last, and which of them a hook tells of. Functions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from paneward.core.agent.record import Intent
from paneward.core.readiness.pending import SentWords
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.state.hooks import Heard, same_text
from paneward.core.terminal.flow import Phase
from paneward.store import Delivery, text_hash
from paneward.store.written import kept

FRESH: Final = 3600.0  # seconds after which a hook no longer tells of a delivery


def words_of(row: Delivery | None, pid: int, now: float, wall: float) -> SentWords | None:
    """The words of the newest delivery, which may have gone in, to the process `pid` of a pane; None where nothing is
    to be waited for. Their time is told on the clock of `now`."""
    if row is None or row.pane_pid != pid or not _went_in(row):
        return None
    age = max(wall - datetime.fromisoformat(row.updated_at).timestamp(), 0.0)
    return SentWords(now - age, row.text or "", row.intent == Intent.ANSWER)


def _went_in(row: Delivery) -> bool:
    """It may have been submitted, and nothing tells that it was dealt with."""
    if row.receipt is None:
        return row.phase in (Phase.TYPED, Phase.SUBMITTING)
    return row.receipt.verdict is not Verdict.FAILED and row.receipt.rung is not Rung.ACTED


def left_behind(rows: Iterable[Delivery], tmux: str, pid: int) -> str:
    """The text that may still stand in the composer of the process `pid`: that of the newest delivery which typed
    anything, if submit was not pressed. Empty: there is none, or it was not kept as it was."""
    for row in rows:
        if row.tmux == tmux and not (row.receipt is not None and nothing_typed(row.receipt)):
            whole = row.text is not None and row.text_hash == text_hash(row.text)
            return row.text or "" if whole and row.pane_pid == pid and _not_submitted(row) else ""
    return ""


def _not_submitted(row: Delivery) -> bool:
    if row.receipt is None:  # its sender died
        return row.phase in (Phase.INTENDED, Phase.TYPED)
    return row.receipt.verdict is not Verdict.CONFIRMED and not row.receipt.enters


def nothing_typed(receipt: SendResult) -> bool:
    return receipt.verdict is Verdict.FAILED and receipt.rung is Rung.NOTHING


def again(row: Delivery) -> bool:
    """The same message may be tried again: it was cut off, or refused with nothing typed."""
    receipt = row.receipt if row.phase is Phase.DONE else None
    return receipt is None or nothing_typed(receipt)


def cut_off_at(row: Delivery) -> Phase:
    """How far it had come. One that was refused had been about to type at least once: the pane is read first too."""
    return Phase.INTENDED if row.phase is Phase.DONE else row.phase


# --- which delivery a hook tells of


def began_at(delivery: Delivery) -> float:
    """Seconds since the epoch."""
    return datetime.fromisoformat(delivery.created_at).timestamp()


def near(delivery: Delivery, heard: Heard) -> bool:
    """It went in not long before the hook ran. Its time is kept in whole milliseconds."""
    return -0.001 <= heard.at - began_at(delivery) <= FRESH


def open_to(delivery: Delivery, heard: Heard, seq: int) -> bool:
    """Something was typed, and no other hook has told of it."""
    receipt = delivery.receipt
    if receipt is None or receipt.rung is Rung.NOTHING or receipt.hook not in (0, seq):
        return False
    return near(delivery, heard)


def same_words(delivery: Delivery, text: str) -> bool:
    if delivery.text is None:
        return False
    return delivery.text_hash == text_hash(text) or same_text(kept(text), delivery.text)
