"""Transcripts as files, found by the processes of programs in real panes."""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.transcripts import PIECE, Transcripts
from paneward.adapters.transcripts.places import process_in
from paneward.core.usage import Account
from paneward.ports import TranscriptPlace
from tests.adapters.conftest import TmuxServer, until
from tests.core.usage.transcripts import again, answer, tokens

PROGRAM = """import os, sys, time
os.chdir(sys.argv[1])
kept = [open(name, "a") for name in sys.argv[2:]]
print("READY", flush=True)
sys.stdin.read()
"""


def reading(account: Account, *files: str, sub: bool = False) -> list[bool]:
    """All there is to read: whether each piece told anything."""

    async def main() -> list[bool]:
        transcripts, found = Transcripts(SystemClock()), list[bool]()
        try:
            while (
                grown := await transcripts.read(account, TranscriptPlace("", dict.fromkeys(files, sub), frozenset()))
            ).more:
                found.append(grown.told)
        finally:
            transcripts.close()
        return found

    return asyncio.run(main())


# --- reading


def test_a_transcript_is_read_as_it_grows(tmp_path: Path) -> None:
    path, account = tmp_path / "t.jsonl", Account("claude", "")
    path.write_bytes(answer("a", 1) + answer("b", 2)[:40])
    assert reading(account, str(path)) == [True]
    assert reading(account, str(path)) == []
    with path.open("ab") as file:
        file.write(answer("b", 2)[40:])
    assert reading(again(account), str(path)) == [True]
    assert reading(account, str(path)) == [True]
    assert account.usage(0).tokens_out == 2


def test_a_long_transcript_is_read_in_pieces(tmp_path: Path) -> None:
    path, account = tmp_path / "t.jsonl", Account("claude", "")
    filler = b'{"type":"attachment","text":"' + b"x" * 40_000 + b'"}\n'
    path.write_bytes(answer("a", 1) + filler * 40 + b"y" * PIECE + b"\n" + answer("b", 2))
    assert len(reading(account, str(path))) == 3
    assert account.usage(0).tokens_out == 2


def test_a_transcript_that_is_cut_short_or_written_anew_counts_what_is_new(tmp_path: Path) -> None:
    path, account = tmp_path / "t.jsonl", Account("claude", "")
    path.write_bytes(answer("a", 1) + answer("b", 2) + answer("c", 3))
    reading(account, str(path))
    path.write_bytes(answer("a", 1))
    reading(account, str(path))
    assert account.usage(0).tokens_out == 3
    path.write_bytes(answer("a", 1) + answer("B", 4) + answer("C", 5) + answer("D", 6))
    reading(account, str(path))
    assert account.usage(0).tokens_out == 6


def test_another_transcript_in_the_same_place_is_read_from_its_begin(tmp_path: Path) -> None:
    path, account = tmp_path / "t.jsonl", Account("claude", "")
    path.write_bytes(answer("a", 1))
    reading(account, str(path))
    path.rename(tmp_path / "old.jsonl")
    path.write_bytes(answer("a", 1) + answer("b", 2))
    reading(account, str(path))
    assert account.usage(0).tokens_out == 2


def test_what_is_no_file_or_is_not_there_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    account = Account("claude", "")
    assert reading(account, str(tmp_path), str(tmp_path / "fifo"), str(tmp_path / "none"), "/dev/zero") == []
    assert account.files == {}


# --- finding


def started(server: TmuxServer, name: str, *files: Path, env: str = "") -> int:
    """A program of that name in a pane, with files open: its pane's process."""
    program, work = server.home / "bin" / name, server.home / "work"
    for place in (program.parent, work, *(file.parent for file in files)):
        place.mkdir(parents=True, exist_ok=True)
    program.write_text(PROGRAM)
    words = [*(["env", env] if env else []), "python3", str(program), str(work), *map(str, files)]
    pane = server.new_pane(words)
    until(lambda: "READY" in server.screen(pane))
    return int(server.value(pane, "pane_pid"))


def found(kind: str, pid: int, *told: str) -> TranscriptPlace | None:
    async def main() -> TranscriptPlace | None:
        transcripts = Transcripts(SystemClock())
        try:
            return await transcripts.find(kind, pid, told)
        finally:
            transcripts.close()

    return asyncio.run(main())


def put(path: Path, data: bytes = b"{}\n", age: float = 0.0) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time.time() - age, time.time() - age))
    return str(path)


def test_codex_holds_its_transcripts_open(tmux_server: TmuxServer) -> None:
    files = [tmux_server.home / ".codex" / "sessions" / f"rollout-{number}.jsonl" for number in (1, 2)]
    pid = started(tmux_server, "codex", *files, tmux_server.home / "other.jsonl")
    place = found("codex", pid)
    assert place is not None
    assert set(place.files) == {str(file) for file in files}
    assert place.directories == {str(files[0].parent)}


def test_when_a_process_was_started_is_known_to_a_fraction_of_a_second(tmux_server: TmuxServer) -> None:
    before = time.time()
    pid = started(tmux_server, "codex")
    process = process_in(pid, time.time)
    assert process is not None
    assert before - 0.1 < process.started_at < time.time() + 0.1


