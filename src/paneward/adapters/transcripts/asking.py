"""What OpenCode uses, as its own HTTP API tells: it keeps sums of each conversation, and no transcript.

Its conversations lie in one database for all its processes, so those of a directory are one process's only if no other
one works there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from paneward.adapters.kinds.opencode import ask, port_of
from paneward.adapters.transcripts.places import Process, alone
from paneward.core.usage import Account, Tally
from paneward.ports import Grown, TranscriptPlace

NEWEST = 6  # messages among which the last answer is looked for
SECONDS = 5.0  # in which it must answer
Json = Mapping[str, Any]


def opencode(process: Process, since: str) -> TranscriptPlace | None:
    """Where it can be asked."""
    port = port_of(process.pid, " ".join(process.words))
    if not port or process.cwd is None or not alone("opencode", process):
        return None
    return TranscriptPlace(since, {}, frozenset(), (port, str(process.cwd), process.started_at))


def read(account: Account, port: int, directory: str, started_at: float) -> Grown:
    """Its conversations since it was started; what it answers in words that are not known tells nothing."""
    try:
        sessions = list(_sessions(port, directory, started_at))
        told = [_sum(account, one, started_at) for one in sessions]
        mains = [one for one in sessions if not one.get("parentID")]
        if mains:
            told.append(_stand(account, port, max(mains, key=lambda one: one["time"]["updated"])))
    except (OSError, ValueError, KeyError, TypeError):
        return Grown(False, False)
    return Grown(any(told), False)


def _sessions(port: int, directory: str, started_at: float) -> Iterator[Json]:
    for one in ask(port, "/session", seconds=SECONDS):
        if one["directory"] == directory and one["time"]["updated"] >= started_at * 1000:
            yield one


def _sum(account: Account, session: Json, started_at: float) -> bool:
    own = session["time"]["created"] >= started_at * 1000
    cost = float(session.get("cost") or 0) or None  # it says 0 where it knows no price
    return account.sum(session["id"], _tally(session["tokens"]), cost, str(session["model"]["id"]), own)


def _stand(account: Account, port: int, session: Json) -> bool:
    messages = ask(port, f"/session/{session['id']}/message?limit={NEWEST}", seconds=SECONDS)
    answers = [one["info"] for one in messages if one["info"]["role"] == "assistant" and one["info"].get("tokens")]
    if not answers:
        return False
    last = answers[-1]
    tally = _tally(last["tokens"])
    window = _window(port, last["providerID"], last["modelID"])
    return account.stand(tally.fresh + tally.cached + tally.out or None, window, str(last["modelID"]))


def _tally(tokens: Json) -> Tally:
    kept, cached = int(tokens["cache"]["write"]), int(tokens["cache"]["read"])
    return Tally(int(tokens["input"]) + kept, int(tokens["output"]) + int(tokens["reasoning"]), cached, kept)


def _window(port: int, provider: str, model: str) -> int | None:
    for one in ask(port, "/config/providers", seconds=SECONDS)["providers"]:
        if one["id"] == provider and model in one["models"]:
            return int(one["models"][model]["limit"]["context"]) or None
    return None
