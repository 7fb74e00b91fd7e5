"""What the operating system tells of real programs in real panes, here and over ssh."""

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paneward.adapters import process
from paneward.adapters.hosts import process as process_remote
from paneward.adapters.process import local_facts
from paneward.core.profiles import GENERIC, choose
from paneward.core.terminal.scene import ProcessFacts, Snapshot
from tests.adapters.conftest import Connect, TmuxServer, until

HOSTS = pytest.mark.parametrize("host", ["local", "ssh"])


def facts_of(connect_tmux: Connect, host: str, pane: str, enough: Callable[[ProcessFacts], bool]) -> ProcessFacts:
    """Ask until the program got where it is going; fail with what was seen last."""

    async def main() -> ProcessFacts:
        seen: ProcessFacts | None = None
        async with connect_tmux("control", host) as tmux, asyncio.timeout(20):
            while seen is None or not enough(seen):
                seen = await tmux.process(await tmux.look(pane))
        assert seen is not None
        return seen

    return asyncio.run(main())


def python_pane(server: TmuxServer, code: str) -> str:
    program = server.home / "program.py"
    program.write_text(code)
    pane = server.new_pane(["python3", str(program)])
    until(lambda: "READY" in server.screen(pane))
    return pane


@HOSTS
def test_a_program_that_reads_lines_is_reading(tmux_server: TmuxServer, connect_tmux: Connect, host: str) -> None:
    pane = tmux_server.new_pane("exec cat")
    seen = facts_of(connect_tmux, host, pane, lambda facts: facts.command == "cat" and facts.reading is True)
    assert (seen.canonical, seen.echo, seen.shell, seen.argv) == (True, True, False, "cat")
    assert seen.pid == int(tmux_server.value(pane, "pane_pid"))


