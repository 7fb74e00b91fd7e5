"""Text is submitted only while the question it answers still stands: a one-key prompt gets no second key."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paneward.core.errors import Code
from paneward.core.result import SendResult, Verdict
from tests.live.conftest import Ground
from tests.live.ground import Stage, reached

KINDS = ("read", "getch", "echo")  # how a program reads one key
SCRIPT = """
read -n1 -p "Overwrite? [y/N] " a; echo
read -p "Delete ALL backups too? [Y/n] " b
echo "a=$a b=${b-unset}"
"""


def keys(stage: Stage) -> list[str]:
    """Each key that the program took, with the number of its question."""
    return [f"{event['question']}:{event['text']}" for event in stage.named("submit")]


async def asks(stage: Stage) -> None:
    await stage.wait_event("ready")


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("verb", ["send", "answer", "key"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_key_answers_one_question(ground: Ground, kind: str, verb: str, same: bool) -> None:
    stage = ground.stage("one_key", "--kind", kind, *(["--same"] if same else []))

    async def work() -> SendResult:
        await asks(stage)
        async with ground.connect() as tmux:
            match verb:
                case "send":
                    return await tmux.send_text(stage.pane, "y")
                case "answer":
                    return await tmux.answer(stage.pane, "y")
            return await tmux.answer(stage.pane, key="y")

    result = asyncio.run(work())
    assert keys(stage) == ["0:y"]
    assert result.enters == 0
    assert result.verdict is Verdict.CONFIRMED or (same and result.verdict is Verdict.UNCONFIRMED), result


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_several_keys_one_after_the_other_go_each_to_its_question(ground: Ground, transport: str) -> None:
    stage = ground.stage("one_key", "--kind", "getch")

    async def work() -> list[Verdict]:
        await asks(stage)
        async with ground.connect(transport=transport) as tmux:  # type: ignore[arg-type]
            return [(await tmux.send_text(stage.pane, letter)).verdict for letter in "yn"]

    assert asyncio.run(work()) == [Verdict.CONFIRMED] * 2
    assert keys(stage) == ["0:y", "1:n"]


def test_a_line_editor_with_the_same_question_gets_its_enter(ground: Ground) -> None:
    stage = ground.stage("one_key", "--kind", "line")

    async def work() -> list[SendResult]:
        await asks(stage)
        async with ground.connect() as tmux:
            return [await tmux.send_text(stage.pane, text) for text in ("y", "no", "yes")]

    assert [result.verdict for result in asyncio.run(work())] == [Verdict.CONFIRMED] * 3
    assert keys(stage) == ["0:y", "1:no", "2:yes"]


@pytest.mark.parametrize(
    ("kind", "text", "taken"), [("read", "yes", []), ("getch", "please", []), ("getch", "yes", ["0:y"])]
)
def test_a_word_does_not_answer_the_questions_that_follow(
    ground: Ground, kind: str, text: str, taken: list[str]
) -> None:
    stage = ground.stage("one_key", "--kind", kind)

    async def work() -> SendResult:
        await asks(stage)
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, text)

    result = asyncio.run(work())
    assert result.error_type is (Code.NOT_TAKEN_AS_TEXT if taken else Code.BLOCKED_BY_DIALOG)
    assert keys(stage) == taken


@pytest.mark.parametrize("verb", ["send", "answer"])
def test_a_script_that_reads_one_key_and_then_a_line(ground: Ground, tmp_path: Path, verb: str) -> None:
    (tmp_path / "script").write_text(SCRIPT)
    pane = ground.shell()

    async def work() -> tuple[SendResult, str]:
        async with ground.connect() as tmux:
            assert (await tmux.send_text(pane, f"bash {tmp_path}/script")).success
            await tmux.wait_ready(pane)
            result = await (tmux.send_text(pane, "y") if verb == "send" else tmux.answer(pane, "y"))
            asked = await tmux.wait_ready(pane)
            assert asked.question == "Delete ALL backups too? [Y/n]"
            assert (await tmux.answer(pane, "n")).success
            await tmux.wait_ready(pane)
            return result, await tmux.capture(pane)

    result, screen = asyncio.run(work())
    assert result.verdict is Verdict.CONFIRMED
    assert "a=y b=n" in screen


def test_git_asks_for_each_hunk_by_one_key(ground: Ground, tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    lines = [f"line {number}" for number in range(60)]
    (tmp_path / "file").write_text("\n".join(lines))
    subprocess.run([*git, "add", "file"], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    lines[2], lines[50] = "changed above", "changed below"
    (tmp_path / "file").write_text("\n".join(lines))
    single = subprocess.run(["perl", "-MTerm::ReadKey", "-e", "1"], check=False, capture_output=True).returncode == 0
    version = subprocess.run(["git", "--version"], check=True, capture_output=True, text=True).stdout.split()[2]
    if not single and tuple(map(int, version.split(".")[:2])) < (2, 40):
        pytest.skip("this git reads no single keys")
    pane = ground.shell(*git, "-c", "interactive.singleKey=true", "-c", "color.ui=false", "add", "-p")

    async def work() -> SendResult:
        async with ground.connect() as tmux:
            assert "Stage this hunk" in str((await tmux.wait_ready(pane)).question)
            return await tmux.answer(pane, "y")

    def staged() -> str:
        return subprocess.run([*git, "diff", "--cached"], check=True, capture_output=True, text=True).stdout

    result = asyncio.run(work())
    assert result.verdict is Verdict.CONFIRMED, result
    assert "(2/2)" in ground.server.run("capture-pane", "-p", "-t", pane)
    assert staged() == ""  # nothing is decided yet of the second hunk


@pytest.mark.parametrize("pager", [("less",), ("more",), ("sh", "-c", "seq 500 | less")])
def test_no_text_is_typed_into_a_pager(ground: Ground, tmp_path: Path, pager: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("".join(f"{number}\n" for number in range(500)))
    pane = ground.shell(*pager, *([str(tmp_path / "file")] if len(pager) == 1 else []))

    async def work() -> SendResult:
        async with ground.connect() as tmux:
            await tmux.wait_ready(pane)
            before = await tmux.capture(pane)
            result = await tmux.send_text(pane, "q")
            assert await tmux.capture(pane) == before
            gone = await tmux.answer(pane, key="q")
            assert gone.verdict is not Verdict.FAILED, gone
            return result

    assert asyncio.run(work()).error_type is Code.BLOCKED_BY_DIALOG


def test_a_key_is_pressed_only_where_one_is_waited_for(ground: Ground) -> None:
    shell, lines = ground.shell(), ground.stage("yes_no")

    async def work() -> list[SendResult]:
        async with ground.connect() as tmux:
            await tmux.wait_ready(shell)
            await tmux.wait_ready(lines.pane)
            return [await tmux.answer(shell, key="y"), await tmux.answer(lines.pane, key="y")]

    assert [result.error_type for result in asyncio.run(work())] == [Code.NO_DIALOG] * 2
    assert lines.submits() == ()


CHANGES = """
import os, sys, threading, time
def change():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    print("\\nDelete ALL backups too? [Y/n] ", end="", flush=True)
threading.Thread(target=change, daemon=True).start()
print("Overwrite? [y/N] ", end="", flush=True)
open(sys.argv[2], "w").write(sys.stdin.readline())
"""


@pytest.mark.parametrize("seen", [True, False], ids=["behind it", "too late"])
@pytest.mark.parametrize("verb", ["send", "answer"])
def test_a_line_is_not_submitted_to_another_question(ground: Ground, tmp_path: Path, verb: str, seen: bool) -> None:
    """The program asks something else between the text and Enter: when the text was seen behind its question, or
    before anybody looked."""
    flag, taken = tmp_path / "flag", tmp_path / "taken"
    pane = ground.shell(sys.executable, "-c", CHANGES, str(flag), str(taken))

    async def work() -> SendResult:
        async with ground.connect() as tmux:
            assert (await tmux.wait_ready(pane)).question == "Overwrite? [y/N]"
            real, look = tmux._tmux.type, tmux._tmux.look

            async def change() -> None:
                flag.touch()
                await reached(lambda: "ALL backups" in ground.server.screen(pane))

            async def type_(*what: Any) -> None:
                await real(*what)
                if not seen:
                    await change()

            async def look_(*what: Any) -> Any:
                found = await look(*what)
                if seen and any("[y/N] yes" in row for row in found.rows) and not flag.exists():
                    await change()
                return found

            tmux._tmux.type, tmux._tmux.look = type_, look_  # type: ignore[assignment, method-assign]
            return await (tmux.send_text(pane, "yes") if verb == "send" else tmux.answer(pane, "yes"))

    result = asyncio.run(work())
    assert result.error_type is Code.STALE_DIALOG, result
    assert result.enters == 0
    assert not taken.exists() or taken.read_text() == ""
