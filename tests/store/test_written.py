"""Records as JSON, and back."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.agent.events import StateChanged
from paneward.core.agent.record import Agent, Stage
from paneward.core.result import Menu, Option
from paneward.store.written import KEEP_TEXT, agent_of, encoded, encoded_each, kept, menu_of, plain, written

TEXTS = st.text(st.characters(codec=None), max_size=30) | st.sampled_from(["\x00", '"\\u0000"', ',"\x00",', "\\u0000"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES.map(plain), max_size=5))
def test_many_values_encoded_in_one_go_are_as_each_alone(values: list[Any]) -> None:
    assert encoded_each(values) == [encoded(value) for value in values]


@given(VALUES)
def test_whatever_is_plain_can_be_written_read_and_sent(value: Any) -> None:
    found = plain(value)
    assert json.loads(written(value)) == found
    json.dumps(found, ensure_ascii=False).encode()
    assert "\\u0000" not in json.dumps(found).replace("\\\\", "")


@given(TEXTS, TEXTS)
def test_an_event_of_any_words_is_plain(name: str, reason: str) -> None:
    found = plain(StateChanged(name, "IDLE", "IDLE", 1, "screen", reason))
    json.dumps(found, ensure_ascii=False).encode()


def test_an_agent_comes_back_as_it_was() -> None:
    menu = Menu("Sure?", (Option(1, "Yes", "1"), Option(2, "No", checked=True)), 0, 1, True, "f", kind="permission")
    agent = Agent(
        "a", "s", "/s", "%1", 7, "claude", "r", ("x",), "claude", "2", "/w", Stage.AWAITING_INPUT, question=menu
    )
    assert agent_of(json.loads(written(agent))) == agent
    assert menu_of(None) is None


def test_a_record_of_another_version_has_defaults_and_no_strangers() -> None:
    assert agent_of({"id": "a", "stage": "IDLE", "mood": "good"}) == Agent("a")


def test_names_stay_and_words_lose_their_credentials() -> None:
    found = plain(
        {"delivery": "token=abcdefgh1234", "evidence": "token=abcdefgh1234", "deep": [{"text": "x" * 100_000}]}
    )
    assert found["delivery"] == "token=abcdefgh1234"
    assert found["evidence"] == "token=[redacted: secret]"
    assert len(found["deep"][0]["text"]) == KEEP_TEXT + 1
    assert kept("a\x00b\ud800") == "a\ufffdb?"


def test_what_json_does_not_know_is_an_error_of_ours() -> None:
    @dataclass
    class Odd:
        thing: object

    with pytest.raises(TypeError, match="cannot be written down"):
        plain(Odd(object()))
