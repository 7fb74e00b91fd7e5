"""`paneward hosts` and agents on a host, as a user has them: a server of its own process, a real sshd on loopback."""

from pathlib import Path

from tests.adapters.conftest import ssh_config as ssh_config
from tests.surfaces.conftest import DEMO_AGENT, Machine
from tests.surfaces.serving import up


def test_a_host_is_added_and_its_agents_are_like_any_other(machine: Machine, ssh_config: Path) -> None:
    assert machine.paneward("hosts", "list").code == 4  # no server runs
    with up(machine):
        assert machine.answer("hosts") == {"ok": True, "hosts": []}
        assert machine.paneward("hosts", "remove", "none").code == 4
        assert machine.paneward("hosts", "add", "No-Name").code == 2
        assert machine.paneward("hosts", "add", "a", "-o", "BatchMode=no").code == 2
        assert machine.paneward("adopt", "--host", "none", "%1").code == 4
        added = machine.paneward("hosts", "add", "box", "--ssh", "loopback", "--ssh-config", str(ssh_config))
        assert added.code == 0, added.err
        assert "✓ added" in added.out
        pane = machine.pane(f"{DEMO_AGENT} --busy 0.2", name="far-window")
        socket = machine.tmux("display-message", "-p", "#{socket_path}")
        there = ["-S", socket, "--host", "box"]  # -S stands for the -L that `machine` gives
        assert machine.by(*there, "wait", pane, "--timeout", "60").code == 0
        adopted = machine.by("-S", socket, "--json", "adopt", "--host", "box", pane, "--name", "far").document
        assert (adopted["agent"]["host"], adopted["agent"]["pane"]) == ("box", pane)
        assert machine.by("send", "far", "say hello").code == 0
        assert machine.by("wait", "far", "--timeout", "60").code == 0
        assert "hello" in machine.by(*there, "read", pane).out
        assert "hello" in machine.by("read", "far").out
        listed = machine.paneward("ps").out
        assert f"box:{pane}" in listed
        rows = machine.answer("hosts", "list")["hosts"]
        assert [(row["name"], row["state"], row["agents"], row["http"]) for row in rows] == [
            ("box", "connected", ["far"], "no")
        ]
        shown = machine.paneward("hosts", "list").out
        assert all(word in shown for word in ("box", "connected", "loopback", "far"))
        assert machine.paneward("hosts", "remove", "box").code == 5
        assert machine.paneward("hosts", "connect", "box").code == 0
        away = machine.paneward("hosts", "add", "away", "--ssh", "127.0.0.1", "-o", "Port=1")
        assert (away.code, "disconnected" in away.out, "HOST_UNREACHABLE" in away.out) == (0, True, True)
        assert "tried again" in machine.paneward("hosts").out
        tried = machine.paneward("--json", "hosts", "connect", "away")
        assert (tried.code, tried.document["error"]["code"]) == (1, "HOST_UNREACHABLE")
    # Without a server its name and the way to its host are remembered.
    assert machine.by("send", "far", "say goodbye").code == 0
    assert machine.by("wait", "far", "--timeout", "60").code == 0
    assert "goodbye" in machine.by(*there, "read", pane).out
