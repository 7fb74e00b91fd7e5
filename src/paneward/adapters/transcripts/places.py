"""Where an agent's transcripts lie, told by its process: its open files, its home and where it works.

What surprised us: Claude Code holds no file open, and writes which conversation each of its processes has; the name
of a project's folder is its path with every other letter than a plain one as a dash, cut where that is long. Codex
holds open what it writes to, its sub-agents' too. Of Gemini CLI and aider nothing says which of the files in a place is
whose: where two of them work in one directory, none is told.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from paneward.core.usage import moment

TICKS = os.sysconf("SC_CLK_TCK")
READINGS = 5  # of the clock, to tell when the machine was started
HISTORY = ".aider.chat.history.md"
_OTHER = re.compile(r"[^a-zA-Z0-9]")
_OPTION = re.compile(r"--chat-history-file[= ](\S+)")


@dataclass(frozen=True)
class Process:
    """The program in the foreground of a pane."""

    pid: int
    group: int
    started_at: float  # seconds since the epoch
    ticks: str  # the same as the kernel counts it: with the pid, it tells a process from all others
    others: tuple[int, ...] = field(default=())  # of the same group

    @cached_property
    def env(self) -> Mapping[str, str]:
        rows = _bytes(f"/proc/{self.pid}/environ").split(b"\0")
        pairs = (os.fsdecode(row).partition("=") for row in rows)
        return {name: value for name, _, value in pairs}

    @cached_property
    def words(self) -> list[str]:
        return _words(self.pid)

    @cached_property
    def cwd(self) -> Path | None:
        return _cwd(self.pid)

    @property
    def home(self) -> Path:
        return Path(self.env.get("HOME") or "/")


Found = Iterable[tuple[Path, bool]]  # transcripts, and whether each is a sub-agent's


def process_in(pane_pid: int, wall: Callable[[], float]) -> Process | None:
    """What is in the foreground of the pane whose first process this is; `wall`: seconds since the epoch."""
    pane = _stat(pane_pid)
    if pane is None or int(pane[5]) <= 0:
        return None
    group = int(pane[5])
    leader = _stat(group)
    if leader is None:
        return None
    members = [pid for pid in _tree(pane_pid) if pid != group and (_stat(pid) or [""] * 3)[2] == str(group)]
    return Process(group, group, _booted_at(wall) + int(leader[19]) / TICKS, leader[19], tuple(members))


def _booted_at(wall: Callable[[], float]) -> float:
    """Two clocks are read, and the machine may be busy in between: the closest reading counts."""
    readings = [(_up(), wall(), _up()) for _ in range(READINGS)]
    before, now, after = min(readings, key=lambda one: one[2] - one[0])
    return now - (before + after) / 2


def _up() -> float:
    return float(_bytes("/proc/uptime").split()[0])


def since(kind: str, process: Process) -> str:
    """When it was started, as its transcripts tell the time: aider's by the clock on the wall, to the second."""
    if kind == "aider":
        return moment(f"{datetime.fromtimestamp(process.started_at - 1).astimezone():%Y-%m-%d %H:%M:%S}")
    return moment(f"{datetime.fromtimestamp(process.started_at, UTC):%Y-%m-%dT%H:%M:%S.%f}Z")


# --- each kind


def claude(process: Process) -> Found:
    """The file that names the conversation of a process is its own: it tells when that was started."""
    home = Path(process.env.get("CLAUDE_CONFIG_DIR") or process.home / ".claude")
    for pid in (process.pid, *process.others):
        told = _json(home / "sessions" / f"{pid}.json")
        stat = _stat(pid)
        session, cwd = told.get("sessionId"), told.get("cwd")
        if stat is None or told.get("procStart") != stat[19] or not isinstance(session, str) or "/" in session:
            continue
        named = home / "projects" / _OTHER.sub("-", str(cwd)) / f"{session}.jsonl"
        path = named if named.is_file() else next((home / "projects").glob(f"*/{_plain(session)}.jsonl"), None)
        if path is not None:
            yield path, False
            yield from claude_subs(path, process.started_at)
        return


