"""What the command line makes of a server's answers, and where it looks for the server: without one."""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paneward.client.agents import counts, stored
from paneward.client.panes import receipt, socket_of
from paneward.client.records import revive
from paneward.client.remote import failure, heard
from paneward.client.replies import CliReply, body_of
from paneward.client.whereabouts import Whereabouts, tell, token_of, told, untell
from paneward.core.agent.events import Stored
from paneward.core.agent.record import Agent, Stage, Turn, number_of
from paneward.core.errors import Code, InvalidInput, PanewardError, ServerError
from paneward.core.result import Menu, Option, Readiness, ReadyVerdict, Rung, SendResult, Verdict
from paneward.surfaces import wire
from paneward.surfaces.cli.answers import AgentList, OneOfMany, Outcomes, Seat, document, exit_code, flat
from paneward.surfaces.cli.commands.popup import binding, reply_of
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.show.agents import in_words
from paneward.surfaces.cli.show.lines import ago

COLOURS = Menu(
    question="Which colour?",
    options=(Option(1, "Red"), Option(2, "Green"), Option(3, "Type something.")),
    selected=0,
    free_text=2,
    multi=False,
    fingerprint="3fb1c0ffee3fb1c0",
)
CHECKS = Menu("What to check?", (Option(1, "Types"), Option(2, "Style")), 0, None, True, "0123456789abcdef")
ASKING = Agent("claude-1", stage=Stage.AWAITING_INPUT, pane="%3", question=COLOURS, labels=("backend", "fast"))


# --- records


@pytest.mark.parametrize(
    "record",
    [
        ASKING,
        COLOURS,
        SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the composer is empty again", notes=("a", "b"), latency_ms=1.5),
        Readiness(ReadyVerdict.BUSY, "busy_mark", "it works", 1.25),
        Turn("claude-1", "USER", "COMMAND", "go on"),  # type: ignore[arg-type]
    ],
)
def test_a_record_comes_back_from_the_wire_as_it_was(record: Any) -> None:
    assert revive(type(record), json.loads(json.dumps(wire.plain(record)))) == record


def test_a_key_of_a_newer_server_is_left_out_and_a_missing_one_has_its_default() -> None:
    agent = revive(Agent, {"id": "claude-1", "mood": "fine"})
    assert agent == Agent("claude-1")


@pytest.mark.parametrize("data", [None, [], "text", {}, {"id": "a", "stage": "DREAMING"}, {"id": "a", "question": 3}])
def test_what_is_no_record_is_an_error_of_the_server_and_not_a_traceback(data: Any) -> None:
    with pytest.raises(ServerError, match="no Agent that can be read") as caught:
        revive(Agent, data)
    assert "paneward status" in caught.value.hint


def test_a_receipt_is_read_from_both_places_where_it_can_stand() -> None:
    sent = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "seen", pane="%3")
    assert receipt(wire.receipt(sent)) == sent
    assert receipt({"status": "ok", "agent_id": "a", "receipt": wire.plain(sent)}) == sent


def test_the_error_of_a_receipt_is_spelled_as_ours_are() -> None:
    refused = SendResult(Verdict.FAILED, Rung.NOTHING, "a menu", Code.BLOCKED_BY_DIALOG, "a menu is open", "answer it")
    assert receipt(wire.receipt(refused)) == refused


def test_an_event_is_flat_on_the_wire_and_comes_back_whole() -> None:
    event = Stored(7, 12.5, "state_changed", "claude-1", {"old_state": "IDLE", "new_state": "COMMANDED"})
    assert stored(flat(event)) == event


# --- errors of the server


def test_an_error_of_the_server_is_the_error_that_it_is() -> None:
    told_of = {"error": {"code": "AGENT_NOT_FOUND", "message": "no agent is called x", "hint": "ps", "request_id": "1"}}
    error = failure(told_of, 404)
    assert (error.code, error.message, error.hint) == (Code.AGENT_NOT_FOUND, "no agent is called x", "ps")


def test_a_code_that_only_the_server_knows_is_named() -> None:
    error = failure({"error": {"code": "TOO_MODERN", "message": "what now", "hint": ""}}, 418)
    assert (error.code, error.message) == (Code.SERVER_ERROR, "what now (TOO_MODERN)")


