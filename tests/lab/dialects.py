"""What agents ask of a model, in one form for four dialects: functions.

Every request carries the whole conversation. What a person typed is among its user texts, beside what the agent put
there itself: reminders, rules, the surroundings. Those are told by how they begin.

What surprised us: agents ask side questions (titles, summaries, structured answers), which offer the model no tools;
a request for a suggestion offers tools and looks like a turn; aider never offers tools, and answers itself in the
user's name ("I updated the files."); Claude Code puts "system" messages between those of the user.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
INJECTED = (
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<command-name>",
    "<command-message>",
    "<local-command",
    "<turn_aborted>",
    "<session_context>",
    "<task-notification>",
    "<bash-",
    "<user_shell_command>",
    "<collaboration_mode>",
    "[Request interrupted by user",
    "# AGENTS.md instructions",
    "This is the Gemini CLI.",
    "I updated the files.",
    "^C KeyboardInterrupt",
    "I am not sharing any files",
    "I have *added these files",
    "Here are summaries of some files",
    "Change the greeting to be more casual",
    "I switched to a new code base.",
    "# Aider chat conversation:",
    "CRITICAL: Respond with TEXT ONLY.",
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
)
# aider's rules, which it hangs onto the newest text.
RULES = re.compile(r"\n\nTo suggest changes to a file you MUST return the entire content.*\Z", re.DOTALL)
# What it hangs onto a text whose work was interrupted before a word of the answer came.
STOPPED = re.compile(r"\n\^C KeyboardInterrupt\Z")
SUGGESTION = "[SUGGESTION MODE"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing in a conversation."""

    role: str  # user, assistant, tool
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of an agent to its model."""

    dialect: str
    model: str
    stream: bool
    tools: tuple[str, ...]  # the names it offers
    said: tuple[Said, ...]  # the conversation, oldest first; without system and developer messages

    @property
    def typed(self) -> tuple[str, ...]:
        """All that a person typed, in order."""
        return tuple(one.text for one in self.said if one.role == "user" and not injected(one.text))

    @property
    def newest(self) -> str:
        """What a person typed last."""
        return self.typed[-1] if self.typed else ""

    @property
    def result(self) -> str | None:
        """The result of a tool, where the agent brings one and nothing typed after it."""
        for one in reversed(self.said):
            if one.role == "tool":
                return one.text
            if one.role == "assistant" or not injected(one.text):
                return None
        return None

    @property
    def suggests(self) -> bool:
        return self.newest.startswith(SUGGESTION)


def injected(text: str) -> bool:
    """The agent wrote this in the user's name."""
    return not text.strip() or text.lstrip().startswith(INJECTED)


def texts(content: object) -> Iterator[str]:
    """The texts of a message's content: a text, or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _anthropic(body: Json) -> Iterator[Said]:
    for message in body.get("messages") or ():
        role, content = str(message.get("role")), message.get("content")
        if role not in ("user", "assistant"):
            continue
        for part in [{"text": content}] if isinstance(content, str) else content or ():
            if part.get("type") == "tool_result":
                yield Said("tool", "\n".join(texts(part.get("content"))))
            else:
                yield from (Said(role, text) for text in texts([part]))


def _responses(body: Json) -> Iterator[Said]:
    items = body.get("input") or ()
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        kind = item.get("type", "message")
        if kind in ("function_call_output", "custom_tool_call_output"):
            output = item.get("output")
            yield Said("tool", "\n".join(texts(output)) or json.dumps(output))
        elif kind == "message" and item.get("role") in ("user", "assistant"):
            yield from (Said(str(item["role"]), text) for text in texts(item.get("content")))
        elif kind in ("function_call", "custom_tool_call"):
            yield Said("assistant", "")


def _chat(body: Json) -> Iterator[Said]:
    for message in body.get("messages") or ():
        role = str(message.get("role"))
        if role in ("user", "assistant", "tool"):
            text = "\n".join(texts(message.get("content")))
            yield Said(role, STOPPED.sub("", RULES.sub("", text)) if role == "user" else text)


def _gemini(body: Json) -> Iterator[Said]:
    for content in body.get("contents") or ():
        role = "assistant" if content.get("role") == "model" else "user"
        for part in content.get("parts") or ():
            if "functionResponse" in part:
                yield Said("tool", json.dumps(part["functionResponse"].get("response"), ensure_ascii=False))
            else:
                yield from (Said(role, text) for text in texts([part]))


def _names(tools: Iterable[Json]) -> Iterator[str]:
    for tool in tools:
        if "functionDeclarations" in tool:
            yield from (str(one.get("name")) for one in tool["functionDeclarations"])
        else:
            yield str((tool.get("function") or tool).get("name") or tool.get("type"))


READERS: dict[str, Callable[[Json], Iterator[Said]]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}
PATHS = (
    (r"/messages$", "anthropic"),
    (r"/responses$", "responses"),
    (r"/chat/completions$", "chat"),
    (r":(?:streamG|g)enerateContent$", "gemini"),
)


def dialect_of(path: str) -> str | None:
    return next((name for pattern, name in PATHS if re.search(pattern, path)), None)


def read(dialect: str, path: str, body: Json) -> Asked:
    """A request's body in the common form."""
    in_path = re.search(r"/models/([^/:]+)", path)
    return Asked(
        dialect=dialect,
        model=str(body.get("model") or (in_path[1] if in_path else "")),
        stream=path.endswith(":streamGenerateContent") or bool(body.get("stream")),
        tools=tuple(_names(body.get("tools") or ())),
        said=tuple(READERS[dialect](body)),
    )


def new_texts(before: tuple[str, ...], now: tuple[str, ...]) -> tuple[str, ...]:
    """What was typed since the request before: a conversation goes on, or was rewritten from some point on."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return now[same:]
