"""What one row of the benchmark is, and the arithmetic that all rows share."""

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: figures of one run, and whether they reach the goal."""

    name: str
    what: str
    goal: str
    measured: dict[str, Any]
    held: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def figures(self) -> str:
        return ", ".join(f"{name} {_shown(value)}" for name, value in self.measured.items())


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " / ".join(_shown(one) for one in value.values())
    return f"{value:,.4g}".replace(",", " ") if isinstance(value, float) else str(value)


def p50(values: Sequence[float]) -> float:
    return median(values)


def p99(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def cpu_seconds(pid: int) -> float:
    """What a process used so far, in the kernel's nanoseconds: ticks of 10 ms would hide an idle watcher."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def load() -> str:
    return " ".join(f"{one:.2f}" for one in os.getloadavg())


def machine() -> str:
    """What the figures were measured on, in one line."""
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True).stdout.strip()
    return (
        f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, Python {platform.python_version()}, {tmux}"
    )
