"""The prompt table and its pitfalls, each by its name, and what else readiness has to tell apart."""

import asyncio
import shutil
from dataclasses import replace
from typing import Any

import pytest

from paneward.app import Connection
from paneward.config import ReadinessSettings
from paneward.core.errors import Code, InvalidInput, PaneNotFound
from paneward.core.profiles import DEMO
from paneward.core.result import Readiness, ReadyVerdict
from tests.adapters.conftest import until
from tests.live.conftest import SETTINGS, Ground
from tests.live.ground import Stage, reached

BASH = ("bash", "--norc", "--noprofile", "-i")


def wait(ground: Ground, pane: str, timeout: float = 20.0, **how: Any) -> Readiness:
    async def act() -> Readiness:
        async with ground.connect() as tmux:
            return await tmux.wait_ready(pane, timeout, **how)

    return asyncio.run(act())


def prompting(ground: Ground, prompt: str, **how: Any) -> Readiness:
    return wait(ground, ground.stage("prompting", "--prompt", prompt).pane, **how)


def asked(ground: Ground, question: str, **how: Any) -> Readiness:
    return wait(ground, ground.stage("yes_no", "--question", question).pane, **how)


# --- the prompt table


def test_bash_shell(ground: Ground) -> None:
    ready = wait(ground, ground.shell("env", "PS1=user@host:~$ ", *BASH))
    assert (ready.verdict, ready.is_ready) == (ReadyVerdict.READY, True), ready
    assert ready.screen.endswith("user@host:~$")


def test_zsh_shell(ground: Ground) -> None:
    if shutil.which("zsh"):
        ready = wait(ground, ground.shell("env", "PS1=~/project %% ", "zsh", "-f", "-i"))
    else:
        ready = prompting(ground, "~/project % ")
    assert ready.verdict is ReadyVerdict.READY, ready


def test_root_shell(ground: Ground) -> None:
    ready = wait(ground, ground.shell("env", "PS1=root@host:~# ", *BASH))
    assert ready.verdict is ReadyVerdict.READY, ready


def test_python_repl(ground: Ground) -> None:
    ready = wait(ground, ground.shell("env", "-u", "PYTHONSTARTUP", "python3", "-q", "-i"))
    assert ready.verdict is ReadyVerdict.READY, ready
    assert ready.screen.endswith(">>>")


def test_node_repl(ground: Ground) -> None:
    if shutil.which("node"):
        ready = wait(ground, ground.shell("env", "NODE_REPL_HISTORY=", "node", "-i"))
    else:
        ready = prompting(ground, "> ")
    assert ready.verdict is ReadyVerdict.READY, ready


def test_cli_sub_prompt_continue(ground: Ground) -> None:
    ready = asked(ground, "Continue? [y/N]")
    assert (ready.verdict, ready.question) == (ReadyVerdict.AWAITING_ANSWER, "Continue? [y/N]"), ready
    assert not ready.is_ready


def test_cli_sub_prompt_press_enter(ground: Ground) -> None:
    ready = asked(ground, "Press Enter to continue")
    assert (ready.verdict, ready.question) == (ReadyVerdict.AWAITING_ANSWER, "Press Enter to continue"), ready


@pytest.mark.parametrize("prompt", ["> ", "opencode> "])
def test_opencode_prompt(ground: Ground, prompt: str) -> None:
    assert prompting(ground, prompt).verdict is ReadyVerdict.READY


def test_git_confirm(ground: Ground) -> None:
    ready = asked(ground, "Are you sure? (y/n)")
    assert (ready.verdict, ready.question) == (ReadyVerdict.AWAITING_ANSWER, "Are you sure? (y/n)"), ready


# --- the pitfalls


def test_matching_prompt_in_scrollback_history(ground: Ground) -> None:
    ready = wait(ground, ground.shell("sh", "-c", "echo 'user@host:~$ '; echo 'compiling >'; echo; sleep 60"), 1.0)
    assert ready.verdict is ReadyVerdict.BUSY, ready


def test_ansi_in_prompt_prevents_pattern_match(ground: Ground) -> None:
    assert prompting(ground, "\x1b[1;32muser@host\x1b[0m:\x1b[34m~\x1b[0m$\x1b[0m ").verdict is ReadyVerdict.READY


def test_stability_check_on_first_iteration(ground: Ground) -> None:
    """An empty pane right after its start is not ready."""
    ready = wait(ground, ground.shell("sleep", "60"), 1.5, accept_stable=True)
    assert ready.verdict is ReadyVerdict.BUSY, ready
    assert ready.screen == ""


