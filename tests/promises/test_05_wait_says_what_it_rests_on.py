"""Where the evidence cannot tell, `wait` says so in its rule."""

import asyncio
import json

import pytest

from paneward.adapters import process
from paneward.core.result import Readiness, ReadyVerdict
from tests.live.conftest import Ground
from tests.surfaces.conftest import Machine


def wait(ground: Ground, pane: str, **how: str) -> Readiness:
    async def act() -> Readiness:
        async with ground.connect(**how) as tmux:  # type: ignore[arg-type]
            return await tmux.wait_ready(pane, 30)

    return asyncio.run(act())


@pytest.mark.parametrize("host", ["local", "ssh"])
def test_of_a_program_that_may_drop_what_is_typed_only_the_prompt_tells(ground: Ground, host: str) -> None:
    stage = ground.stage("slow_start", "--silently", "--seconds", "5")
    found = wait(ground, stage.pane, host=host)
    assert (found.verdict, found.rule) == (ReadyVerdict.READY, "prompt_unproven"), found
    assert "may still be loading" in found.evidence


def test_a_program_that_has_run_for_long_is_believed(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "YOUNG", 0.0)
    found = wait(ground, ground.stage("plain_box").pane)
    assert (found.verdict, found.rule) == (ReadyVerdict.READY, "prompt"), found


def test_a_line_that_is_waited_for_is_taken_by_the_youngest(ground: Ground) -> None:
    found = wait(ground, ground.stage("canonical").pane)
    assert (found.verdict, found.rule) == (ReadyVerdict.READY, "prompt"), found


def test_of_a_program_whose_calls_are_hidden_only_the_prompt_tells(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under Yama: what a poll waits for cannot be seen."""
    monkeypatch.setattr(process, "CALLS_KNOWN", False)
    code = "import select; print('ready > ', end='', flush=True); select.select([0], [], [])"
    found = wait(ground, ground.shell("python3", "-c", code))
    assert (found.verdict, found.rule) == (ReadyVerdict.READY, "prompt_unproven"), found
    assert "cannot be seen" in found.evidence


def test_the_command_line_says_it_as_well(machine: Machine) -> None:
    pane = machine.pane("python3 -c \"import tty; tty.setraw(0); print('> ', end='', flush=True); input()\"")
    found = machine.paneward("--json", "wait", pane, "--timeout", "30")
    assert json.loads(found.out)["rule"] == "prompt_unproven", found
