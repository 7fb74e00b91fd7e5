"""The live tests on the tmux of other Debian releases: one JSON line per release, resumable.

Shape: a script. Each release's tmux comes first in PATH and in PANEWARD_TEST_TMUX; a tmux that Paneward does not
support must be refused with its code instead. A release that passed on this very commit is not tried again; tests still
uncommitted are tried always.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from xml.etree import ElementTree

TOP = Path(__file__).resolve().parent.parent
RESULTS = TOP / "build/prove/tmux.jsonl"
LIVE_TESTS = [folder for folder in ("tests/adapters", "tests/live") if (TOP / folder).is_dir()]
RELEASES = {"bookworm": "pass", "trixie": "pass", "sid": "pass", "bullseye": "refuse"}

Cell = dict[str, str | int | float | bool]


def said(*command: str, **environment: str) -> str:
    """What a command printed, whatever its exit code; its words on stderr go to ours."""
    done = subprocess.run(
        command, cwd=TOP, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=False
    )
    return done.stdout.strip()


def commit() -> str:
    """The commit the working tree stands at, or "" when it differs from it."""
    return "" if said("git", "status", "--porcelain") else said("git", "rev-parse", "HEAD")


def environment_of(tmux: Path) -> dict[str, str]:
    return {"PATH": f"{tmux.parent}:{os.environ['PATH']}", "PANEWARD_TEST_TMUX": str(tmux)}


def tests_pass(tmux: Path) -> Cell:
    if not LIVE_TESTS:
        return {"tests": 0, "ok": False}  # pytest without a folder would run everything
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "junit.xml")
        command = [".venv/bin/pytest", "-n", "2", f"--junit-xml={report}", *LIVE_TESTS]
        done = subprocess.run(
            command, cwd=TOP, env=os.environ | environment_of(tmux), stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode:
            print(done.stdout, file=sys.stderr)
        return counts(report) | {"ok": done.returncode == 0}


def counts(report: Path) -> Cell:
    if not report.exists():
        return {"tests": 0}
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    names = {"tests": "tests", "failures": "failed", "errors": "errors", "skipped": "skipped"}
    return {name: int(suite.get(attribute, "0")) for attribute, name in names.items()}


def is_refused(tmux: Path) -> Cell:
    name = f"paneward-prove-{os.getpid()}"
    said(str(tmux), "-L", name, "-f", "/dev/null", "new-session", "-d", "sleep 600")
    try:
        answer = said(".venv/bin/paneward", "-L", name, "panes", "--json", **environment_of(tmux))
    finally:
        said(str(tmux), "-L", name, "kill-server")
    return {"ok": "TMUX_TOO_OLD" in answer, "answer": answer}


def tried(suite: str, expected: str, at_commit: str) -> Cell:
    began = monotonic()
    tmux = Path(said("scripts/tmux-versions", suite))
    cell: Cell = {"suite": suite, "version": said(str(tmux), "-V"), "expected": expected, "commit": at_commit}
    outcome = tests_pass(tmux) if expected == "pass" else is_refused(tmux)
    return cell | outcome | {"seconds": round(monotonic() - began, 1)}


def earlier() -> list[Cell]:
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def passed_before(suite: str, at_commit: str) -> Cell | None:
    matching = (cell for cell in earlier() if cell["suite"] == suite and cell["commit"] == at_commit and cell["ok"])
    return next(matching, None) if at_commit else None


def main(wanted: list[str]) -> int:
    at_commit, all_ok = commit(), True
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for suite in wanted or RELEASES:
        cell = passed_before(suite, at_commit)
        if cell is None:
            cell = tried(suite, RELEASES[suite], at_commit)
            with RESULTS.open("a") as results:
                results.write(json.dumps(cell) + "\n")
        print(json.dumps(cell), flush=True)
        all_ok &= bool(cell["ok"])
    return 0 if all_ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
