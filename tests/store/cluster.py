"""A private PostgreSQL: its own directory, a socket in it and no port, ended afterwards. Never the machine's own."""

import os
import pwd
import shutil
import subprocess
import tempfile
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
        options = " ".join(f"-c {one}" for one in SETTINGS)
        self._run(
            "pg_ctl", "start", "-w", "-D", self._data, "-l", str(self.directory / "log"), "-o",
            f"-k {self.directory} -p {PORT} {options}",
        )  # fmt: skip

    def end(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate", "-w", "-D", self._data)

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
