"""What the model answers, in the words of each dialect: functions.

A reply is written as pieces: data to send, or a place where the script waits. Nothing here sends or sleeps.
"""

import itertools
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tests.lab.dialects import Asked, Json


class Hold(StrEnum):
    """Where a reply stops until the test lets it go on."""

    NEVER = ""
    BEFORE = "before"  # nothing was sent yet: the agent thinks
    WITHIN = "within"  # half of the text was sent: the agent streams


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    input: Json | str  # a text for a tool that takes free-form input


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model does with one request."""

    text: str = ""  # {echo}: what was typed last; {tool}: the beginning of the tool's result
    tools: tuple[Tool, ...] = ()
    before: float = 0.0  # seconds before the first byte
    between: float = 0.0  # seconds between two chunks of the text
    chunks: int = 4
    hold: Hold = Hold.NEVER
    status: int = 200  # anything else is an error of the service
    error: str = "scripted error"
    cut: bool = False  # the connection breaks in the middle of the text
    tokens_in: int = 10  # what the service says it has cost; of these, `tokens_cached` were in its cache
    tokens_out: int = 5
    tokens_cached: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    data: Json | str
    name: str = ""

    def encode(self) -> bytes:
        data = self.data if isinstance(self.data, str) else json.dumps(self.data, ensure_ascii=False)
        return (f"event: {self.name}\n" if self.name else "").encode() + f"data: {data}\n\n".encode()


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


class Stop(StrEnum):
    HOLD = "hold"
    CUT = "cut"


Piece = Event | Pause | Stop
Whole = Callable[[Reply, Asked], Json]
Stream = Callable[[Reply, Asked], Iterator[Piece]]


def reply_from(spec: Json) -> Reply:
    """A reply from JSON: `{"text": "hi", "before": 3, "tool": {"name": "Bash", "input": {...}}}`."""
    fields = dict(spec)
    tools = [*fields.pop("tools", ()), *filter(None, [fields.pop("tool", None)])]
    fields["hold"] = Hold(fields.get("hold", ""))
    return Reply(**fields, tools=tuple(Tool(str(tool["name"]), tool.get("input", {})) for tool in tools))


def spoken(reply: Reply, asked: Asked) -> Reply:
    """The reply with its text filled in."""
    text = reply.text.replace("{echo}", asked.newest).replace("{tool}", (asked.result or "")[:200])
    return replace(reply, text=text)


def from_schema(schema: Any) -> Any:
    """A small value of a JSON schema: agents that ask for structured answers ask again until they get one."""
    if not isinstance(schema, dict):
        return "text"
    if schema.get("enum"):
        return schema["enum"][0]
    match str(schema.get("type", "object")).lower():
        case "object":
            return {key: from_schema(value) for key, value in (schema.get("properties") or {}).items()}
        case "array":
            return []
        case "integer" | "number":
            return 1
        case "boolean":
            return False
    return "text"


def _chunks(text: str, count: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, count)))
    return [text[at : at + size] for at in range(0, len(text), size)]


def _text(reply: Reply, event: Callable[[str], Event]) -> Iterator[Piece]:
    """The text in chunks, with the pauses and stops of the script."""
    parts = _chunks(reply.text, reply.chunks)
    for at, part in enumerate(parts):
        half = at == max(1, len(parts) // 2)
        if half and reply.cut:
            yield Stop.CUT
        if half and reply.hold is Hold.WITHIN:
            yield Stop.HOLD
        if at and reply.between:
            yield Pause(reply.between)
        yield event(part)


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def _named(data: Json) -> Event:
    return Event(data, str(data["type"]))


# --- Anthropic Messages


def _anthropic_message(reply: Reply, asked: Asked) -> Json:
    calls = [{"type": "tool_use", "id": _id("toolu_"), "name": tool.name, "input": tool.input} for tool in reply.tools]
    read = reply.tokens_cached
    usage = {"input_tokens": reply.tokens_in - read, "output_tokens": reply.tokens_out}
    return {
        "id": _id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [*([{"type": "text", "text": reply.text}] if reply.text else []), *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {**usage, "cache_creation_input_tokens": 0, "cache_read_input_tokens": read},
    }


def _anthropic_block(reply: Reply, index: int, block: Json) -> Iterator[Piece]:
    empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}

    def delta(kind: str, key: str, value: str) -> Event:
        inner = {"type": kind, key: value}
        return _named({"type": "content_block_delta", "index": index, "delta": inner})

    yield _named({"type": "content_block_start", "index": index, "content_block": empty})
    if block["type"] == "text":
        yield from _text(reply, lambda part: delta("text_delta", "text", part))
    else:
        yield delta("input_json_delta", "partial_json", json.dumps(block["input"], ensure_ascii=False))
    yield _named({"type": "content_block_stop", "index": index})


def _anthropic_stream(reply: Reply, asked: Asked) -> Iterator[Piece]:
    whole = _anthropic_message(reply, asked)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield _named({"type": "message_start", "message": begun})
    for index, block in enumerate(whole["content"]):
        yield from _anthropic_block(reply, index, block)
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": ended, "usage": whole["usage"]})
    yield _named({"type": "message_stop"})


# --- OpenAI Responses


def _responses_call(tool: Tool) -> Json:
    call = {"id": _id("fc_"), "call_id": _id("call_"), "name": tool.name, "status": "completed"}
    if isinstance(tool.input, str):
        return {**call, "type": "custom_tool_call", "input": tool.input}
    return {**call, "type": "function_call", "arguments": json.dumps(tool.input)}


def _responses_whole(reply: Reply, asked: Asked) -> Json:
    part = {"type": "output_text", "text": reply.text, "annotations": []}
    message = {"type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": _id("resp_"),
        "object": "response",
        "created_at": 0,
        "model": asked.model,
        "status": "completed",
        "output": [*([message] if reply.text else []), *map(_responses_call, reply.tools)],
        "usage": {
            "input_tokens": reply.tokens_in,
            "input_tokens_details": {"cached_tokens": reply.tokens_cached},
            "output_tokens": reply.tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": reply.tokens_in + reply.tokens_out,
        },
    }


def _responses_item(reply: Reply, index: int, item: Json) -> Iterator[Piece]:
    begun = {**item, "status": "in_progress", **({"content": []} if item["type"] == "message" else {})}
    yield _named({"type": "response.output_item.added", "output_index": index, "item": begun})
    if item["type"] == "message":
        place = {"item_id": item["id"], "output_index": index, "content_index": 0}
        part = item["content"][0]
        yield _named({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
        yield from _text(reply, lambda new: _named({"type": "response.output_text.delta", **place, "delta": new}))
        yield _named({"type": "response.output_text.done", **place, "text": reply.text})
        yield _named({"type": "response.content_part.done", **place, "part": part})
    yield _named({"type": "response.output_item.done", "output_index": index, "item": item})


def _responses_stream(reply: Reply, asked: Asked) -> Iterator[Piece]:
    whole = _responses_whole(reply, asked)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    items = (_responses_item(reply, index, item) for index, item in enumerate(whole["output"]))
    pieces: Iterator[Piece] = itertools.chain(
        [_named({"type": "response.created", "response": begun})],
        itertools.chain.from_iterable(items),
        [_named({"type": "response.completed", "response": whole})],
    )
    numbers = itertools.count()
    for piece in pieces:
        if isinstance(piece, Event) and isinstance(piece.data, dict):
            piece.data["sequence_number"] = next(numbers)
        yield piece


# --- OpenAI Chat Completions


def _chat_calls(reply: Reply) -> list[Json]:
    return [
        {
            "index": index,
            "id": _id("call_"),
            "type": "function",
            "function": {"name": tool.name, "arguments": json.dumps(tool.input)},
        }
        for index, tool in enumerate(reply.tools)
    ]


def _chat_whole(reply: Reply, asked: Asked) -> Json:
    calls = _chat_calls(reply)
    message = {"role": "assistant", "content": reply.text, **({"tool_calls": calls} if calls else {})}
    return {
        "id": _id("chatcmpl-"),
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": reply.tokens_in,
            "completion_tokens": reply.tokens_out,
            "total_tokens": reply.tokens_in + reply.tokens_out,
            "prompt_tokens_details": {"cached_tokens": reply.tokens_cached},
        },
    }


def _chat_stream(reply: Reply, asked: Asked) -> Iterator[Piece]:
    whole = {**_chat_whole(reply, asked), "object": "chat.completion.chunk"}
    usage, [choice] = whole.pop("usage"), whole["choices"]

    def event(delta: Json, finish: str | None = None) -> Event:
        return Event({**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield event({"role": "assistant", "content": ""})
    yield from _text(reply, lambda part: event({"content": part}))
    if calls := choice["message"].get("tool_calls"):
        yield event({"tool_calls": calls})
    yield event({}, choice["finish_reason"])
    yield Event({**whole, "choices": [], "usage": usage})
    yield Event("[DONE]")


# --- Gemini


def _gemini_packet(reply: Reply, asked: Asked, parts: list[Json], finish: str = "") -> Json:
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}}
    usage = {
        "promptTokenCount": reply.tokens_in,
        "candidatesTokenCount": reply.tokens_out,
        "cachedContentTokenCount": reply.tokens_cached,
        "totalTokenCount": reply.tokens_in + reply.tokens_out,
    }
    ended = {"finishReason": finish} if finish else {}
    return {"candidates": [{**candidate, **ended}], "usageMetadata": usage, "modelVersion": asked.model}


def _gemini_calls(reply: Reply) -> list[Json]:
    return [{"functionCall": {"name": tool.name, "args": tool.input}} for tool in reply.tools]


def _gemini_whole(reply: Reply, asked: Asked) -> Json:
    return _gemini_packet(
        reply, asked, [*([{"text": reply.text}] if reply.text else []), *_gemini_calls(reply)], "STOP"
    )


def _gemini_stream(reply: Reply, asked: Asked) -> Iterator[Piece]:
    yield from _text(reply, lambda part: Event(_gemini_packet(reply, asked, [{"text": part}])))
    yield Event(_gemini_packet(reply, asked, _gemini_calls(reply) or [{"text": ""}], "STOP"))


WHOLE: dict[str, Whole] = {
    "anthropic": _anthropic_message,
    "responses": _responses_whole,
    "chat": _chat_whole,
    "gemini": _gemini_whole,
}
STREAM: dict[str, Stream] = {
    "anthropic": _anthropic_stream,
    "responses": _responses_stream,
    "chat": _chat_stream,
    "gemini": _gemini_stream,
}