def test_ten_second_default_timeout_is_too_short_for_ai_cli_tools(ground: Ground) -> None:
    """The profile of an agent raises the default: one that works for longer is waited for."""
    stage = ground.stage("demo_agent")
    settings = replace(SETTINGS, readiness=ReadinessSettings(timeout=1.0))

    async def act() -> Readiness:
        async with ground.connect(settings=settings) as tmux:
            assert (await tmux.send_text(stage.pane, "work 2")).success
            return await tmux.wait_ready(stage.pane)

    ready = asyncio.run(act())
    assert ready.verdict is ReadyVerdict.READY, ready
    assert ready.elapsed > settings.readiness.timeout
    assert DEMO.wait_timeout >= 120


def test_sub_prompt_false_positive_with_custom_patterns(ground: Ground) -> None:
    """Even a pattern that matches everything does not make a program ready that works."""
    assert wait(ground, ground.shell("sh", "-c", "echo '$ '; sleep 60"), 1.0, prompt_pattern=".*").verdict is (
        ReadyVerdict.BUSY
    )


def test_race_between_send_and_wait_ready(ground: Ground) -> None:
    """The prompt from before the send is never taken for the one after it."""
    pane = ground.shell()

    async def act() -> list[Readiness]:
        async with ground.connect() as tmux:
            found = []
            for number in range(5):
                assert (await tmux.send_text(pane, f"sleep 0.3; echo done-$(({number} + 1))")).success
                found.append(await tmux.wait_ready(pane, 20))
            return found

    for number, ready in enumerate(asyncio.run(act())):
        assert ready.verdict is ReadyVerdict.READY
        assert ready.screen.endswith(f"done-{number + 1}\n$")


# --- what else must be told apart


def test_a_sleeping_command_is_busy(ground: Ground) -> None:
    pane = ground.shell()

    async def act() -> tuple[Readiness, Readiness]:
        async with ground.connect() as tmux:
            assert (await tmux.send_text(pane, "sleep 4")).success
            return await tmux.wait_ready(pane, 1.5), await tmux.wait_ready(pane, 20)

    early, late = asyncio.run(act())
    assert early.verdict is ReadyVerdict.BUSY, early
    assert late.verdict is ReadyVerdict.READY, late


@pytest.mark.parametrize("line", ["50%", "<html>", "Downloading: 50%"])
def test_a_percentage_or_a_tag_is_no_prompt(ground: Ground, line: str) -> None:
    assert wait(ground, ground.shell("sh", "-c", f"printf '%s' '{line}'; cat"), 1.5).verdict is ReadyVerdict.STABLE


def test_a_password_prompt_awaits_an_answer(ground: Ground) -> None:
    ready = wait(ground, ground.stage("password").pane)
    assert (ready.verdict, ready.question) == (ReadyVerdict.AWAITING_ANSWER, "Password:"), ready


@pytest.mark.parametrize("half", ["Downloading: 50%", "continue > ", "Proceed? [y/N] "])
def test_a_pause_in_mid_output_is_never_ready(ground: Ground, half: str) -> None:
    stage = ground.stage("pause_output", "--half", half)
    ready = wait(ground, stage.pane, 30)
    assert ready.verdict is ReadyVerdict.READY, ready
    assert "Everything is up to date." in ready.screen
    assert stage.named("ready")


@pytest.mark.parametrize("size", [300_000, 30_000_000])  # one that is read, and one that is only sampled
def test_a_flood_is_waited_out(ground: Ground, size: int) -> None:
    stage = ground.stage("flood", "--bytes", str(size))
    ready = wait(ground, stage.pane, 60)
    assert ready.verdict is ReadyVerdict.READY, ready
    assert stage.named("ready")


@pytest.mark.parametrize("options", [(), ("--no-cursor",)])
def test_a_screen_with_a_running_clock_can_be_ready(ground: Ground, options: tuple[str, ...]) -> None:
    ready = wait(ground, ground.stage("alt_clock", *options).pane)
    assert ready.verdict is ReadyVerdict.READY, ready


@pytest.mark.parametrize("right", ["branch", "clock"])
def test_text_at_the_right_edge_hides_no_prompt(ground: Ground, right: str) -> None:
    assert wait(ground, ground.stage("right_prompt", "--right", right).pane).verdict is ReadyVerdict.READY