@pytest.mark.parametrize("answer", ["<html>", None, {"detail": "nope"}, {"error": "text"}])
def test_an_answer_that_is_none_of_ours_is_shown(answer: Any) -> None:
    assert "HTTP 502" in failure(answer, 502).message


# --- the event stream


def messages(text: str) -> list[Any]:
    return [(message.kind, *message) for message in heard(text.split("\n")) if message is not None]


def test_messages_of_a_stream_have_kind_number_and_data() -> None:
    text = ': paneward\nretry: 1000\n\nid: 7\ndata: {"kind": "gap", "a": 1}\n\ndata: plain\n\n'
    assert messages(text) == [("gap", 7, {"kind": "gap", "a": 1}), ("", None, "plain")]


def test_a_message_without_data_is_none_and_several_lines_are_one() -> None:
    assert messages(": \nid: 9\n\ndata: [1,\ndata: 2]\n\n") == [("", None, [1, 2])]


# --- where the server is


def test_where_a_server_is_is_told_to_its_owner_alone_and_untold(tmp_path: Path) -> None:
    where = Whereabouts("http://127.0.0.1:1", 12, "0.1.0")
    assert told(tmp_path) is None
    tell(tmp_path, where)
    assert told(tmp_path) == where
    assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["server.json"]
    untell(tmp_path, 13)
    assert told(tmp_path) == where, "another server's file stays"
    untell(tmp_path, 12)
    assert told(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": "x"}', '{"url": "x", "pid": "y", "version": "z"}', "\udcff"])
def test_a_broken_file_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert told(tmp_path) is None


def test_the_token_is_a_runtimes_own_else_the_operators_else_none(tmp_path: Path) -> None:
    assert token_of(tmp_path, {}) == ""
    (tmp_path / "token").write_text("operator\n")
    (tmp_path / "own").write_text("runtime\n")
    assert token_of(tmp_path, {}) == "operator"
    assert token_of(tmp_path, {"PANEWARD_TOKEN_FILE": str(tmp_path / "own")}) == "runtime"


@pytest.mark.parametrize(
    ("place", "env", "socket"),
    [
        (RootOptions(), {}, f"/tmp/tmux-{os.getuid()}/default"),
        (RootOptions(), {"TMUX": "/run/x/sock,123,0"}, "/run/x/sock"),
        (RootOptions(socket_name="work"), {"TMUX": "/run/x/sock,123,0"}, f"/tmp/tmux-{os.getuid()}/work"),
        (RootOptions(socket_name="work"), {"TMUX_TMPDIR": "/run"}, f"/run/tmux-{os.getuid()}/work"),
        (RootOptions(socket_path="/run/y"), {"TMUX": "/run/x/sock,123,0"}, "/run/y"),
    ],
)
def test_the_socket_is_the_one_that_tmux_itself_would_take(
    place: RootOptions, env: Mapping[str, str], socket: str
) -> None:
    assert socket_of(place, env) == socket


# --- several


CONFIRMED = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "")
GONE = PanewardError("gone", code=Code.PANE_NOT_FOUND)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([OneOfMany("a", CONFIRMED), OneOfMany("b", CONFIRMED)], 0),
        ([OneOfMany("a", CONFIRMED), OneOfMany("b", failure=GONE)], 4),
        (
            [
                OneOfMany("a", Readiness(ReadyVerdict.BUSY, "", "")),
                OneOfMany("b", Readiness(ReadyVerdict.BUSY, "", "")),
            ],
            5,
        ),
        ([OneOfMany("a", Readiness(ReadyVerdict.TIMEOUT, "", "")), OneOfMany("b", failure=GONE)], 1),
    ],
)
def test_several_exit_with_what_those_that_failed_have_in_common(outcomes: list[OneOfMany], code: int) -> None:
    answer = Outcomes(tuple(outcomes))
    assert exit_code(answer) == code
    written = document(answer)
    assert written["ok"] is (code == 0)
    assert [one["target"] for one in written["outcomes"]] == ["a", "b"]
    assert [one["ok"] for one in written["outcomes"]].count(True) == sum(one.answer is CONFIRMED for one in outcomes)


