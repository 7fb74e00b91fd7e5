"""A server that is killed while tmux answers nothing: its words go in once, and the next server says so."""

import os
import signal
import subprocess
import time

import pytest

from tests.surfaces.conftest import PANEWARD, Machine
from tests.surfaces.serving import reached, up


def submitted(machine: Machine, text: str) -> int:
    """How often the agent shows that this was given to it."""
    return machine.tmux("capture-pane", "-p", "-S", "-", "-t", "tester-window").count(f"❯ {text}\n")


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.2])
def test_words_of_a_server_that_is_killed_while_tmux_is_stopped_go_in_once(machine: Machine, moment: float) -> None:
    text = "say it once"
    command = [str(PANEWARD), "-L", machine.socket, "--json", "send", "tester", text, "--message-id", "m-1"]
    with up(machine) as server:
        pane = server.agent()
        machine.tmux("rename-window", "-t", pane, "tester-window")
        tmux = int(machine.tmux("display-message", "-p", "#{pid}"))
        with subprocess.Popen(command, env=machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sender:
            assert reached(lambda: "delivery_begun" in [event["kind"] for event in server.events()])
            time.sleep(moment)  # which moment of the delivery it meets, is left to chance
            os.kill(tmux, signal.SIGSTOP)
            try:
                server.end(signal.SIGKILL)
                sender.communicate()
            finally:
                os.kill(tmux, signal.SIGCONT)
    with up(machine) as server:
        again = machine.answer("send", "tester", text, "--message-id", "m-1")
        assert again["verdict"] == "confirmed", again
        server.until("COMPLETE")
        assert submitted(machine, text) == 1
