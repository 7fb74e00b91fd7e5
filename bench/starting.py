"""What a start costs, in CPU time: the import of the library, and the help of a command."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.row import Row, p50
from paneward.surfaces.cli import EXAMPLES

IMPORT_AT_MOST = 0.150
HELP_AT_MOST = 1.4
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


def _cpu(line: list[str]) -> float:
    """CPU seconds of one run of a program."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, line
    return usage.ru_utime + usage.ru_stime
