"""A private PostgreSQL: its own directory, a socket in it and no port, ended afterwards. Never the machine's own."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

PORT = "5432"  # the name of the socket in the directory of the cluster; nothing listens on it
# A crash of the machine is not what is tested here.
SETTINGS = ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=40", "shared_buffers=16MB"]


def programs() -> Path | None:
    """Where `initdb` is: Debian keeps it out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    where = shutil.which("initdb")
    return found[-1].parent if found else Path(where).resolve().parent if where else None


class Cluster:
    def __init__(self, directory: Path, programs: Path, user: str | None) -> None:
        self.directory = directory
        self._programs = programs
        self._user = user  # PostgreSQL refuses to be root

    def start(self) -> None:
        self._run("initdb", "-D", self._data, "-U", "paneward", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.begin()

    def begin(self) -> None:
        """It ends with this process, however that ends."""
        settings = [word for one in SETTINGS for word in ("-c", one)]
        self._server = subprocess.Popen(
            [self._programs / "postgres", "-D", self._data, "-k", str(self.directory), "-p", PORT, *settings],
            cwd=self.directory, user=self._user, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, preexec_fn=_end_with_parent,
        )  # fmt: skip
        assert self._server.stderr is not None
        for line in self._server.stderr:
            if "ready to accept connections" in line:
                break
        self._drain = threading.Thread(target=self._server.stderr.read, daemon=True)  # a full pipe would stop it
        self._drain.start()

    def end(self) -> None:
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait()
        self._drain.join()
        assert self._server.stderr is not None
        self._server.stderr.close()

    def ask(self, database: str, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self._conninfo(database), autocommit=True) as connection:
            asked = connection.execute(statement.encode())
            return asked.fetchall() if asked.description else []

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"paneward_{uuid.uuid4().hex[:12]}"
        self.ask("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str, user: str = "paneward") -> str:
        return f"postgresql+psycopg://{user}@/{database}?host={self.directory}&port={PORT}"

    @property
    def _data(self) -> str:
        return str(self.directory / "data")

    def _conninfo(self, database: str) -> str:
        return f"host={self.directory} port={PORT} user=paneward dbname={database}"

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._programs / program, *words], cwd=self.directory, user=self._user, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{program}: {done.stderr}"


def _end_with_parent() -> None:
    """PR_SET_PDEATHSIG: without it a killed test run would leave its PostgreSQL behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


@contextmanager
def cluster() -> Iterator[Cluster | None]:
    """None where PostgreSQL is not installed."""
    where = programs()
    if where is None:
        yield None
        return
    directory = Path(tempfile.mkdtemp(prefix="paneward-pg-"))  # a socket's path is short, and others may look inside
    user = _somebody() if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(directory, user)
    private = Cluster(directory, where, user)
    try:
        private.start()
        try:
            yield private
        finally:
            private.end()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _somebody() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
