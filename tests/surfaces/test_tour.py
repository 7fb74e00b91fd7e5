"""The tour as `make run` plays it: whole, judged, and without a trace afterwards."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from paneward.demo import tour
from tests.surfaces.conftest import PANEWARD, TMUX, Machine, run


@pytest.fixture(autouse=True)
def plain_tmux(machine: Machine) -> None:
    if TMUX != "tmux":
        pytest.skip("the tour uses the tmux on PATH")


def sockets(machine: Machine) -> list[Path]:
    """The tmux servers that still answer."""
    found = machine.home.glob("tmux-*/*")
    return [path for path in found if run(["tmux", "-S", path, "list-sessions"], machine.env).code == 0]


def test_the_tour_plays_to_its_end_and_leaves_nothing_behind(machine: Machine) -> None:
    ran = run([PANEWARD, "demo"], machine.env)
    assert (ran.code, ran.err) == (0, "")
    assert [f"{number}. {step.__doc__}" in ran.out for number, step in enumerate(tour.STEPS, 1)] == [True] * len(
        tour.STEPS
    )
    for seen in ("✓ confirmed", "rung submitted", "✗ BLOCKED_BY_DIALOG", "You chose Green", "Not run: keep it"):
        assert seen in ran.out
    assert "\x1b" not in ran.out
    assert sockets(machine) == []


def test_without_tmux_the_tour_says_so(machine: Machine) -> None:
    ran = run([PANEWARD, "demo"], {**machine.env, "PATH": "/nonexistent"})
    assert ran.code == 1
    assert "TMUX_NOT_INSTALLED" in ran.err


def test_a_kept_agent_goes_on_running_where_the_tour_says(machine: Machine) -> None:
    ran = run([PANEWARD, "demo", "--keep"], machine.env)
    [socket] = sockets(machine)
    try:
        assert f"tmux -L {socket.name} attach" in ran.out
        assert run([PANEWARD, "-L", socket.name, "wait", "agent"], machine.env).code == 0
    finally:
        run(["tmux", "-S", socket, "kill-server"], machine.env)


@pytest.fixture
def interrupted(machine: Machine, request: pytest.FixtureRequest) -> Iterator["subprocess.Popen[bytes]"]:
    """A tour in which the agent is just working."""
    process = subprocess.Popen(
        [PANEWARD, "demo"],
        env={**machine.env, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a background job ignores it
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(b"3. "):
            break
    assert len(sockets(machine)) == 1
    yield process
    process.stdout.close()
    process.kill()
    process.wait()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_tour_that_is_cut_short_ends_its_server(
    machine: Machine, interrupted: "subprocess.Popen[bytes]", number: signal.Signals, code: int
) -> None:
    os.kill(interrupted.pid, number)
    assert interrupted.wait(30) == code
    assert sockets(machine) == []


def test_what_is_not_as_it_should_be_ends_the_tour_with_exit_code_1(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def disappoint(stage: tour.TourStage) -> None:
        """Expect too much"""
        tour.require(False, "a miracle", "nothing")

    monkeypatch.setattr(tour, "STEPS", (disappoint,))
    assert tour.play(console=Console(width=80)) == 1
    assert "expected a miracle, but saw nothing" in capsys.readouterr().out
    assert sockets(machine) == []
