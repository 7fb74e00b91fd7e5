"""Input that vanishes unread was not taken."""

import asyncio
from pathlib import Path

import pytest

from paneward.app import Transport
from paneward.core.errors import Code
from paneward.core.result import SendResult, Verdict
from tests.adapters.conftest import until
from tests.live.conftest import Ground

FLUSHES = """
import select, sys, termios, time
print("linking > ", end="", flush=True)
select.select([0], [], [])
time.sleep({pause})
termios.tcflush(0, termios.TCIFLUSH)
print("done", flush=True)
print("next > ", end="", flush=True)
open({path!r}, "w").write(sys.stdin.readline())
time.sleep(1000)
"""


@pytest.mark.parametrize("pause", [0, 1])
@pytest.mark.parametrize(("way", "host"), [("control", "local"), ("exec", "local"), ("control", "ssh")])
def test_a_line_that_is_flushed_is_not_claimed(
    ground: Ground, tmp_path: Path, way: Transport, host: str, pause: int
) -> None:
    """Its terminal is among what it waits for, so nobody can tell beforehand; the next one goes in."""
    got = tmp_path / "got"
    pane = ground.shell("python3", "-c", FLUSHES.format(path=str(got), pause=pause))

    async def act() -> list[SendResult]:
        async with ground.connect(way, host) as tmux:
            return [await tmux.send_text(pane, "thrown away"), await tmux.send_text(pane, "read")]

    thrown, read = asyncio.run(act())
    assert thrown.verdict is not Verdict.CONFIRMED, thrown
    assert thrown.error_type in (None, Code.SEND_FAILED), thrown
    assert read.verdict is Verdict.CONFIRMED, read
    until(lambda: got.exists() and got.read_text() == "read\n")