def claude_subs(path: Path, newer: float) -> Found:
    return [(sub, True) for sub in _newer((path.with_suffix("") / "subagents").glob("*.jsonl"), newer)]


def codex(process: Process) -> Found:
    for pid in (process.pid, *process.others):
        for path in _open_files(pid):
            if path.name.startswith("rollout-") and path.suffix == ".jsonl":
                yield path, False  # which is a sub-agent's, it says itself


def gemini(process: Process) -> Found:
    home = Path(process.env.get("GEMINI_CLI_HOME") or process.home) / ".gemini" / "tmp"
    if process.cwd is None or not alone("gemini", process):
        return []
    places = [one.parent for one in home.glob("*/.project_root") if _text(one).strip() == str(process.cwd)]
    files = (path for place in places for path in (place / "chats").glob("**/*.jsonl"))
    return [(path, path.parent.name != "chats") for path in _newer(files, process.started_at)]


def aider(process: Process) -> Found:
    path = _history(process.pid)
    if path is None or not path.is_file() or path in [_history(rival) for rival in _rivals("aider", process)]:
        return []
    return [(path, False)]


PLACES: Mapping[str, Callable[[Process], Found]] = {"claude": claude, "codex": codex, "gemini": gemini, "aider": aider}


def _history(pid: int) -> Path | None:
    """Where aider keeps its chats: beside the repository it works in."""
    cwd = _cwd(pid)
    if cwd is None:
        return None
    if named := _OPTION.search(" ".join(_words(pid))):
        return cwd / named[1]
    root = next((place for place in (cwd, *cwd.parents) if (place / ".git").exists()), cwd)
    return root / HISTORY


# --- processes


def alone(kind: str, process: Process) -> bool:
    """No other agent of that kind works in its directory."""
    return all(_cwd(rival) != process.cwd for rival in _rivals(kind, process))


def _rivals(kind: str, process: Process) -> Iterator[int]:
    """Other agents of that kind."""
    for name in os.listdir("/proc"):
        if not name.isdecimal() or int(name) == process.pid or int(name) in process.others:
            continue
        stat = _stat(int(name))
        if stat is not None and stat[2] != str(process.group) and kind in map(os.path.basename, _words(int(name))[:2]):
            yield int(name)


def _tree(root: int, most: int = 300) -> Iterator[int]:
    stack = [root]
    for _ in range(most):
        if not stack:
            return
        pid = stack.pop()
        yield pid
        with suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                stack += map(int, _bytes(f"/proc/{pid}/task/{task}/children").split())


def _stat(pid: int) -> list[str] | None:
    """The fields behind the name, the first of which is the state."""
    fields = _bytes(f"/proc/{pid}/stat").rpartition(b")")[2].decode().split()
    return fields if len(fields) > 20 else None


def _words(pid: int) -> list[str]:
    return os.fsdecode(_bytes(f"/proc/{pid}/cmdline").rstrip(b"\0")).split("\0")


def _cwd(pid: int) -> Path | None:
    with suppress(OSError):
        return Path(os.readlink(f"/proc/{pid}/cwd"))
    return None


def _open_files(pid: int) -> Iterator[Path]:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                yield Path(os.readlink(f"/proc/{pid}/fd/{name}"))


# --- files


def _newer(paths: Iterable[Path], than: float) -> Iterator[Path]:
    for path in paths:
        with suppress(OSError):
            if path.stat().st_mtime >= than:
                yield path


def _plain(name: str) -> str:
    """Without what a pattern would understand."""
    return re.sub(r"[^\w-]", "?", name)


def _json(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    return _bytes(str(path)).decode("utf-8", "replace")


def _bytes(path: str, most: int = 1 << 20) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(most)
    except OSError:
        return b""