@HOSTS
def test_a_program_is_young_for_a_while(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = tmux_server.new_pane("exec cat")
    assert facts_of(connect_tmux, host, pane, lambda facts: facts.command == "cat").young
    for module in (process, process_remote):
        monkeypatch.setattr(module, "YOUNG", 1.0)
    assert not facts_of(connect_tmux, host, pane, lambda facts: not facts.young).young


@HOSTS
def test_an_idle_bash_is_a_shell_that_reads_in_raw_mode(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    pane = tmux_server.new_pane(["bash", "--norc", "--noprofile", "-i"])
    seen = facts_of(connect_tmux, host, pane, lambda facts: facts.reading is True)
    assert (seen.command, seen.shell, seen.canonical) == ("bash", True, False)


@HOSTS
def test_a_sleeping_child_is_in_the_foreground_and_does_not_read(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    pane = tmux_server.new_pane(["bash", "--norc", "--noprofile", "-i"])
    tmux_server.run("send-keys", "-t", pane, "sleep 1000", "Enter")
    seen = facts_of(connect_tmux, host, pane, lambda facts: facts.command == "sleep" and facts.reading is not None)
    assert (seen.reading, seen.shell, seen.argv) == (False, False, "sleep 1000")
    assert seen.pid != int(tmux_server.value(pane, "pane_pid"))


@HOSTS
def test_a_pipeline_whose_leader_ended_is_still_seen(tmux_server: TmuxServer, connect_tmux: Connect, host: str) -> None:
    pane = tmux_server.new_pane(["bash", "--norc", "--noprofile", "-i"])
    tmux_server.run("send-keys", "-t", pane, "true | sleep 1000", "Enter")
    seen = facts_of(connect_tmux, host, pane, lambda facts: facts.command == "sleep" and facts.reading is not None)
    assert seen.reading is False


@HOSTS
def test_a_password_prompt_reads_without_echo(tmux_server: TmuxServer, connect_tmux: Connect, host: str) -> None:
    pane = tmux_server.new_pane(["bash", "-c", "echo READY; read -rs secret"])
    seen = facts_of(connect_tmux, host, pane, lambda facts: facts.reading is True)
    assert seen.echo is False


@HOSTS
def test_a_read_of_a_socket_is_not_a_read_of_the_terminal(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    code = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(server.getsockname())\n"
        "print('READY', flush=True)\n"
        "client.recv(1)\n"
    )
    pane = python_pane(tmux_server, code)
    wchan = Path(f"/proc/{tmux_server.value(pane, 'pane_pid')}/wchan")
    until(lambda: wchan.read_text() == "wait_woken")  # what a read of a terminal looks like too
    assert facts_of(connect_tmux, host, pane, lambda facts: True).reading is False


@HOSTS
def test_a_poll_tells_something_in_raw_mode_only(tmux_server: TmuxServer, connect_tmux: Connect, host: str) -> None:
    poll = (
        "import select,sys,tty\n{}print('READY', flush=True)\nselect.select([0], [], [])\nselect.select([], [], [])\n"
    )
    raw = python_pane(tmux_server, poll.format("tty.setraw(0)\n"))
    cooked = python_pane(tmux_server, poll.format(""))
    assert facts_of(connect_tmux, host, raw, lambda facts: facts.reading is not False).reading is True
    assert facts_of(connect_tmux, host, cooked, lambda facts: facts.reading is not False).reading is None


SELECTS = "select.select([], [], [], 1000)"
ANOTHER = "select.select([os.pipe()[0]], [], [])"
TWO_SIDES = "threading.Thread(target=select.select, args=([0], [], [])).start(); time.sleep(1000)"
LOOP = "loop = select.epoll(); loop.register({}, select.EPOLLIN); loop.poll()"


@HOSTS
@pytest.mark.parametrize(
    ("waits", "reading"),
    [
        (SELECTS, False),
        (ANOTHER, False),
        ("select.poll().poll(1000000)", False),
        (LOOP.format("os.pipe()[0]"), False),
        (LOOP.format("0"), True),
        (LOOP.format("os.open('/dev/tty', os.O_RDWR)"), True),
        ("select.select([0, os.pipe()[0]], [], [])", True),
        (TWO_SIDES, True),
    ],
    ids=["sleep", "pipe", "poll", "epoll", "epoll of keys", "epoll of /dev/tty", "select of keys", "thread"],
)
def test_a_poll_of_anything_but_the_terminal_is_no_reading(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str, waits: str, reading: bool
) -> None:
    code = f"import os,select,threading,time,tty\ntty.setraw(0)\nprint('READY', flush=True)\n{waits}\n"
    pane = python_pane(tmux_server, code)
    wchan = Path(f"/proc/{tmux_server.value(pane, 'pane_pid')}/wchan")
    until(lambda: wchan.read_text() not in ("", "0"))
    assert facts_of(connect_tmux, host, pane, lambda facts: facts.reading is not (not reading)).reading is reading


def test_a_reader_in_a_thread_is_found(tmux_server: TmuxServer, connect_tmux: Connect) -> None:
    code = (
        "import os,threading,time\n"
        "threading.Thread(target=os.read, args=(0, 1)).start()\n"
        "print('READY', flush=True)\n"
        "time.sleep(1000)\n"
    )
    pane = python_pane(tmux_server, code)
    assert facts_of(connect_tmux, "local", pane, lambda facts: facts.reading is True).command == "python3"


def test_what_was_typed_and_not_taken_is_counted(tmux_server: TmuxServer, connect_tmux: Connect) -> None:
    code = "import time,tty\ntty.setraw(0)\nprint('READY', flush=True)\ntime.sleep(1000)\n"
    pane = python_pane(tmux_server, code)
    assert facts_of(connect_tmux, "local", pane, lambda facts: True).unread == 0
    tmux_server.run("send-keys", "-t", pane, "-l", "abcde")
    assert facts_of(connect_tmux, "local", pane, lambda facts: facts.unread == 5).reading is False


STTY = "speed 38400 baud;\n-icanon -echo\n"


def test_a_foreground_that_changes_while_it_is_asked_for_is_no_reader() -> None:
    """Without facts the screen would decide, and show the prompt from before."""
    between = process_remote.read_answer(["42\n", "7 7 7 Ss 9 do_wait bash\n", "", STTY], "/dev/pts/3")
    assert between == ProcessFacts(reading=False, canonical=False, echo=False)
    assert process_remote.read_answer(["42\n", "", "", STTY], "/dev/pts/3") is None  # ps does not tell


def test_what_a_shell_over_there_printed_becomes_facts() -> None:
    rows = "7 7 7 Ss 9 do_wait bash\n42 42 42 Sl+ 9 poll_schedule_timeout node repl.js\n42 43 42 Sl+ 9 ep_poll node\n"
    told = (
        "thread 42\ncall 7 0x100 0x2 0x0\nlink 0 /dev/pts/3\nmemory\n 09 00 00 00 01 00 00 00 05 00 00 00 01 00\n"
        " 00 00\n/proc/42/fdinfo/9:tfd:        {} events:       19 data: 7f\n"
        "thread 43\ncall 232 0x8 0x7f 0x1\nlink 0 /dev/pts/3\nepoll 8\npos:\t0\nflags:\t02\n"
    )
    reads = process_remote.read_answer(["42\n", rows, told.format(0), STTY], "/dev/pts/3")
    assert reads == ProcessFacts("node", "node repl.js", 42, False, True, False, False, True)
    works = process_remote.read_answer(["42\n", rows, told.format(5), STTY], "/dev/pts/3")
    assert works is not None
    assert works.reading is False


def test_a_dead_pane_has_no_process(tmux_server: TmuxServer, connect_tmux: Connect) -> None:
    pane = tmux_server.new_pane("true", remain=True)
    until(lambda: tmux_server.value(pane, "pane_dead") == "1")

    async def main() -> None:
        async with connect_tmux("control", "local") as tmux:
            assert await tmux.process(await tmux.look(pane)) is None

    asyncio.run(main())


def test_a_terminal_name_cannot_run_anything_on_the_other_side(
    tmux_server: TmuxServer, connect_tmux: Connect, tmp_path: Path
) -> None:
    pane = tmux_server.new_pane("exec cat")
    touched = tmp_path / "touched"

    async def main() -> None:
        async with connect_tmux("control", "ssh") as tmux:
            seen = await tmux.look(pane)
            await tmux.process(replace(seen, tty=f"/dev/null; touch {shlex.quote(str(touched))}"))
            assert (await tmux.process(seen)) is not None  # the shell over there still answers

    asyncio.run(main())
    assert not touched.exists()


FORKS = """
import os, pty, signal
child, terminal = pty.fork()
if not child:
    os.write(1, b"x")
    signal.pause()
os.read(terminal, 1)  # it has its terminal
print(child, flush=True)
signal.pause()
"""


def test_a_pane_whose_program_is_not_there_yet_is_no_tmux(tmp_path: Path) -> None:
    """tmux forks, and becomes the program a moment later: until then the command line is its own."""
    (tmp_path / "tmux").symlink_to(sys.executable)
    with subprocess.Popen([str(tmp_path / "tmux"), "-c", FORKS], stdout=subprocess.PIPE, text=True) as tmux:
        assert tmux.stdout is not None
        child = int(tmux.stdout.readline())
        facts = local_facts(child, os.readlink(f"/proc/{child}/fd/0"))
        tmux.kill()
        os.kill(child, signal.SIGKILL)
    assert facts is not None
    assert facts.argv == ""
    assert choose(Snapshot("%1", (), 80, 24, 0, 0), facts) is GENERIC
