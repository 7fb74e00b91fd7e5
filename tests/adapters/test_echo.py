"""Simple output makes of a screen what tmux makes of it; and a look by a watch shows exactly the output before it."""

import asyncio
import os
import random

import pytest

from paneward.core.terminal.echo import drawn
from tests.adapters.conftest import Connect, TmuxServer
from tests.adapters.test_watch import HOSTS, lines_of, numbers

PARTS = [b"a", b"some words", b" ", b"  ", b"\r", b"\x08", b"\x1b[K", b"\x1b[0K", b"\x1b[?2004h", b"> ", b"\x08\x08"]


@pytest.mark.parametrize("seed", range(3))
def test_tmux_draws_the_same(tmux_server: TmuxServer, connect_tmux: Connect, seed: int) -> None:
    pane = tmux_server.new_pane("stty raw -echo; exec sleep 1000")
    terminal = os.open(tmux_server.run("display-message", "-p", "-t", pane, "#{pane_tty}").strip(), os.O_WRONLY)
    chance, told = random.Random(seed), 0

    async def main() -> None:
        nonlocal told
        async with connect_tmux("control") as tmux, tmux.watch(pane) as watch:
            for _ in range(60):
                seen = await watch.see()
                assert seen is not None
                output = b"".join(chance.choice(PARTS) for _ in range(chance.randint(1, 7)))
                os.write(terminal, output)
                assert await watch.wait(seen[1] + len(output) - 1, 20)
                assert watch.recent(seen[1]) == output
                ours, theirs = drawn(seen[0], output), await watch.see()
                assert theirs is not None
                if ours is not None:
                    told += 1
                    assert ours.cursor_x == theirs[0].cursor_x
                    assert [row.rstrip() for row in ours.rows] == [row.rstrip() for row in theirs[0].rows], output
                if chance.random() < 0.2:
                    os.write(terminal, b"\r\n")
                    assert await watch.wait(theirs[1] + 1, 20)

    asyncio.run(main())
    os.close(terminal)
    assert told > 30


@HOSTS
def test_a_look_by_a_watch_shows_exactly_the_output_before_it(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    pane = tmux_server.new_pane('i=0; while :; do i=$((i+1)); echo "line$i"; [ $((i % 50)) -eq 0 ] && sleep 0.01; done')

    async def main() -> None:
        async with connect_tmux("control", host) as tmux, tmux.watch(pane) as watch:
            for _ in range(10):
                seen = await watch.see()
                assert seen is not None
                snapshot, seq = seen
                assert await watch.wait(seq + 2000, 20)
                stream = watch.recent(seq)
                assert stream is not None
                found = numbers(lines_of(snapshot) + stream.decode().replace("\r", ""))
                assert found == list(range(found[0], found[0] + len(found)))

    asyncio.run(main())


def test_a_watch_that_polls_has_no_such_look(tmux_server: TmuxServer, connect_tmux: Connect) -> None:
    pane = tmux_server.new_pane("exec sleep 1000")

    async def main() -> None:
        async with connect_tmux("exec") as tmux, tmux.watch(pane) as watch:
            assert await watch.see() is None

    asyncio.run(main())
