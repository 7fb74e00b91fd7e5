"""Promise 13: `down` and signals work while the server is busy."""

import os
import signal
import subprocess
import sys

from tests.surfaces.conftest import Machine
from tests.surfaces.serving import gone, up

# A loop that is held by Python code for ever, with the watchdog of a server beside it.
HELD = """
import asyncio, logging, signal
from paneward.adapters.watchdog import Watchdog
logging.basicConfig()
watchdog = Watchdog(held=0.2, grace=0.2)

async def hold():
    print("held", flush=True)
    while True:
        pass

with watchdog.watching(), watchdog.hearing(lambda: None):
    asyncio.run(hold())
"""


def test_a_signal_ends_a_process_whose_loop_is_held() -> None:
    with subprocess.Popen([sys.executable, "-c", HELD], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"held\n"
        process.send_signal(signal.SIGTERM)
        told = process.stderr.read().decode()
        assert process.wait() == 70
    assert "in hold" in told  # where it was held


def test_down_says_so_when_a_server_does_not_end_and_kills_it_when_forced(machine: Machine) -> None:
    with up(machine) as server:
        pid = server.process.pid
        os.kill(pid, signal.SIGSTOP)  # as good as held for ever: it answers nothing and hears no signal
        beside = machine.paneward("--json", "up", "--port", "0")
        assert beside.code == 1
        failure = beside.document["error"]
        assert (failure["code"], str(pid) in failure["message"]) == ("STORE_LEASED", True)
        assert "paneward down --force" in failure["hint"]
        said = machine.paneward("--json", "down", "--timeout", "0.1")
        assert (said.code, said.document["error"]["code"]) == (124, "TIMEOUT")
        assert str(pid) in said.document["error"]["message"]
        assert "--force" in said.document["error"]["hint"]
        assert server.process.poll() is None
        killed = machine.answer("down", "--timeout", "0.1", "--force")
        assert (killed["pid"], killed["killed"]) == (pid, True)
        assert server.process.wait() == -signal.SIGKILL
    assert "no server runs" in machine.paneward("down").out
    with up(machine):
        assert machine.paneward("status").code == 0


def test_down_ends_a_server_that_answers_again_in_time(machine: Machine) -> None:
    with up(machine) as server:
        pid = server.process.pid
        os.kill(pid, signal.SIGSTOP)
        assert machine.paneward("down", "--timeout", "0").code == 124
        os.kill(pid, signal.SIGCONT)  # the signal was kept for it
        assert gone(pid)
        assert server.process.wait() == 0


def test_down_never_signals_a_process_that_only_has_the_number_of_a_dead_server(machine: Machine) -> None:
    with up(machine) as server:
        server.end(signal.SIGKILL)
    told = server.state / "server.json"
    with subprocess.Popen(["sleep", "600"]) as stranger:
        told.write_text(told.read_text().replace(str(server.process.pid), str(stranger.pid)))
        assert "no server runs" in machine.paneward("down", "--force").out
        assert stranger.poll() is None
        stranger.kill()
