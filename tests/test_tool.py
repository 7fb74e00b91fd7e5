"""The tool for language models: exact first lines, and words for everything that is wrong."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from paneward.core.errors import Code, PaneNotFound
from paneward.core.result import Menu, Option, Readiness, ReadyVerdict, Rung, SendResult, Verdict
from paneward.tool import TmuxTool, ToolResponse, tool_prompt, tool_schema

SENT = SendResult(
    Verdict.CONFIRMED, Rung.SUBMITTED, "the prompt is back and empty", notes=("1 control character removed",)
)
READY = Readiness(ReadyVerdict.READY, "shell", "bash reads", elapsed=0.2, screen="$ ls\na b\n$")


@dataclass
class Panes:
    """A connection that answers what it was told to and remembers what it was asked."""

    result: SendResult = SENT
    ready: Readiness = READY
    error: PaneNotFound | None = None
    dialog: Menu | None = None
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    async def send_text(self, pane: str, text: str) -> SendResult:
        self._note("send_text", pane, text)
        return self.result

    async def send_keys(self, pane: str, *keys: str) -> SendResult:
        self._note("send_keys", pane, *keys)
        return self.result

    async def capture(self, pane: str, lines: int = 50) -> str:
        self._note("capture", pane, lines)
        return "the screen"

    async def menu(self, pane: str) -> Menu | None:
        self._note("menu", pane)
        return self.dialog

    async def answer(self, pane: str, text: str | None = None, **how: Any) -> SendResult:
        self._note("answer", pane, text, how)
        return self.result

    async def wait_ready(
        self,
        pane: str,
        timeout: float | None = None,
        prompt_pattern: str | None = None,
        accept_stable: bool = False,
    ) -> Readiness:
        self._note("wait_ready", pane, timeout, prompt_pattern, accept_stable)
        return self.ready

    def _note(self, *asked: Any) -> None:
        self.asked.append(asked)
        if self.error:
            raise self.error


def execute(panes: Panes, **args: Any) -> str:
    response = asyncio.run(TmuxTool(panes).execute(**{"pane": "%3", **args}))
    assert response == ToolResponse(response.message, break_loop=False)
    return response.message


@pytest.mark.parametrize("action", ["dance", "", "None"])
def test_an_unknown_action_lists_the_valid_ones(action: str) -> None:
    panes = Panes()
    expected = f"Unknown action '{action.lower()}'. Valid actions: send, keys, read, wait_ready, wait, menu, answer."
    assert execute(panes, action=action) == expected
    assert panes.asked == []


def test_an_action_may_be_written_in_any_case_and_with_blanks() -> None:
    assert execute(Panes(), action=" READ ") == "the screen"


def test_arguments_of_the_tool_hold_unless_the_call_says_otherwise() -> None:
    panes = Panes()
    tool = TmuxTool(panes, {"action": "read", "pane": "%1", "lines": 5})
    asyncio.run(tool.execute())
    asyncio.run(tool.execute(pane="%2"))
    tool.args["lines"] = 6
    asyncio.run(tool.execute())
    assert panes.asked == [("capture", "%1", 5), ("capture", "%2", 5), ("capture", "%1", 6)]


@pytest.mark.parametrize(
    ("args", "missing"),
    [
        ({"action": "read", "pane": ""}, "Missing pane"),
        ({"action": "read", "pane": None}, "Missing pane"),
        ({"action": "send"}, "Missing text"),
        ({"action": "send", "text": 3}, "Missing text"),
        ({"action": "keys"}, "Missing keys"),
        ({"action": "keys", "keys": []}, "Missing keys"),
        ({"action": "keys", "keys": 3}, "Missing keys"),
    ],
)
def test_what_is_missing_is_said_with_an_example_and_nothing_is_done(args: dict[str, Any], missing: str) -> None:
    panes = Panes()
    assert execute(panes, **args).startswith(missing)
    assert panes.asked == []


def test_send_types_the_text_as_it_is_and_tells_the_evidence() -> None:
    panes = Panes()
    assert execute(panes, action="send", text=" make test\n") == (
        "sent (the prompt is back and empty)\n1 control character removed"
    )
    assert panes.asked == [("send_text", "%3", " make test\n")]


@pytest.mark.parametrize(
    ("keys", "pressed"),
    [("C-c", ["C-c"]), ("Down Enter", ["Down", "Enter"]), (["Down", "Enter"], ["Down", "Enter"]), (" ", [" "])],
)
def test_keys_are_names_in_a_list_or_in_one_text(keys: object, pressed: list[str]) -> None:
    panes = Panes()
    assert execute(panes, action="keys", keys=keys).startswith("pressed (")
    assert panes.asked == [("send_keys", "%3", *pressed)]


def test_a_failed_delivery_tells_its_code_what_was_seen_and_what_to_do() -> None:
    failed = SendResult(
        Verdict.FAILED, Rung.RENDERED, "", error_type=Code.SEND_FAILED, detail="it still stands there", hint="Look."
    )
    assert execute(Panes(failed), action="send", text="x") == "SEND_FAILED: it still stands there\nLook."


def test_an_unconfirmed_delivery_is_not_called_sent() -> None:
    result = SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "no composer could be read")
    assert execute(Panes(result), action="send", text="x").startswith("unconfirmed: no composer could be read")


@pytest.mark.parametrize("action", ["send", "keys", "read", "wait_ready"])
def test_a_failure_of_the_outside_is_words_not_an_exception(action: str) -> None:
    panes = Panes(error=PaneNotFound("no pane is called '%3'", hint="List them."))
    message = execute(panes, action=action, text="x", keys="Up")
    assert message == "PANE_NOT_FOUND: no pane is called '%3'\nList them."


@pytest.mark.parametrize(
    ("lines", "read"),
    [(None, 100), (7, 7), ("7", 7), (7.9, 7), ("many", 100), (0, 100), (-3, 100), (True, 100), (10**9, 10_000)],
)
def test_read_returns_a_hundred_lines_unless_told_otherwise(lines: object, read: int) -> None:
    panes = Panes()
    execute(panes, action="read", **({} if lines is None else {"lines": lines}))
    assert panes.asked == [("capture", "%3", read)]


@pytest.mark.parametrize(
    ("ready", "first"),
    [
        (READY, "ready (prompt matched)"),
        (Readiness(ReadyVerdict.STABLE, "quiet", "e", accept_stable=True), "ready (stable)"),
        (Readiness(ReadyVerdict.STABLE, "quiet", "e", elapsed=10.01), "wait_ready timed out after 10s"),
        (
            Readiness(ReadyVerdict.AWAITING_ANSWER, "q", "e", question="Continue? [y/N]"),
            "awaiting_answer: Continue? [y/N]",
        ),
        (Readiness(ReadyVerdict.AWAITING_ANSWER, "echo", "the echo is off"), "awaiting_answer: the echo is off"),
        (Readiness(ReadyVerdict.BUSY, "process", "e"), "busy"),
        (Readiness(ReadyVerdict.DEAD, "pane", "exit status 1"), "dead: exit status 1"),
        (Readiness(ReadyVerdict.TIMEOUT, "-", "e", elapsed=120.02), "wait_ready timed out after 120s"),
    ],
)
def test_the_first_line_tells_the_verdict_and_the_screen_follows(ready: Readiness, first: str) -> None:
    assert execute(Panes(ready=ready), action="wait_ready") == f"{first}\n{ready.screen}"


@pytest.mark.parametrize(("timeout", "told"), [(3, "3s"), (2.5, "2.5s"), ("soon", "10s")])
def test_a_time_out_names_the_time_that_was_asked_for(timeout: object, told: str) -> None:
    late = Readiness(ReadyVerdict.TIMEOUT, "-", "e", elapsed=99.0, screen="...")
    assert execute(Panes(ready=late), action="wait_ready", timeout=timeout) == f"wait_ready timed out after {told}\n..."


BAD_TIMEOUTS: list[object] = ["soon", "", None, -1, 0, True, [], float("nan"), float("inf"), "1e999", 10**400]


@pytest.mark.parametrize(
    ("timeout", "waited"),
    [(1, 1.0), (120, 120.0), ("30", 30.0), (0.5, 0.5), *((bad, 10.0) for bad in BAD_TIMEOUTS)],
)
def test_a_bad_timeout_means_ten(timeout: object, waited: float) -> None:
    panes = Panes()
    execute(panes, action="wait_ready", timeout=timeout)
    assert panes.asked == [("wait_ready", "%3", waited, None, False)]


def test_without_a_timeout_the_profile_decides() -> None:
    panes = Panes()
    execute(panes, action="wait_ready", accept_stable="true", prompt_pattern="sql> $")
    assert panes.asked == [("wait_ready", "%3", None, "sql> $", True)]


@pytest.mark.parametrize("pattern", ["[", "(?P<a>", "*", "a{99999999999999}", 3, ["x"]])
def test_an_invalid_pattern_is_a_message_before_anything_is_waited_for(pattern: object) -> None:
    panes = Panes()
    assert execute(panes, action="wait_ready", prompt_pattern=pattern).startswith("Invalid prompt_pattern: ")
    assert panes.asked == []


@pytest.mark.parametrize(("flag", "taken"), [(True, True), ("True", True), ("false", False), (None, False), (0, False)])
def test_accept_stable_is_read_as_models_write_it(flag: object, taken: bool) -> None:
    panes = Panes()
    execute(panes, action="wait_ready", accept_stable=flag)
    assert panes.asked == [("wait_ready", "%3", None, None, taken)]


def test_a_dialog_is_read_and_answered() -> None:
    panes = Panes(dialog=Menu("Go on?", (Option(1, "Yes"), Option(2, "No")), 0, None, False, "f"))
    assert execute(panes, action="menu") == "asks: Go on?\n1. Yes\n2. No"
    assert execute(Panes(), action="menu") == "no dialog is open"
    assert execute(panes, action="answer", key="y").startswith("answered")
    assert panes.asked[-1] == ("answer", "%3", None, {"key": "y"})
    assert execute(panes, action="answer").startswith("Give one of")
    assert execute(panes, action="answer", key="y", text="y").startswith("Give one of")


def test_the_schema_knows_every_action_and_argument() -> None:
    schema = tool_schema()
    listed = execute(Panes(), action="?").rstrip(".").partition("Valid actions: ")[2].split(", ")
    assert schema["properties"]["action"]["enum"] == listed
    examples = [
        json.loads(block)["tool_args"] for block in re.findall(r"```json\n(.*?)\n```", tool_prompt(), re.DOTALL)
    ]
    assert {name for example in examples for name in example} <= set(schema["properties"])


def test_every_example_of_the_prompt_page_works() -> None:
    examples = [json.loads(block) for block in re.findall(r"```json\n(.*?)\n```", tool_prompt(), re.DOTALL)]
    assert {example["tool_args"]["action"] for example in examples} == {
        "send",
        "keys",
        "read",
        "wait_ready",
        "menu",
        "answer",
    }
    for example in examples:
        panes = Panes()
        assert not execute(panes, **example["tool_args"]).startswith(("Missing", "Unknown", "Invalid"))
        assert len(panes.asked) == 1


def test_the_prompt_page_names_every_first_line() -> None:
    for first in (
        "ready (prompt matched)",
        "ready (stable)",
        "awaiting_answer:",
        "`busy`",
        "wait_ready timed out after",
    ):
        assert first in tool_prompt()
