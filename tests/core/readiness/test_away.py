"""A program that is away from its terminal works, or only paints."""

from dataclasses import replace

from paneward.core.profiles import GENERIC
from paneward.core.readiness.away import BRIEFLY
from paneward.core.state.arbiter import StateMachine
from paneward.core.state.claims import AgentState
from paneward.testing import READING, WORKING
from paneward.testing import scene as drawn


def test_a_program_that_is_away_for_a_moment_only_paints_and_one_that_stays_away_works() -> None:
    rest, away = drawn("> ‸", process=READING), drawn("> ‸", process=WORKING)
    machine = StateMachine()
    machine.see(replace(rest, now=0.0), GENERIC)
    for woken in (1.0, 2.0):
        assert machine.see(replace(away, now=woken), GENERIC).state is AgentState.IDLE
        assert (machine.deadline(moving=True) or 9) < woken + BRIEFLY, "looked at again before the moment is over"
        assert machine.see(replace(rest, now=woken + 0.03), GENERIC).state is AgentState.IDLE
    machine.see(replace(away, now=3.0), GENERIC)
    assert machine.see(replace(away, now=3.0 + BRIEFLY), GENERIC).state is AgentState.BUSY
