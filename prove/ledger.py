"""What a proof is made of, and the file that remembers what was played: data and thin code around one file.

The fingerprint is of the code that a cell depends on, so that a commit to the documentation repeats nothing, and an
uncommitted change repeats everything.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prove.place import Place

TOP = Path(__file__).resolve().parent.parent
RESULTS = TOP / "build" / "prove"
DEPENDS_ON = (
    "src/paneward",
    "tests/hostile",
    "tests/live/ground.py",
    "tests/live/sshd.py",
    "tests/adapters/conftest.py",
    "prove",
)

Line = dict[str, Any]  # one line of a results file


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a cell went; `details` hold what somebody needs who has to find out why."""

    judgement: str
    ok: bool
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """One thing to be played, on a place of its own or one that it shares in turn."""

    key: str
    play: Callable[[Place], Awaitable[Outcome]]
    seconds: float = 90.0  # after which it has failed


@dataclass(frozen=True, slots=True)
class Proof:
    name: str
    about: str
    cells: Callable[[int], Sequence[Cell]]  # of so many rounds
    rounds: int  # by default
    complaints: Callable[[Sequence[Line]], list[str]]  # what the whole does not satisfy
    lanes: int = 3  # played at the same time


def fingerprint(paths: Iterable[str] = DEPENDS_ON, top: Path = TOP) -> str:
    """Changes when any of the code changes that a cell runs."""
    digest = hashlib.sha256()
    for path in paths:
        for file in _sources(top / path):
            digest.update(f"{file.relative_to(top)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


class Ledger:
    """The lines of one proof, by key; those of other code are kept in the file and count for nothing."""

    def __init__(self, path: Path, code: str, load: bool) -> None:
        self._path = path
        self._mark = {"code": code, "load": load}
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lines: dict[str, Line] = {line["key"]: line for line in self._read() if self._counts(line)}

    def _read(self) -> list[Line]:
        if not self._path.exists():
            return []
        return [json.loads(line) for line in self._path.read_text().split("\n")[:-1]]  # a torn last line is no line

    def _counts(self, line: Line) -> bool:
        return all(line.get(name) == value for name, value in self._mark.items())

    def forget(self) -> None:
        """Begin anew: what this code showed so far is taken out of the file."""
        kept = [line for line in self._read() if not self._counts(line)]
        self._path.write_text("".join(json.dumps(line) + "\n" for line in kept))
        self.lines.clear()

    def add(self, key: str, outcome: Outcome, seconds: float) -> Line:
        line: Line = {"key": key, "judgement": outcome.judgement, "ok": outcome.ok, **self._mark}
        line |= {"seconds": round(seconds, 3), **outcome.details}
        with self._path.open("a") as file:
            file.write(json.dumps(line, default=str) + "\n")
        self.lines[key] = line
        return line
