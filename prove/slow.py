"""The tests on real agents, with agents that are slow: `python -m prove.slow`, resumable, one JSON line per test.

Every agent gets a share of a core and no more, by a control group that its launcher joins (tests/lab/agents.py), while
Paneward and the tests run as fast as they can. So work shows seconds after the prompt, a dialog stands after it was
answered, and two keys are read as one: what a loaded machine does now and then, all the time. It takes root, to make a
control group of either kind.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from prove.ledger import RESULTS, TOP, Ledger, Outcome, fingerprint
from tests.lab.agents import GROUP

SHARE = 40  # per cent of a core
LANES = 3  # tests at the same time
PERIOD = 100_000  # microseconds
SEEN = 4000  # characters of what a failed test printed
DEPENDS_ON = ("src/paneward", "tests/lab", "prove/slow.py")


@contextmanager
def slowed(share: int, name: str) -> Iterator[Path]:
    """A control group whose processes get that share of a core together."""
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    group = Path("/sys/fs/cgroup" if unified else "/sys/fs/cgroup/cpu") / name
    quota = str(PERIOD * share // 100)
    group.mkdir()
    try:
        if unified:
            (group / "cpu.max").write_text(f"{quota} {PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(quota)
        yield group
    finally:
        group.rmdir()


def collected(match: str) -> list[str]:
    """The tests on real agents, as pytest names them."""
    words = [sys.executable, "-m", "pytest", "--collect-only", "-m", "real", "-n", "0", "tests/lab", "-k", match]
    told = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
    return re.findall(r"(?m)^tests/\S+::.*$", told.stdout)


def play(test: str, share: int, ledger: Ledger) -> bool:
    began = time.monotonic()
    with slowed(share, f"paneward-slow-{os.getpid()}-{time.monotonic_ns()}") as group:
        words = [sys.executable, "-m", "pytest", "-n", "0", "-m", "real", test]
        told = subprocess.run(
            words, cwd=TOP, capture_output=True, text=True, env={**os.environ, GROUP: str(group)}, check=False
        )
    ok = told.returncode == 0
    details = {} if ok else {"printed": told.stdout[-SEEN:]}
    seconds = time.monotonic() - began
    ledger.add(f"{test} at {share} %", Outcome("held" if ok else "failed", ok, details), seconds)
    print(f"{'held  ' if ok else 'FAILED'} {seconds:6.1f} s  {test}", flush=True)
    return ok


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="prove.slow", description=__doc__)
    options.add_argument("match", nargs="?", default="", help="only tests that match, as pytest's -k takes it")
    options.add_argument("--share", type=int, default=SHARE, help=f"of a core, in per cent, per agent ({SHARE})")
    options.add_argument("--fresh", action="store_true", help="play again what was played")
    chosen = options.parse_args(words)
    try:
        with slowed(chosen.share, f"paneward-slow-{os.getpid()}"):
            pass
    except OSError as error:
        print(f"no control group can be made here: {error}; run it as root, on a system that has them")
        return 2
    ledger = Ledger(RESULTS / "slow.jsonl", fingerprint(DEPENDS_ON), load=False)
    if chosen.fresh:
        ledger.forget()
    tests = collected(chosen.match)
    due = [test for test in tests if not ledger.lines.get(f"{test} at {chosen.share} %", {}).get("ok")]
    with ThreadPoolExecutor(LANES) as lanes:
        held = [*lanes.map(lambda test: play(test, chosen.share, ledger), due)]
    print(f"{len(tests) - len(due) + sum(held)} of {len(tests)} tests held with {chosen.share} % of a core per agent")
    return 0 if tests and all(held) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
