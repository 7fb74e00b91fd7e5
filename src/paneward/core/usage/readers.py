"""Lines of transcripts, as each agent writes them: functions.

What surprised us: Claude Code writes one line for each part of an answer, all with the id and the tokens of the whole,
and older ones with tokens that grow; of a request that compacts the conversation it writes none; what a conversation
has cost is told at its end alone. A fork of a conversation begins with a copy of its lines. Codex tells the sum of a
fork together with that of the conversation it was forked from, and tells the last answer again when a turn begins.
Gemini CLI writes an answer again when its tools have run. aider writes for people, and rounds.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from paneward.core.usage.told import MalformedTranscript, Tally, TranscriptLine

MOST: Final = 10**15  # tokens: more is no number of tokens
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z?")
Line = Mapping[str, Any]


def read(kind: str, line: bytes) -> TranscriptLine | None:
    """What a line tells; None: nothing of what is used."""
    marks, reader = READERS[kind]
    if not any(mark in line for mark in marks):
        return None
    if kind == "aider":
        return aider(line.decode("utf-8", "replace"))
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MalformedTranscript(f"not JSON: {error!s:.100}") from None
    if not isinstance(document, dict):
        raise MalformedTranscript("no JSON object")
    return reader(document)


def moment(text: Any) -> str:
    """A time of a transcript in a form that sorts; empty where it is none."""
    found = _MOMENT.fullmatch(text) if isinstance(text, str) else None
    return f"{found[1]}T{found[2]}.{(found[3] or ''):0<9}" if found else ""


def claude(line: Line) -> TranscriptLine | None:
    at = moment(line.get("timestamp"))
    match line.get("type"):
        case "assistant":
            return _claude_answer(line, at)
        case "system" if line.get("subtype") == "compact_boundary":
            left = _count(_part(line, "compactMetadata"), "postTokens")
            return TranscriptLine(at, context=left or None, emptied=True)
        case "cost-state":
            return TranscriptLine(paid=_money(line, "totalCostUSD"))
    return None


def _claude_answer(line: Line, at: str) -> TranscriptLine | None:
    message = _part(line, "message")
    usage, model = _part(message, "usage"), _text(message, "model")
    if not usage or model == "<synthetic>":  # the program's own words
        return None
    kept, cached = _count(usage, "cache_creation_input_tokens"), _count(usage, "cache_read_input_tokens")
    tally = Tally(_count(usage, "input_tokens") + kept, _count(usage, "output_tokens"), cached, kept)
    alone = line.get("isSidechain") is not True
    return TranscriptLine(
        at, _text(message, "id"), tally, model=model, context=tally.fresh + tally.cached + tally.out if alone else None
    )


def codex(line: Line) -> TranscriptLine | None:
    at, said = moment(line.get("timestamp")), _part(line, "payload")
    match line.get("type"), said.get("type"):
        case "session_meta", _:
            source = said.get("source")
            return TranscriptLine(at, sub=isinstance(source, dict) and "subagent" in source)
        case "turn_context", _:
            return TranscriptLine(at, model=_text(said, "model"))
        case "token_usage_record", _:
            return TranscriptLine(at, _text(said, "response_id"), _codex_tally(_part(said, "usage")))
        case "event_msg", "token_count":
            info = _part(said, "info")
            last = _part(info, "last_token_usage")
            return TranscriptLine(
                at,
                tally=_codex_tally(last),
                total=_count(_part(info, "total_token_usage"), "total_tokens"),
                context=_count(last, "total_tokens") or None,
                window=_count(info, "model_context_window") or None,
            ) if info else None  # fmt: skip
    return None


def _codex_tally(usage: Line) -> Tally:
    read, cached = _count(usage, "input_tokens"), _count(usage, "cached_input_tokens")
    fresh = max(read - cached, 0)
    kept = min(_count(usage, "cache_write_input_tokens"), fresh)
    return Tally(fresh, _count(usage, "output_tokens"), min(cached, read), kept)


def gemini(line: Line) -> TranscriptLine | None:
    if "sessionId" in line and "kind" in line:
        return TranscriptLine(moment(line.get("startTime")), sub=line["kind"] == "subagent")
    if "messages" in _part(line, "$set"):  # the history was written anew: it was compacted, or is resumed
        return TranscriptLine(emptied=True)
    usage = _part(line, "tokens")
    if line.get("type") != "gemini" or not usage:
        return None
    read, cached = _count(usage, "input"), _count(usage, "cached")
    out = _count(usage, "output") + _count(usage, "thoughts")
    tally = Tally(max(read - cached, 0) + _count(usage, "tool"), out, min(cached, read))
    context = tally.fresh + tally.cached + tally.out
    return TranscriptLine(
        moment(line.get("timestamp")), _text(line, "id"), tally, model=_text(line, "model"), context=context
    )


_STARTED: Final = re.compile(r"# aider chat started at (\S+ \S+)\s*")
_MODEL: Final = re.compile(r"> (?:Main m|M)odel: (\S+) with .*\s*")
_TOKENS: Final = re.compile(
    r"> Tokens: (?P<sent>\S+) sent(?:, (?P<kept>\S+) cache write)?(?:, (?P<cached>\S+) cache hit)?,"
    r" (?P<out>\S+) received\.(?: Cost: \$(?P<cost>[\d.]+) message, \$[\d.]+ session\.)?\s*"
)


def aider(line: str) -> TranscriptLine | None:
    line = line.rstrip("\r\n")
    if found := _STARTED.fullmatch(line):
        return TranscriptLine(moment(found[1]), emptied=True)
    if found := _MODEL.fullmatch(line):
        return TranscriptLine(model=found[1])
    found = _TOKENS.fullmatch(line)
    if found is None:
        return None
    sent, kept, cached, out = (_rounded(found[name]) for name in ("sent", "kept", "cached", "out"))
    cost = found["cost"]
    return TranscriptLine(tally=Tally(sent, out, cached, min(kept, sent)), cost=None if cost is None else float(cost))


def _rounded(text: str | None) -> int:
    """`594`, `4.1k`, `1.2M`."""
    if text is None:
        return 0
    number, scale = (text[:-1], {"k": 10**3, "M": 10**6}.get(text[-1], 0)) if text[-1:] in "kM" else (text, 1)
    try:
        return min(round(float(number.replace(",", "")) * scale), MOST)
    except (ValueError, OverflowError):
        raise MalformedTranscript(f"no number of tokens: {text[:40]!r}") from None


READERS: Final[Mapping[str, tuple[tuple[bytes, ...], Callable[[Line], TranscriptLine | None]]]] = {
    "claude": ((b'"usage"', b"compact_boundary", b"cost-state"), claude),
    "codex": ((b"token_", b"turn_context", b"session_meta"), codex),
    "gemini": ((b'"tokens"', b'"$set"', b'"kind"'), gemini),
    "aider": ((b"Tokens: ", b"# aider chat started", b"odel: "), lambda _: None),
}


KINDS: Final = (*READERS, "opencode")  # the agents that tell what they use; the last one not by a transcript


def _part(line: Line, key: str) -> Line:
    value = line.get(key)
    return value if isinstance(value, dict) else {}


def _text(line: Line, key: str) -> str:
    value = line.get(key)
    return value[:200] if isinstance(value, str) else ""


def _count(line: Line, key: str) -> int:
    value = _number(line, key)
    return int(value) if value is not None and float(value).is_integer() else 0


def _money(line: Line, key: str) -> float | None:
    value = _number(line, key)
    return None if value is None else float(value)


def _number(line: Line, key: str) -> float | None:
    value = line.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        return None
    return value
