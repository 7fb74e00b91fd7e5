"""Events: what is published, each under a kind of its own."""

import json
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from paneward.core.agent.events import KINDS, DeliveryBegun, Event, ServerStarted, StateChanged, Stored, agent_of, parts
from paneward.core.agent.record import Actor, Agent, Intent, Turn
from paneward.store.written import plain

VALUES: dict[Any, Any] = {
    str: "word", int: 3, bool: True, float: 1.5, Agent: Agent("a"), Turn: Turn("a", Actor.USER, Intent.ANSWER),
}  # fmt: skip


def made(kind: type[Any]) -> Event:
    """An event of this kind with something in each field that has to have something."""
    hints = get_type_hints(kind)
    event: Event = kind(**{field.name: VALUES.get(hints[field.name], ()) for field in fields(kind)})
    return event


def test_every_kind_is_a_word_of_its_own_in_the_past_tense() -> None:
    assert len(KINDS) == len(Event.__args__)
    past = ("ed", "lost", "found", "forgotten", "begun", "seen", "heard", "near_miss")
    assert all(kind.endswith(past) for kind in KINDS), list(KINDS)
    assert all(" " not in kind and kind == kind.lower() for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_its_parts_are_its_fields_and_become_json(kind: type[Any]) -> None:
    event = made(kind)
    assert list(parts(event)) == [field.name for field in fields(kind)]
    assert json.loads(json.dumps(plain(parts(event)))).keys() == parts(event).keys()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_it_tells_of_which_agent_it_is(kind: type[Any]) -> None:
    assert agent_of(made(kind)) == (None if kind.kind.startswith(("server_", "host_")) else "word")


def test_what_is_told_of_a_change_is_who_decided_by_what_and_who_lost() -> None:
    event = StateChanged("a", "IDLE", "PROCESSING", None, "screen", "esc to interrupt", ("title: idle ('x')",))
    assert parts(event)["reason"] == "esc to interrupt"
    assert parts(event)["others"] == ("title: idle ('x')",)


def test_a_stored_event_has_its_place_in_the_log() -> None:
    stored = Stored(7, 1.0, ServerStarted.kind, None, {"version": "1"})
    assert (stored.seq, KINDS[stored.kind]) == (7, ServerStarted)
    assert DeliveryBegun.kind in KINDS
