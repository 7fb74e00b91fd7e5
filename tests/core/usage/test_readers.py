import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.usage import MalformedTranscript, Tally, TranscriptLine, moment
from paneward.core.usage.readers import READERS, read
from tests.core.usage.transcripts import answer, corpus, line

KIND = sorted(READERS)


def told(kind: str, name: str) -> list[TranscriptLine]:
    return [one for row in corpus(name).splitlines() if (one := read(kind, row)) is not None]


@pytest.mark.parametrize("version", ["2.1.197", "2.1.325"])
def test_claude_tells_each_part_of_an_answer_with_the_tokens_of_the_whole(version: str) -> None:
    answers = [one for one in told("claude", f"claude-{version}.jsonl") if one.tally]
    assert answers[0].tally == Tally(800, 50, 200)
    assert answers[0].context == 1050
    assert [one.tally for one in answers[1:4]] == [Tally(1100, 60, 900)] * 3
    assert len({one.id for one in answers[1:4]}) == 1


def test_claude_tells_what_a_compaction_leaves_and_at_the_end_what_it_cost() -> None:
    every = told("claude", "claude-2.1.325.jsonl")
    [compacted] = [one for one in every if one.emptied]
    assert compacted.context == 2952
    assert every[-1] == TranscriptLine(paid=0.08314)


def test_the_programs_own_words_are_no_answer() -> None:
    document = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 5}}}
    assert read("claude", line(document)) is None


def test_what_goes_into_the_cache_is_read_anew() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 500, "output_tokens": 6}
    document = {"type": "assistant", "message": {"id": "m", "model": "x", "usage": usage}, "isSidechain": True}
    found = read("claude", line(document))
    assert found == TranscriptLine(id="m", tally=Tally(43, 6, 500, 40), model="x")  # of a sub-agent no context


def test_codex_tells_answers_and_sums() -> None:
    every = told("codex", "codex-0.166.0.jsonl")
    assert every[0].sub is False
    answers = [one for one in every if one.id]
    assert [one.tally for one in answers[:3]] == [Tally(800, 50, 200), Tally(1100, 60, 900), Tally(1000, 70, 2000)]
    sums = [one for one in every if one.total is not None]
    assert [one.total for one in sums] == [1050, 3110, 6180, 6180, 6195, 6195, 6915]
    assert {one.window for one in sums} == {258400}
    assert sums[5].context == 7463  # what a compaction left
    assert [one.sub for one in told("codex", "codex-0.166.0-sub.jsonl") if one.sub is not None] == [True]


def test_codex_tells_no_sum_before_there_is_one() -> None:
    empty = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    assert read("codex", line(empty)) is None


def test_gemini_tells_answers_with_what_it_thought() -> None:
    every = told("gemini", "gemini-0.61.0.jsonl")
    assert every[0].sub is False
    answers = [one for one in every if one.tally]
    assert [one.tally for one in answers] == [
        Tally(800, 50, 200), Tally(1100, 60, 900), Tally(1100, 60, 900), Tally(1000, 70, 2000)
    ]  # fmt: skip
    assert answers[1].id == answers[2].id
    assert told("gemini", "gemini-0.61.0-sub.jsonl")[0].sub is True
    thought = {"id": "a", "type": "gemini", "tokens": {"input": 9, "output": 1, "cached": 4, "thoughts": 7, "tool": 2}}
    found = read("gemini", line(thought))
    assert found is not None
    assert found.tally == Tally(7, 8, 4)


def test_aider_tells_in_words_and_rounds() -> None:
    began, model, *answers = told("aider", "aider-0.86.2.md")
    assert began == TranscriptLine(moment("2026-11-16 08:59:20"), emptied=True)
    assert model.model == "openai/lab-model"
    assert [(one.tally, one.cost) for one in answers] == [
        (Tally(594, 4), 0.0061), (Tally(608, 3000), 0.1), (Tally(3600, 1), 0.04)
    ]  # fmt: skip
    cached = read("aider", b"> Tokens: 1.2M sent, 3.4k cache write, 8.1k cache hit, 12 received.  ")
    assert cached == TranscriptLine(tally=Tally(1_200_000, 12, 8100, 3400))
    assert read("aider", b"I said: Tokens: 5 sent, 6 received.") is None
    with pytest.raises(MalformedTranscript, match="'x'"):
        read("aider", b"> Tokens: x sent, 6 received.")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-11-16T08:42:43.085Z", "2026-11-16T08:42:43.085000000"),
        ("2026-11-16T08:42:43Z", "2026-11-16T08:42:43.000000000"),
        ("2026-11-16 08:42:43", "2026-11-16T08:42:43.000000000"),
        ("yesterday", ""),
        (1794818559785, ""),
        (None, ""),
    ],
)
def test_moments_are_written_in_a_form_that_sorts(text: Any, written: str) -> None:
    assert moment(text) == written


@pytest.mark.parametrize("kind", ["claude", "codex", "gemini"])
@pytest.mark.parametrize("row", [b'{"usage" token_ "tokens"', b'["usage", "token_", "tokens"]'])
def test_what_is_no_object_is_malformed(kind: str, row: bytes) -> None:
    with pytest.raises(MalformedTranscript):
        read(kind, row)


def test_a_line_as_deep_as_the_sea_is_malformed() -> None:
    with pytest.raises(MalformedTranscript):
        read("claude", b'{"usage":' * 200_000)


def test_what_says_nothing_of_use_is_not_even_parsed() -> None:
    assert read("claude", b'{"type": "user"') is None


NUMBER = st.one_of(st.integers(), st.floats(), st.text(max_size=3), st.none(), st.booleans(), st.just([]))


@given(st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "cache_read_input_tokens"]), NUMBER))
def test_numbers_of_any_kind_never_count_backwards(usage: dict[str, Any]) -> None:
    document = {"type": "assistant", "message": {"id": "m", "usage": {**usage, "x": 1}}}
    found = read("claude", json.dumps(document).encode())
    assert found is not None
    assert found.tally is not None
    assert min(found.tally.parts) >= 0


WORDS = "type message usage id payload info tokens $set messages kind sessionId timestamp source isSidechain subtype"
WORD = st.sampled_from([*WORDS.split(), "last_token_usage", "total_token_usage", "total_tokens", "compactMetadata"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=4),
    max_leaves=12,
)
TYPE = st.sampled_from(
    ["assistant", "system", "cost-state", "session_meta", "turn_context", "token_usage_record", "event_msg", "gemini"]
)


@given(st.sampled_from(KIND), TYPE, st.dictionaries(WORD, JSON, max_size=6))
def test_documents_of_any_form_are_read_or_refused(kind: str, name: str, document: dict[str, Any]) -> None:
    row = json.dumps({**document, "type": name, "usage": 1, "tokens_": "token_", "tokens": document.get("tokens")})
    found = read(kind, row.encode())
    assert found is None or found.tally is None or min(found.tally.parts) >= 0


def test_the_lines_of_the_tests_are_those_of_claude() -> None:
    found = read("claude", answer("a", 7, 30, 4, 5))
    assert found is not None
    assert (found.id, found.tally, found.at) == ("a", Tally(30, 4, 5), "2026-01-01T00:00:07.000000000")