# --- answers


@pytest.mark.parametrize(
    ("reply", "menu", "body"),
    [
        (CliReply(text="go"), None, {"mode": "text", "text": "go"}),
        (CliReply(other="tabs"), COLOURS, {"mode": "other", "text": "tabs"}),
        (CliReply(select="Green"), None, {"mode": "select", "option_label": "Green"}),
        (CliReply(select=2), COLOURS, {"mode": "select", "option_index": 1, "fingerprint": COLOURS.fingerprint}),
        (CliReply(select=2, other="why"), None, {"mode": "select", "option_index": 1, "text": "why"}),
        (
            CliReply(multi=[2, "Types"]),
            CHECKS,
            {"mode": "multi_select", "answers": [[1, "Types"]], "fingerprint": CHECKS.fingerprint},
        ),
        (CliReply(text="go", fingerprint="f", startup=True), None, {"fingerprint": "f", "startup": True}),
    ],
)
def test_an_answer_names_options_by_their_place_and_the_dialog_they_were_read_in(
    reply: CliReply, menu: Menu | None, body: dict[str, Any]
) -> None:
    written = {name: value for name, value in body_of(reply, menu).items() if value is not None}
    assert {name: written.get(name) for name in body} == body
    assert reply.fingerprint is not None or "fingerprint" not in written or "fingerprint" in body


SCROLLED = replace(COLOURS, options=(Option(5, "Red"), Option(6, "Green")), free_text=None, hidden=True)


@pytest.mark.parametrize(("menu", "number"), [(COLOURS, 9), (SCROLLED, 6), (SCROLLED, 7), (None, 4)])
def test_a_number_is_counted_on_behind_what_is_shown_and_means_itself(menu: Menu | None, number: int) -> None:
    index = body_of(CliReply(select=number), menu)["option_index"]
    assert number_of(index, menu) == number


@pytest.mark.parametrize(("menu", "number"), [(COLOURS, 0), (SCROLLED, 2), (None, 0)])
def test_a_number_before_what_is_shown_is_refused_and_is_never_another_one(menu: Menu | None, number: int) -> None:
    with pytest.raises(InvalidInput, match=f"no option has the number {number}") as caught:
        body_of(CliReply(select=number), menu)
    assert caught.value.code is Code.UNKNOWN_OPTION


@pytest.mark.parametrize(
    ("line", "menu", "reply"),
    [
        ("2", COLOURS, CliReply(select=2, fingerprint=COLOURS.fingerprint)),
        ("blue please", COLOURS, CliReply(other="blue please", fingerprint=COLOURS.fingerprint)),
        ("1, 2", CHECKS, CliReply(multi=[1, 2], fingerprint=CHECKS.fingerprint)),
        ("3", None, CliReply(text="3")),
    ],
)
def test_a_line_in_the_popup_is_numbers_or_words(line: str, menu: Menu | None, reply: CliReply) -> None:
    assert reply_of(line, menu) == reply


def test_the_binding_is_one_line_for_tmux() -> None:
    line = binding("a")
    assert line.startswith("bind-key a display-popup -E ")
    assert "popup --answer" in line
    assert "\n" not in line


# --- for people


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ({}, "no agent is watched"),
        ({"AWAITING_INPUT": 2, "PROCESSING": 1}, "2 ask · 1 works"),
        ({"AWAITING_INPUT": 1, "IDLE": 2, "COMPLETE": 1}, "1 asks · 3 idle"),
        ({"TIMED_OUT": 1, "LOST": 2}, "1 is silent · 2 are lost"),
    ],
)
def test_the_segment_for_a_status_line(states: dict[str, int], words: str) -> None:
    assert in_words(states) == words


def test_lost_agents_are_counted_as_lost() -> None:
    seats = (Seat(ASKING, "AWAITING_INPUT", 1), Seat(Agent("b", gone="its pane was closed"), "IDLE", 1))
    assert counts(AgentList(seats)) == {"AWAITING_INPUT": 1, "LOST": 1}


@pytest.mark.parametrize(("seconds", "words"), [(-3, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (1e6, "12 d")])
def test_how_long_something_lasts_is_told_in_one_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words
