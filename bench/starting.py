"""What a start costs, in CPU time: the import of the library, the help of a command, the commands run most often."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.ground import SHELL, private_server
from bench.row import Row, p50
from paneward.surfaces.cli import EXAMPLES

IMPORT_AT_MOST = 0.150
HELP_AT_MOST = 1.4
WITH_SERVER_AT_MOST, ALONE_AT_MOST = 10, 20
BARE_COMMAND = """
@app.command("{name}")
def command_{number}(pane: str, text: str = "-", timeout: float = 30.0, wait: bool = True) -> None:
    \"\"\"Do what {name} says.\"\"\"
"""


def import_and_help(quick: bool) -> Row:
    rounds = 5 if quick else 21
    with TemporaryDirectory(prefix="paneward-bench-") as name:
        bare_app = Path(name, "bare.py")
        bare_app.write_text(_bare_app())
        lines = {
            "python": [sys.executable, "-c", "pass"],
            "import": [sys.executable, "-c", "import paneward"],
            "connect": [sys.executable, "-c", "from paneward import connect"],
            "help": [sys.executable, "-m", "paneward", "send", "--help"],
            "bare help": [sys.executable, str(bare_app), "send", "--help"],
        }
        used: dict[str, list[float]] = {what: [] for what in lines}
        for _ in range(rounds):
            for what, line in lines.items():
                used[what].append(_cpu(line))
    python = p50(used["python"])
    imported, ratio = p50(used["import"]) - python, p50(used["help"]) / p50(used["bare help"])
    return Row(
        "import_and_help",
        "`import paneward`; `paneward send --help`",
        "under 150 ms of CPU over a bare python; at most 1.4x a bare Typer app with as many commands",
        {
            "import ms": imported * 1e3,
            "import of connect ms": (p50(used["connect"]) - python) * 1e3,
            "help of bare x": ratio,
            "help ms": p50(used["help"]) * 1e3,
            "bare help ms": p50(used["bare help"]) * 1e3,
        },
        imported < IMPORT_AT_MOST and ratio <= HELP_AT_MOST,
    )


def _bare_app() -> str:
    commands = [BARE_COMMAND.format(name=name.replace(" ", "-"), number=at) for at, name in enumerate(EXAMPLES)]
    return "import typer\napp = typer.Typer()\n" + "".join(commands) + "app()\n"


def hot_commands(quick: bool) -> Row:
    """With a server that runs; of this machine's CPU, that of the command alone."""
    measured = _hot(quick, served=True)
    return Row(
        "hot_commands",
        "`read`, `send`, `status --tmux` with a server up",
        "at most 10x the CPU of a bare `python -c pass`",
        measured,
        max(ratio for name, ratio in measured.items() if name.endswith(" x")) <= WITH_SERVER_AT_MOST,
    )


def hot_commands_alone(quick: bool) -> Row:
    """Without a server: the command is the library, and its own control client of tmux is not counted."""
    measured = _hot(quick, served=False)
    reason = "a send loads the library (asyncio, flows, profiles) and SQLAlchemy, for the receipt on the disk"
    return Row(
        "hot_commands_alone",
        "`read`, `send`, `status --tmux` without a server",
        "at most 20x the CPU of a bare `python -c pass`",
        {**measured, "why": reason},
        max(ratio for name, ratio in measured.items() if name.endswith(" x")) <= ALONE_AT_MOST,
    )


def _hot(quick: bool, served: bool) -> dict[str, float]:
    rounds = 5 if quick else 21
    with private_server() as tmux, TemporaryDirectory(prefix="paneward-bench-") as home:
        pane = tmux.new_pane(SHELL)
        env = {**os.environ, "HOME": home, "PANEWARD_STATE_DIR": f"{home}/state", "PANEWARD_TMUX__BINARY": tmux.tmux}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled
        paneward = [sys.executable, "-m", "paneward", "-L", tmux.name]
        lines = {
            "python": [sys.executable, "-c", "pass"],
            "read": [*paneward, "read", pane],
            "send": [*paneward, "send", pane, "true"],
            "status": [*paneward, "status", "--tmux"],
        }
        if served:
            subprocess.run([*paneward, "up", "--detach", "--port", "0"], env=env, check=True, capture_output=True)
        try:
            used: dict[str, list[float]] = {what: [] for what in lines}
            for _ in range(rounds):
                for what, line in lines.items():
                    used[what].append(_cpu(line, env))
        finally:
            subprocess.run([*paneward, "down"], env=env, check=True, capture_output=True)
    found = {what: p50(times) for what, times in used.items()}
    ratios = {f"{what} x": time / found["python"] for what, time in found.items() if what != "python"}
    return {**ratios, **{f"{what} ms": time * 1e3 for what, time in found.items()}}


def _cpu(line: list[str], env: Mapping[str, str] | None = None) -> float:
    """CPU seconds of one run of a program."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, env=env)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, line
    return usage.ru_utime + usage.ru_stime