@pytest.mark.parametrize("moved", [False, True])
def test_claude_says_which_conversation_its_process_has(tmux_server: TmuxServer, moved: bool) -> None:
    home, work = tmux_server.home, tmux_server.home / "work"
    config = home / "elsewhere" if moved else home / ".claude"
    pid = started(tmux_server, "claude", env=f"CLAUDE_CONFIG_DIR={config}" if moved else "")
    process = process_in(pid, time.time)
    assert process is not None
    name = "".join(letter if letter.isalnum() else "-" for letter in str(work))
    main = put(config / "projects" / name / "abc.jsonl")
    sub = put(config / "projects" / name / "abc" / "subagents" / "agent-1.jsonl")
    put(config / "projects" / name / "abc" / "subagents" / "agent-0.jsonl", age=1000)
    put(config / "projects" / name / "other.jsonl")
    told = {"sessionId": "abc", "cwd": str(work), "procStart": process.ticks}
    named = config / "sessions" / f"{process.pid}.json"
    put(named, json.dumps({**told, "procStart": "1"}).encode())
    assert found("claude", pid) is None  # of another process, long ago
    put(named, json.dumps(told).encode())
    place = found("claude", pid)
    assert place is not None
    assert place.files == {main: False, sub: True}
    assert {os.path.dirname(main), os.path.dirname(sub), main.removesuffix(".jsonl")} == place.directories
    put(named, json.dumps({**told, "cwd": "/somewhere/else"}).encode())
    place = found("claude", pid)
    assert place is not None
    assert main in place.files


def test_what_claude_says_in_words_that_are_not_known_is_not_believed(tmux_server: TmuxServer) -> None:
    pid = started(tmux_server, "claude")
    for text in (b"", b"{", b"[]", b'{"sessionId": 5}', b'{"sessionId": "../x"}', b"\xff"):
        put(tmux_server.home / ".claude" / "sessions" / f"{pid}.json", text)
        assert found("claude", pid) is None, text


def test_a_transcript_that_a_hook_told_of_is_found_without_the_rest(tmux_server: TmuxServer) -> None:
    pid = started(tmux_server, "claude")
    main, sub = put(tmux_server.home / "p" / "s.jsonl"), put(tmux_server.home / "p" / "s" / "subagents" / "a.jsonl")
    place = found("claude", pid, main)
    assert place is not None
    assert place.files == {main: False, sub: True}


def test_gemini_alone_in_its_directory_has_the_chats_that_grow(tmux_server: TmuxServer) -> None:
    folder = tmux_server.home / ".gemini" / "tmp" / "work"
    old = put(folder / "chats" / "session-0.jsonl", age=1000)
    pid = started(tmux_server, "gemini")
    put(folder / ".project_root", str(tmux_server.home / "work").encode())
    main, sub = put(folder / "chats" / "session-1.jsonl"), put(folder / "chats" / "abc" / "d.jsonl")
    put(folder.parent / "x" / ".project_root", b"/elsewhere")
    put(folder.parent / "x" / "chats" / "session-2.jsonl")
    place = found("gemini", pid)
    assert place is not None
    assert place.files == {main: False, sub: True}
    started(tmux_server, "gemini")
    assert found("gemini", pid) is None  # whose they are cannot be told
    place = found("gemini", pid, main)
    assert place is not None
    assert place.files == {main: False}
    assert old not in place.files


def test_aider_alone_in_its_repository_has_its_history(tmux_server: TmuxServer) -> None:
    (tmux_server.home / ".git").mkdir()
    history = put(tmux_server.home / ".aider.chat.history.md")
    pid = started(tmux_server, "aider")
    place = found("aider", pid)
    assert place is not None
    assert place.files == {history: False}
    started(tmux_server, "aider")
    assert found("aider", pid) is None


def test_what_is_not_there_has_no_transcripts() -> None:
    assert found("claude", 2**22 + 1) is None
    assert found("bash", os.getpid()) is None


# --- news


def test_news_of_directories_tell_where_they_were(tmp_path: Path) -> None:
    async def main() -> None:
        transcripts = Transcripts(SystemClock())
        try:
            one, two = tmp_path / "one", tmp_path / "two"
            one.mkdir()
            two.mkdir()
            transcripts.watch([str(one), str(two), str(tmp_path / "none")])
            (one / "a.jsonl").write_text("x")
            assert await transcripts.changed() == {str(one)}
            (two / "b.jsonl").write_text("x")
            assert await transcripts.changed() == {str(two)}
            transcripts.watch([str(two)])
            (one / "a.jsonl").write_text("y")
            (two / "b.jsonl").write_text("y")
            assert await transcripts.changed() == {str(two)}
        finally:
            transcripts.close()

    asyncio.run(main())


def test_a_directory_with_two_names_is_told_by_both(tmp_path: Path) -> None:
    async def main() -> None:
        transcripts = Transcripts(SystemClock())
        try:
            one, two = tmp_path / "one", tmp_path / "two"
            one.mkdir()
            two.symlink_to(one)
            for _ in range(2):
                transcripts.watch([str(one), str(two)])
                (one / "a.jsonl").write_text("x")
                assert await transcripts.changed() == {str(one), str(two)}
        finally:
            transcripts.close()

    asyncio.run(main())


def test_a_directory_that_is_gone_can_be_watched_again(tmp_path: Path) -> None:
    async def main() -> None:
        transcripts = Transcripts(SystemClock())
        try:
            place = tmp_path / "one"
            place.mkdir()
            transcripts.watch([str(place)])
            place.rmdir()
            await transcripts.changed()
            place.mkdir()
            transcripts.watch([str(place)])
            (place / "a").write_text("x")
            assert await transcripts.changed() == {str(place)}
        finally:
            transcripts.close()

    asyncio.run(main())


def test_tokens_are_as_the_transcript_says(tmp_path: Path) -> None:
    path, account = tmp_path / "t.jsonl", Account("claude", "")
    path.write_bytes(answer("a", 1, 30, 5, 7))
    reading(account, str(path))
    assert tokens(account.usage(0)) == (30, 5, 7)
