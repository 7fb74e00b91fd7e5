"""What hooks tell: the bodies that real agents wrote, the traps, and everything that is none."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.state.claims import AgentState, Source
from paneward.core.state.hooks import (
    END,
    FRESH,
    LONGEST,
    PROOFS,
    REMEMBERED,
    SIGNALS,
    SILENT,
    STORM,
    Conversation,
    Echoes,
    Heard,
    HookClaims,
    MalformedHook,
    What,
    lasting,
    read_hook,
    read_line,
    read_spooled,
    same_text,
)

CORPUS = sorted((Path(__file__).parents[2] / "corpus/hooks").glob("*.jsonl"))
BUSY, IDLE = AgentState.BUSY, AgentState.IDLE
PERMISSION, QUESTION = AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION


def bodies(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def heard_in(path: Path) -> list[Heard]:
    return [read_hook(path.stem.partition("-")[0], body, at=float(n)) for n, body in enumerate(bodies(path))]


def hook(name: str, agent: str = "claude", at: float = 0.0, **body: Any) -> Heard:
    return read_hook(agent, {"hook_event_name": name, "session_id": "s", **body}, at)


def bash(name: str, command: str = "ls", **more: Any) -> Heard:
    return hook(name, tool_name="Bash", tool_input={"command": command}, **more)


def spooled(body: object, head: str = "claude\t%3\t/tmp/tmux-1000/default,12,0") -> bytes:
    return head.encode() + b"\n" + json.dumps(body).encode() + END


# --- what real agents wrote


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_every_hook_of_a_real_agent_is_read(path: Path) -> None:
    facts = heard_in(path)
    prompts = [one.text for one in facts if one.what is What.PROMPT]
    wanted = ["Count the words of this line, please", "make one\nin two lines", "ask me something", "what now"]
    assert prompts == [one for one in wanted if "ask" not in one or path.stem.startswith(("claude", "gemini"))]
    stops = [one.text for one in facts if one.what is What.STOP]
    assert len(stops) == len(prompts)
    assert stops[0] == ("" if path.stem.startswith("gemini") else "There are nine.")
    assert len({one.session for one in facts}) == 1
    assert {What.SESSION_BEGINS, What.SESSION_ENDS, What.COMPACTION} <= {one.what for one in facts}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_the_hooks_of_a_real_agent_claim_one_after_the_other(path: Path) -> None:
    """Busy with each prompt, asking at each dialog, at rest after each stop; no sub-agent and no notification changes
    that."""
    claims, said = HookClaims(), list[AgentState]()
    for one in heard_in(path):
        claims.hear(one, 0.0, one.at)
        claim = claims.claim(one.at)
        if claim is not None and (not said or said[-1] is not claim.state):
            said.append(claim.state)
    asks = Counter(said)
    assert said[:2] == [BUSY, IDLE]
    assert asks[IDLE] == len([one for one in heard_in(path) if one.what is What.STOP])
    assert asks[QUESTION] + asks[PERMISSION] == {"claude": 2, "codex": 1, "gemini": 2}[path.stem.partition("-")[0]]


def test_the_words_of_a_question_are_read() -> None:
    [path] = [one for one in CORPUS if "2.1.325" in one.stem]
    asked = [one for one in heard_in(path) if one.what is What.QUESTION]
    assert {one.text for one in asked} == {"Which colour do you want?"}
    assert {one.question for one in asked} == {"question"}


# --- the traps


def test_the_hook_before_a_tool_means_waiting_only_for_tools_that_ask() -> None:
    assert bash("PreToolUse").what is What.TOOL_BEGINS
    assert hook("PreToolUse", tool_name="AskUserQuestion").what is What.QUESTION
    assert hook("PreToolUse", tool_name="ExitPlanMode").question == "plan"
    assert hook("BeforeTool", "gemini", tool_name="ask_user").what is What.QUESTION


def claimed(*facts: Heard) -> AgentState | None:
    claims = HookClaims()
    for one in facts:
        claims.hear(one, 0.0, 1.0)
    claim = claims.claim(1.0)
    return None if claim is None else claim.state


def test_an_unrelated_tool_that_ends_does_not_end_a_wait() -> None:
    asked = bash("PermissionRequest", "rm -r build")
    assert claimed(asked) is PERMISSION
    assert claimed(asked, bash("PostToolUse", "ls")) is PERMISSION
    assert claimed(asked, bash("PreToolUse", "ls")) is PERMISSION
    assert claimed(asked, hook("PostToolUse", tool_name="Read", tool_input={})) is PERMISSION
    assert claimed(asked, bash("PostToolUse", "rm -r build", agent_id="sub")) is PERMISSION
    assert claimed(asked, bash("PostToolUse", "rm -r build")) is BUSY


def test_the_answered_question_ends_its_wait_although_the_tool_was_given_more() -> None:
    asked = hook("PreToolUse", tool_name="AskUserQuestion", tool_input={"questions": []})
    ended = hook("PostToolUse", tool_name="AskUserQuestion", tool_input={"questions": [], "answers": {"a": "b"}})
    assert claimed(asked) is QUESTION
    assert claimed(asked, ended) is BUSY


def test_a_notification_carries_no_content_and_takes_none_away() -> None:
    notice = hook("Notification", notification_type="permission_prompt", message="Claude needs your permission")
    assert (notice.text, notice.what) == ("", What.NOTIFICATION)
    assert claimed(notice) is QUESTION
    assert claimed(bash("PermissionRequest"), notice) is PERMISSION
    assert claimed(hook("Notification", notification_type="idle_prompt")) is None


def test_the_stop_of_a_sub_agent_is_not_that_of_its_parent() -> None:
    prompt = hook("UserPromptSubmit", prompt="go")
    for name in ("SubagentStop", "Stop"):
        sub = hook(name, agent_id="a1", last_assistant_message="sub is done")
        assert sub.what is What.SUBAGENT_STOP
        assert not lasting(sub)
        assert claimed(prompt, sub) is BUSY
    assert claimed(prompt, hook("Stop")) is IDLE


def test_a_sub_agent_that_asks_asks_the_human() -> None:
    assert claimed(bash("PermissionRequest", agent_id="a1")) is PERMISSION


def test_a_compaction_is_work_and_another_conversation_changes_nothing_else() -> None:
    assert claimed(hook("PreCompact")) is BUSY
    assert claimed(hook("PreCompact"), hook("PostCompact")) is None
    begins = hook("SessionStart", source="compact", session_id="t")
    assert (begins.what, begins.session) == (What.SESSION_BEGINS, "t")
    assert claimed(hook("Stop"), begins) is None


def test_a_claim_ends_with_its_time_and_a_hook_of_long_ago_makes_none() -> None:
    claims = HookClaims()
    claims.hear(hook("UserPromptSubmit", prompt="go"), 1.0, 10.0)
    claim = claims.claim(10.0)
    assert claim is not None
    assert (claim.source, claim.since) == (Source.HOOK, 9.0)
    assert claims.claim(9.0 + PROOFS[What.PROMPT].lasts) is None
    claims = HookClaims()
    claims.hear(hook("UserPromptSubmit", prompt="go"), FRESH + 0.1, 10.0)
    assert claims.claim(10.0) is None


def test_every_kind_that_proves_something_says_for_how_long() -> None:
    assert all(0 < proof.lasts <= 3600 for proof in PROOFS.values())


# --- storms


def test_four_hundred_equal_hooks_in_a_hundred_seconds_are_one() -> None:
    for more in ({}, {"prompt_id": "p1"}):
        echoes = Echoes()
        storm = [hook("UserPromptSubmit", at=n / 4, prompt="go", **more) for n in range(400)]
        assert [echoes.fresh(one) for one in storm] == [True] + [False] * 399
        assert echoes.count == 399


def test_the_same_words_said_again_later_are_new() -> None:
    echoes = Echoes()
    first = hook("UserPromptSubmit", at=0, prompt="go on")
    assert echoes.fresh(first)
    assert echoes.fresh(hook("Stop", at=1))
    assert echoes.fresh(hook("UserPromptSubmit", at=2, prompt="go on"))  # something was in between
    assert echoes.fresh(hook("UserPromptSubmit", at=2 + STORM, prompt="go on"))
    assert echoes.fresh(hook("UserPromptSubmit", at=3, prompt="go on", prompt_id="p1"))
    assert echoes.fresh(hook("UserPromptSubmit", at=3, prompt="go on", prompt_id="p2"))


def test_the_memory_of_echoes_is_bounded() -> None:
    echoes = Echoes()
    for n in range(10 * REMEMBERED):
        assert echoes.fresh(hook("UserPromptSubmit", at=n, prompt=str(n), prompt_id=str(n)))
    assert not echoes.fresh(hook("UserPromptSubmit", at=n, prompt=str(n), prompt_id=str(n)))
    assert echoes.fresh(hook("UserPromptSubmit", at=n, prompt="0", prompt_id="0"))


# --- what a hook wrote


def test_a_spooled_hook_says_who_and_where() -> None:
    found = read_spooled(spooled({"hook_event_name": "UserPromptSubmit", "prompt": "a\tb\nc"}), 7.5)
    assert (found.agent, found.pane, found.socket, found.at) == ("claude", "%3", "/tmp/tmux-1000/default", 7.5)
    assert found.text == "a\tb\nc"
    assert found.evidence == "claude's UserPromptSubmit hook"


@pytest.mark.parametrize("pane", ["", "7", "%", "%x", "%3; kill-server", "$1"])
def test_a_hook_without_a_pane_is_read_and_has_none(pane: str) -> None:
    assert read_spooled(spooled({"hook_event_name": "Stop"}, f"codex\t{pane}\t"), 0).pane == ""


BROKEN = {
    "empty": b"",
    "half a line": b"claude\t%3",
    "no end": spooled({"hook_event_name": "Stop"})[: -len(END)],
    "cut": spooled({"hook_event_name": "Stop"})[:40] + END,
    "no body": b"claude\t%3\t\n" + END,
    "not JSON": b"claude\t%3\t\nhello" + END,
    "no object": spooled(["hook_event_name"]),
    "a number": spooled(5),
    "no name": spooled({}),
    "a name that is no text": spooled({"hook_event_name": ["Stop"]}),
    "an unknown name": spooled({"hook_event_name": "Lunch"}),
    "an unknown agent": spooled({"hook_event_name": "Stop"}, "cursor\t%3\t"),
    "a short head": spooled({"hook_event_name": "Stop"}, "claude\t%3"),
    "a long head": spooled({"hook_event_name": "Stop"}, "claude\t%3\t\t"),
    "a prompt without words": spooled({"hook_event_name": "UserPromptSubmit"}),
    "deep": b"claude\t%3\t\n" + b"[" * 100_000 + END,
    "no state": spooled({"message": "x"}, "signal\t%3\t"),
    "an unknown state": spooled({"state": "happy"}, "signal\t%3\t"),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_is_one_error_with_a_reason(data: bytes) -> None:
    with pytest.raises(MalformedHook, match=r"\w+ \w+"):
        read_spooled(data, 0.0)


def test_what_is_too_long_is_not_read() -> None:
    with pytest.raises(MalformedHook, match="more than"):
        read_spooled(b"x" * (LONGEST + 1), 0.0)
    with pytest.raises(MalformedHook, match="more than"):
        read_line(b"x" * (LONGEST + 1), 0.0)


@given(st.binary(max_size=300), st.booleans())
def test_no_bytes_at_all_raise_anything_else(data: bytes, framed: bool) -> None:
    try:
        found = read_spooled(b"claude\t%3\t\n" + data + END if framed else data, 0.0)
    except MalformedHook:
        return
    assert found.what in What


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("prompt", "session_id", "prompt_id", "tool_name", "tool_input", "agent_id", "last_assistant_message")


@given(st.sampled_from(["UserPromptSubmit", "Stop", "PreToolUse", "Notification"]), st.data())
def test_a_known_hook_with_any_values_is_read_or_refused(name: str, data: st.DataObject) -> None:
    body = {key: data.draw(VALUES) for key in KEYS}
    try:
        found = read_hook("claude", {**body, "hook_event_name": name}, 0.0)
    except MalformedHook:
        assert not isinstance(body["prompt"], str)
        return
    HookClaims().hear(found, 0.0, 0.0)
    Echoes().fresh(found)
    assert isinstance(found.text, str)


# --- signals


@pytest.mark.parametrize("state", SIGNALS)
def test_a_signal_is_read_from_a_line_and_from_the_spool(state: str) -> None:
    body = {"state": state, "message": "tests are green"}
    line, file = read_line(json.dumps(body).encode(), 3.0), read_spooled(spooled(body, "signal\t%3\t/s,1,0"), 3.0)
    for found in (line, file):
        assert (found.what, found.state, found.text, found.at) == (What.SIGNAL, state, "tests are green", 3.0)
        assert lasting(found)
    assert (line.pane, file.pane) == ("", "%3")


# --- whose text it is


@pytest.mark.parametrize(
    ("prompt", "sent", "same"),
    [
        ("fix it", "fix it", True),
        ("fix it", " fix it\n", True),  # a guard that was added, a newline that was cut
        ("a    b", "a\tb", True),
        ("\u00e9", "e\u0301", True),
        ("a\nb", "a\r\nb", True),
        ("fix it", "fix  it", False),
        ("fix it now", "fix it", False),
        ("", "x", False),
    ],
)
def test_a_prompt_is_the_text_that_was_sent_but_for_what_agents_change(prompt: str, sent: str, same: bool) -> None:
    assert same_text(prompt, sent) is same


# --- whose conversation it is


def test_a_conversation_is_taken_over_at_rest_and_when_it_goes_on_under_another_id() -> None:
    own = Conversation()
    assert own.own(hook("UserPromptSubmit", prompt="x"), resting=True)
    assert own.current == "s"
    assert not own.own(hook("Stop", session_id="inner"), resting=False)
    assert not own.own(hook("SessionStart", session_id="inner", source="startup"), resting=False)
    assert own.own(hook("Stop"), resting=False)
    assert own.own(hook("SessionStart", session_id="t", source="compact"), resting=False)
    assert own.current == "t"
    assert own.own(hook("Stop", session_id="u"), resting=True)
    assert own.current == "u"


def test_a_conversation_that_ended_or_fell_silent_holds_nobody_off() -> None:
    own = Conversation("s")
    assert own.own(hook("SessionEnd", at=1.0), resting=False)
    assert own.own(hook("UserPromptSubmit", at=2.0, prompt="x", session_id="t"), resting=False)
    assert not own.own(hook("UserPromptSubmit", at=3.0, prompt="x", session_id="u"), resting=False)
    assert own.own(hook("UserPromptSubmit", at=3.0 + SILENT, prompt="x", session_id="u"), resting=False)
    assert own.own(read_line(b'{"state": "idle"}', 0.0), resting=False)
