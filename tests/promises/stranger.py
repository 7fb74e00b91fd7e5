"""Another account of this machine: what it runs, and the programs with which it tries to get in.

A try prints `got in` for each thing that it reached.
"""

import importlib
import os
import pkgutil
import subprocess
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import paneward
from tests.surfaces.conftest import Machine, Ran

PYTHON = "/usr/bin/python3"  # one that every user can run: that of the tests may lie in root's home


@dataclass(frozen=True)
class Person:
    """An account of this machine, and what it runs."""

    uid: int
    home: Path

    def command(self, *words: str) -> list[str]:
        return ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", *words]

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "TMUX_TMPDIR": str(self.home)}
        return subprocess.run(
            self.command(*words),
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def tries(self, program: str, *arguments: str) -> list[str]:
        """What a program of this person reached. It must come to its end: a program that breaks proves nothing."""
        ran = self.run(PYTHON, "-c", textwrap.dedent(program), *arguments)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
        return [line.removeprefix("got in ") for line in ran.stdout.splitlines() if line.startswith("got in ")]

    def paneward(self, machine: Machine, env: Mapping[str, str], *words: str) -> Ran:
        """A command of Paneward. This process forks and becomes this person: its Python may lie in root's home."""
        load_everything()
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if not child:
                code = 99
                try:
                    os.dup2(said.fileno(), 1)
                    os.setgroups([])
                    os.setgid(self.uid)
                    os.setuid(self.uid)
                    os.chdir("/")
                    os.environ.update({"HOME": str(self.home), "TMUX_TMPDIR": str(self.home), **env})
                    ran = machine.by(*words)
                    os.write(1, f"{ran.out}{ran.err}".encode())
                    code = ran.code
                finally:
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            return Ran(code, "", said.read().decode())


VICTIM = Person(0, Path("/"))


@cache
def load_everything() -> None:
    for module in pkgutil.walk_packages(paneward.__path__, "paneward."):
        if not module.name.endswith("__main__") and ".migrations." not in module.name:
            importlib.import_module(module.name)


READ = """
import os, sys
for name in sys.argv[1:]:
    try:
        if os.path.isdir(name):
            os.listdir(name)
        else:
            with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                file.read(1)
        print("got in", name)
    except OSError:
        pass
"""
WRITE = """
import os, sys
def planted(name): os.close(os.open(name + "/planted", os.O_CREAT | os.O_WRONLY)); os.unlink(name + "/planted")
def linked(name): os.symlink("/etc/passwd", name + "/link"); os.unlink(name + "/link")
def appended(name): os.close(os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
def renamed(name): os.rename(name, name + ".old"); os.rename(name + ".old", name)
def opened(name): os.chmod(name, os.stat(name).st_mode & 0o7777)
for name in sys.argv[1:]:
    for way in (planted, linked, appended, renamed, opened):
        try:
            way(name)
            print("got in", way.__name__, name)
        except OSError:
            pass
"""
CONNECT = """
import socket, sys
for name in sys.argv[1:]:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(name)
        print("got in", name)
    except OSError:
        pass
"""
PORT = """
import base64, http.client, json, sys
from urllib.parse import urlsplit
host = urlsplit(sys.argv[1]).netloc
def coded(data): return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()
claims = {"role": "operator", "sub": "operator", "exp": 1 << 40}
forged = coded({"alg": "none", "typ": "JWT"}) + "." + coded(claims) + "."
marks = [{}, {"Authorization": "Bearer "}, {"Authorization": "Bearer " + forged}, {"Authorization": "Basic cm9vdDo="},
         {"Cookie": "paneward=" + forged}, {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1"},
         {"X-Forwarded-User": "root", "Remote-User": "root"}, {"Host": "paneward", "Origin": "http://" + host}]
gets = ["/api/agents", "/api/agents/worker", "/api/agents/worker/turns", "/api/panes", "/api/panes/0/screen",
        "/api/events", "/api/audit", "/api/deliveries", "/api/export", "/api/devices", "/api/hosts", "/metrics",
        "/openapi.json", "/docs", "/api/agents/worker/recordings",
        "/api/../token", "/%2e%2e/token", "/signin?code=", "/signin?code=" + "A" * 32]
posts = ["/api/agents", "/api/agents/worker/send", "/api/respond/worker", "/api/panes/0/send", "/api/panes/0/keys",
         "/api/shutdown", "/api/tokens", "/hook/worker/signal", "/mcp"]
socket = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
          "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
def tried(method, path, headers, body=None):
    connection = http.client.HTTPConnection(host, timeout=120)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if answer.status < 400 and answer.status != 303 or answer.getheader("set-cookie"):
            print("got in", method, path, answer.status, list(headers))
        return answer.status
    except (http.client.HTTPException, OSError):
        return 0  # it was hung up on
    finally:
        connection.close()
seen = set()
for mark in marks:
    for path in gets:
        seen.add(tried("GET", path, mark))
    for path in posts:
        for method in ("POST", "PUT", "DELETE"):
            seen.add(tried(method, path, {**mark, "Content-Type": "application/json"}, '{"text": "x"}'))
    for path in ("/api/agents/worker/stream", "/api/panes/0/stream"):
        seen.add(tried("GET", path, {**mark, **socket}))
print("answered", sorted(seen))
"""
LISTEN = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
while True:
    client, _ = server.accept()
    client.settimeout(2)
    try:
        print("heard", client.recv(65536), flush=True)
    except OSError:
        pass
    client.close()
"""