@pytest.mark.parametrize("program", ["slow_start", "busy_ignores", "busy_queues"])
def test_a_program_is_not_ready_before_it_says_so(ground: Ground, program: str) -> None:
    options = ("--drop-visible",) if program == "slow_start" else ()
    stage = ground.stage(program, *options)
    ready = wait(ground, stage.pane)
    assert ready.verdict is ReadyVerdict.READY, ready
    assert stage.named("ready")


def test_a_menu_awaits_an_answer(ground: Ground) -> None:
    ready = wait(ground, ground.stage("menu").pane)
    assert (ready.verdict, ready.question) == (ReadyVerdict.AWAITING_ANSWER, "Which colour do you want?"), ready


def test_a_program_that_shows_nothing_is_stable_and_ready_only_for_those_who_accept_it(ground: Ground) -> None:
    stage = ground.stage("canonical", "--prompt", "waiting")
    patient, early = wait(ground, stage.pane, 2.0), wait(ground, stage.pane, 60.0, accept_stable=True)
    assert (patient.verdict, patient.is_ready) == (ReadyVerdict.STABLE, False), patient
    assert (early.verdict, early.is_ready) == (ReadyVerdict.STABLE, True), early
    assert early.elapsed < 60


@pytest.mark.parametrize("screen", ["sleep 60", "while :; do echo noise; done", "printf '$ '; sleep 60"])
def test_waiting_never_takes_longer_than_the_timeout(ground: Ground, screen: str) -> None:
    ready = wait(ground, ground.shell("sh", "-c", screen), 1.0)
    assert not ready.is_ready
    assert 1.0 <= ready.elapsed < 20.0  # one more look after the time is up, not the minute that the program takes


def test_a_dead_program_is_dead(ground: Ground) -> None:
    pane = ground.shell("sh", "-c", "echo '$ '; exit 3")
    # Up to 3.4 tmux can miss that its child ended; another one that ends makes it look.
    until(lambda: ground.server.run("run-shell", "true") or ground.server.value(pane, "pane_dead_status") == "3")
    ready = wait(ground, pane)
    assert (ready.verdict, ready.is_ready) == (ReadyVerdict.DEAD, False), ready
    assert "3" in ready.evidence


def test_a_program_that_dies_while_we_wait_is_dead(ground: Ground) -> None:
    pane = ground.shell("sh", "-c", "sleep 0.7; exit 1")
    assert wait(ground, pane).verdict is ReadyVerdict.DEAD


def test_a_pane_that_closes_while_we_wait_is_dead(ground: Ground) -> None:
    ground.shell("cat")
    pane = ground.server.new_pane("sleep 0.7")
    assert wait(ground, pane).verdict is ReadyVerdict.DEAD


def test_a_pane_that_does_not_exist_is_an_error(ground: Ground) -> None:
    ground.shell("cat")
    with pytest.raises(PaneNotFound) as caught:
        wait(ground, "%4242")
    assert (caught.value.code, bool(caught.value.hint)) == (Code.PANE_NOT_FOUND, True)


def test_a_custom_pattern_finds_its_prompt_and_no_other(ground: Ground) -> None:
    stage = ground.stage("prompting", "--prompt", "sql |")
    assert wait(ground, stage.pane, 1.5).verdict is ReadyVerdict.STABLE
    assert wait(ground, stage.pane, prompt_pattern=r"sql \|\s*$").verdict is ReadyVerdict.READY


def test_an_invalid_pattern_is_told_before_anything_is_looked_at(ground: Ground) -> None:
    with pytest.raises(InvalidInput) as caught:
        wait(ground, "%4242", prompt_pattern="[")
    assert (caught.value.code, bool(caught.value.hint)) == (Code.INVALID_PATTERN, True)
    assert "'['" in caught.value.message


async def _ready_after(tmux: Connection, stage: Stage, keys: str) -> Readiness:
    await reached(lambda: bool(stage.named("ready")))
    await tmux.send_keys(stage.pane, *keys)
    return await tmux.wait_ready(stage.pane, 1)


def test_a_half_typed_line_behind_the_prompt_is_no_question(ground: Ground) -> None:
    stage = ground.stage("prompting", "--prompt", "> ")

    async def act() -> Readiness:
        async with ground.connect() as tmux:
            return await _ready_after(tmux, stage, "why?")

    assert asyncio.run(act()).verdict is not ReadyVerdict.AWAITING_ANSWER
