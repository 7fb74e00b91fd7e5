"""The lab's model: what it keeps of requests in each dialect, and that it answers by script."""

import http.client
import json
import threading
from collections.abc import Iterator

import pytest

from tests.lab.dialects import Json, new_texts
from tests.lab.model import Model
from tests.lab.replies import Hold, Reply, Tool, from_schema, reply_from

TOOLS: dict[str, list[Json]] = {
    "/v1/messages": [{"name": "Bash", "input_schema": {}}],
    "/v1/responses": [{"type": "function", "name": "exec_command"}],
    "/v1/chat/completions": [{"type": "function", "function": {"name": "bash"}}],
    "/v1beta/models/m:streamGenerateContent": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
}
DIALECTS = list(TOOLS)


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as running:
        yield running


def post(model: Model, path: str, body: Json) -> str:
    """What the model answers, all of it."""
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=20)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def turn(path: str, *texts: str, tools: bool = True) -> Json:
    """A request of a conversation in which a person said these texts and was answered in between."""
    said: list[Json] = []
    for text in texts:
        said += [_message(path, "user", text), _message(path, "assistant", "Yes.")]
    key = {"/v1/responses": "input", DIALECTS[3]: "contents"}.get(path, "messages")
    return {key: said[:-1], "stream": True, "tools": TOOLS[path] if tools else []}


def _message(path: str, role: str, text: str) -> Json:
    if path == DIALECTS[3]:
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("path", DIALECTS)
def test_each_text_is_told_once_though_every_request_repeats_the_conversation(model: Model, path: str) -> None:
    for texts in (("one",), ("one", "two"), ("one", "two", "two")):
        post(model, path, turn(path, *texts))
    assert model.prompts() == ["one", "two", "two"]


@pytest.mark.parametrize("path", DIALECTS)
def test_what_an_agent_says_in_the_users_name_is_left_out(model: Model, path: str) -> None:
    post(model, path, turn(path, "<system-reminder>be kind</system-reminder>", "<environment_context>", "typed"))
    assert model.prompts() == ["typed"]


@pytest.mark.parametrize("path", DIALECTS)
def test_a_reply_comes_in_the_words_of_its_dialect(model: Model, path: str) -> None:
    model.script(Reply("the scripted words", chunks=1, tools=(Tool("Bash", {"command": "ls"}),)))
    answer = post(model, path, turn(path, "go"))
    assert "the scripted words" in answer
    assert "Bash" in answer
    assert '"command' in answer.replace('\\\\"', '"')


@pytest.mark.parametrize("path", DIALECTS)
def test_side_requests_take_no_reply_from_the_script(model: Model, path: str) -> None:
    model.script(Reply("for the turn", chunks=1))
    assert "for the turn" not in post(model, path, turn(path, "write a title", tools=False))
    assert "for the turn" in post(model, path, turn(path, "go"))
    assert model.prompts() == ["go"]


def test_an_agent_without_tools_has_turns_where_the_lab_says_so() -> None:
    with Model(toolless=True) as model:
        rules = "\n\nTo suggest changes to a file you MUST return the entire content of the updated file.\nAnd so on."
        post(model, "/v1/chat/completions", turn("/v1/chat/completions", f"typed{rules}", tools=False))
        stopped = turn("/v1/chat/completions", "typed\n^C KeyboardInterrupt", tools=False)
        post(model, "/v1/chat/completions", stopped)
        assert model.prompts() == ["typed"]


def test_a_request_that_is_repeated_after_an_error_is_one_prompt(model: Model) -> None:
    model.script(Reply(status=529, error="overloaded"))
    assert "overloaded" in post(model, "/v1/messages", turn("/v1/messages", "again"))
    post(model, "/v1/messages", turn("/v1/messages", "again"))
    assert model.prompts() == ["again"]
    assert len(model.turns()) == 2


@pytest.mark.parametrize("hold", [Hold.BEFORE, Hold.WITHIN])
def test_a_held_reply_ends_when_it_is_released(model: Model, hold: Hold) -> None:
    model.script(Reply("first half, second half", hold=hold))
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(post(model, "/v1/messages", turn("/v1/messages", "go"))))
    asking.start()
    assert model.wait(lambda: model.holding)
    assert not answers
    model.release()
    asking.join(20)
    assert "message_stop" in answers[0]


def test_a_cut_reply_breaks_the_connection(model: Model) -> None:
    model.script(Reply("first half, second half", cut=True))
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        post(model, "/v1/messages", turn("/v1/messages", "go"))


def test_a_person_says_in_the_text_what_the_model_is_to_do(model: Model) -> None:
    answer = post(model, "/v1/messages", turn("/v1/messages", 'go ((model {"text": "as told", "chunks": 1}))'))
    assert "as told" in answer


def test_the_result_of_a_tool_is_kept_and_answered(model: Model) -> None:
    body = turn("/v1/messages", "run it")
    body["messages"] += [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "42 files"}]},
    ]
    assert "42" in post(model, "/v1/messages", body)
    assert model.results() == ["42 files"]


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [((), ("a",), ("a",)), (("a",), ("a", "b"), ("b",)), (("a", "b"), ("a", "c"), ("c",)), (("a",), ("a",), ())],
)
def test_only_what_was_added_to_a_conversation_is_new(
    before: tuple[str, ...], now: tuple[str, ...], new: tuple[str, ...]
) -> None:
    assert new_texts(before, now) == new


def test_a_reply_is_read_from_json() -> None:
    reply = reply_from({"text": "x", "hold": "within", "tool": {"name": "Bash", "input": {"command": "ls"}}})
    assert reply == Reply("x", tools=(Tool("Bash", {"command": "ls"}),), hold=Hold.WITHIN)


def test_a_structured_answer_fits_its_schema() -> None:
    schema = {"type": "object", "properties": {"kind": {"enum": ["simple", "hard"]}, "count": {"type": "integer"}}}
    assert from_schema(schema) == {"kind": "simple", "count": 1}
