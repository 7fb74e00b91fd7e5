"""Starting and ending a server from the command line: as a process, on a free port, with a store of its own."""

import json
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
from pathlib import Path

import httpx
import pytest

from paneward.client.whereabouts import Whereabouts, tell, told
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import gone, paneward, up


def state(machine: Machine) -> Path:
    return machine.home / ".local/state/paneward"


# --- up and down


def test_up_says_where_it_is_and_tells_the_state_directory(machine: Machine) -> None:
    with up(machine) as server:
        assert server.said["ok"] is True
        assert server.said["sign_in"].startswith(f"{server.said['url']}/signin?code=")
        where = told(state(machine))
        assert where is not None
        assert (where.url, where.pid) == (server.said["url"], server.process.pid)
        assert stat.S_IMODE((state(machine) / "server.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((state(machine) / "token").stat().st_mode) == 0o600
        running = machine.answer("status")
        assert (running["url"], running["pid"], running["states"]) == (where.url, where.pid, {})
        assert running["version"] == running["own_version"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(machine: Machine, how: int) -> None:
    with up(machine) as server:
        assert server.end(how) == 0
    assert told(state(machine)) is None
    assert machine.paneward("status").code == 4
    with up(machine) as server:
        kinds = [event["kind"] for event in server.events()]
        assert kinds == ["server_started", "server_stopped", "server_started"]


def test_a_second_up_says_where_the_first_one_is(machine: Machine) -> None:
    with up(machine) as server:
        again = machine.answer("up")
        assert (again["ok"], again["url"], again["pid"]) == (True, server.said["url"], server.process.pid)
        assert again["sign_in"] != server.said["sign_in"]
        assert machine.answer("up", "--detach")["pid"] == server.process.pid
        assert f"✓ runs  {server.said['url']}" in machine.paneward("up").out


def test_detach_returns_when_it_is_up_and_down_ends_it(machine: Machine) -> None:
    ran = paneward(machine, "up", "--detach", "--port", "0", "--json")
    pid = ran.document["pid"]
    try:
        assert machine.answer("status")["pid"] == pid
        assert "the server listens" in Path(ran.document["log"]).read_text()
    finally:
        ended = machine.answer("down")
    assert (ended["pid"], ended["url"]) == (pid, ran.document["url"])
    assert told(state(machine)) is None
    assert machine.answer("down")["url"] == ""
    assert "no server runs" in machine.paneward("down").out


def test_down_ends_one_in_the_foreground_too(machine: Machine) -> None:
    with up(machine) as server:
        assert machine.paneward("down").code == 0
        assert server.process.wait() == 0


def test_the_doctor_knows_the_server_and_whether_one_could_be_started(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> tuple[str, str]:
        [check] = [check for check in machine.answer("doctor")["checks"] if check["name"] == "paneward"]
        return check["state"], check["seen"]

    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("PANEWARD_SERVER__PORT", str(taken.getsockname()[1]))
        state, words = seen()
        assert state == "warn"
        assert "Address already in use" in words
    assert seen() == ("ok", f"no server runs; 127.0.0.1 port {taken_port()} is free for one")
    with up(machine) as server:
        assert seen() == ("ok", f"a server runs at {server.said['url']}: no agent is watched")


def taken_port() -> str:
    return os.environ["PANEWARD_SERVER__PORT"]


def test_status_without_a_server_says_how_to_start_one(machine: Machine) -> None:
    ran = machine.paneward("--json", "status")
    assert (ran.code, ran.document["error"]["code"]) == (4, "SERVER_NOT_RUNNING")
    assert "paneward up" in ran.document["error"]["hint"]
    assert machine.paneward("status", "--tmux").out == "\n"


@pytest.mark.parametrize("words", [["ps"], ["adopt", "%1"], ["forget", "x"], ["respond", "x", "y"], ["events"]])
def test_what_needs_a_server_says_so(machine: Machine, words: list[str]) -> None:
    ran = machine.paneward(*words)
    assert ran.code == 4
    assert "SERVER_NOT_RUNNING" in ran.err
    assert len(ran.err.splitlines()) == 2


# --- what goes wrong


def test_a_port_in_use_is_one_clear_line(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = paneward(machine, "up", "--port", port)
        detached = paneward(machine, "up", "--detach", "--port", port, "--json")
    assert ran.code == detached.code == 1
    assert f"port {port}: Address already in use (PORT_IN_USE)" in ran.err
    assert len(ran.err.splitlines()) == 2
    assert detached.document["error"]["code"] == "PORT_IN_USE"
    assert told(state(machine)) is None


def test_a_second_server_on_one_store_is_refused_and_the_first_is_named(machine: Machine, tmp_path: Path) -> None:
    url = {"PANEWARD_STORE__URL": f"sqlite:///{tmp_path / 'shared.db'}"}
    with up(machine, env=url) as server:
        other = paneward(machine, "up", "--port", "0", "--json", **url, PANEWARD_STATE_DIR=str(tmp_path / "other"))
        assert (other.code, other.document["error"]["code"]) == (1, "STORE_LEASED")
        assert server.said["url"] in other.document["error"]["message"]
        assert machine.paneward("status").code == 0


@pytest.mark.parametrize("words", [["up"], ["up", "--detach"]])
def test_a_broken_config_is_usage_and_nothing_is_started(machine: Machine, words: list[str]) -> None:
    (machine.home / "bad.yaml").write_text("server:\n  port: many\n")
    ran = paneward(machine, "--config", str(machine.home / "bad.yaml"), *words)
    assert ran.code == 2
    assert "bad.yaml, line 2: server.port: 'many'" in ran.err
    assert "a whole number from 0 up to 65535" in ran.err
    assert not (state(machine) / "server.json").exists()


def test_other_machines_are_let_in_only_when_somebody_says_so(machine: Machine) -> None:
    refused = paneward(machine, "up", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 2
    assert "--insecure-bind" in refused.err
    with up(machine, "--host", "0.0.0.0", "--insecure-bind") as server:
        assert server.said["url"].startswith("http://127.0.0.1:")
        assert machine.paneward("status").code == 0


def test_a_store_that_is_no_store_is_refused_and_named(machine: Machine) -> None:
    state(machine).mkdir(parents=True)
    (state(machine) / "deliveries.db").write_bytes(b"not a database, but long enough to look at" * 100)
    ran = paneward(machine, "up", "--port", "0", "--json")
    assert (ran.code, ran.document["error"]["code"]) == (1, "STORE_ERROR")
    assert "deliveries.db" in ran.document["error"]["message"]


def test_after_a_kill_commands_go_on_without_it_and_the_next_server_takes_over(machine: Machine) -> None:
    pane = machine.pane()
    with up(machine) as server:
        server.end(signal.SIGKILL)
        assert told(state(machine)) is not None
    assert machine.paneward("send", pane, "echo still here").code == 0
    ran = machine.paneward("ps")
    assert ran.code == 4
    assert "where one was started" in ran.err
    with up(machine) as server:
        assert machine.answer("status")["pid"] == server.process.pid


def test_a_file_that_names_somebody_else_is_not_believed(machine: Machine) -> None:
    pane = machine.pane()
    with socket.create_server(("127.0.0.1", 0)) as mute:
        state(machine).mkdir(parents=True)
        tell(state(machine), Whereabouts(f"http://127.0.0.1:{mute.getsockname()[1]}", 1, "0.1.0"))
        assert machine.paneward("read", pane).code == 0
        assert machine.paneward("status").code == 4
        mute.setblocking(False)
        with pytest.raises(BlockingIOError):
            mute.accept()


def test_other_versions_say_so(machine: Machine) -> None:
    pane = machine.pane()
    with up(machine) as server:
        where = told(server.state)
        assert where is not None
        tell(server.state, Whereabouts(where.url, where.pid, "0.0.9"))
        ran = machine.paneward("read", pane)
        assert ran.code == 0
        assert "is Paneward 0.0.9, this command is" in ran.err
        tell(server.state, where)


# --- its log


def test_a_json_log_has_one_object_per_line_and_no_credentials(machine: Machine) -> None:
    with up(machine, "--log", "json"):
        pass
    lines = [json.loads(line) for line in (machine.home / "up.log").read_text().splitlines()]
    assert {"the server listens", "the server has ended"} <= {line["event"] for line in lines}
    assert all({"level", "timestamp"} <= set(line) for line in lines)
    assert "signin?code=" not in (machine.home / "up.log").read_text()


# --- TLS


def test_a_server_with_a_certificate_shows_it_to_browsers_and_commands_need_none(machine: Machine) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    home, files = machine.home, ["-keyout", "own.key", "-out", "own.pem"]
    make = "openssl req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=paneward -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*make.split(), *files], cwd=home, check=True, capture_output=True)
    env = {
        "PANEWARD_SERVER__TLS_CERTIFICATE": str(home / "own.pem"),
        "PANEWARD_SERVER__TLS_KEY": str(home / "own.key"),
    }
    with up(machine, "--host", "0.0.0.0", env=env) as server:
        assert server.said["url"].startswith("https://")
        assert machine.answer("status")["url"] == server.said["url"]
        trusted = ssl.create_default_context(cafile=str(home / "own.pem"))
        assert httpx.get(f"{server.said['url']}/healthz", verify=trusted).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.said['url']}/healthz")


def test_a_certificate_that_cannot_be_read_is_named(machine: Machine) -> None:
    ran = paneward(machine, "up", "--port", "0", PANEWARD_SERVER__TLS_CERTIFICATE=str(machine.home / "gone.pem"))
    assert ran.code == 2
    assert "gone.pem" in ran.err


# --- the demo


def test_the_demo_agents_work_ask_and_leave_nothing_behind(machine: Machine) -> None:
    with up(machine, "--demo") as server:
        server.until("AWAITING_INPUT", "demo-asker")
        names = [agent["id"] for agent in machine.answer("ps")["agents"]]
        assert sorted(names) == ["demo-asker", "demo-builder"]
        assert machine.paneward("respond", "demo-asker", "--select", "Yes").code == 0
        pids = [agent["pane_pid"] for agent in machine.answer("ps")["agents"]]
        assert server.end() == 0
    assert all(map(gone, pids))
    with up(machine):
        assert machine.answer("ps")["agents"] == []


def test_the_demo_begins_anew_after_its_server_was_killed(machine: Machine) -> None:
    with up(machine, "--demo") as first:
        first.until("AWAITING_INPUT", "demo-asker")
        first.end(signal.SIGKILL)
    with up(machine, "--demo") as second:
        second.until("AWAITING_INPUT", "demo-asker")
        agents = machine.answer("ps")["agents"]
        assert [(one["id"], one["gone"]) for one in agents] == [("demo-asker", ""), ("demo-builder", "")]
        assert machine.paneward("respond", "demo-asker", "--select", "Yes").code == 0
