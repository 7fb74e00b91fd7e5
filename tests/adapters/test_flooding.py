"""A pane that floods is held back, sampled, and followed again when it is calm; whatever happens to it meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.control.watching import PaneWatch
from tests.adapters.conftest import TMUX, TmuxServer, until

END = "the end> "


class Spring:
    """A pane that floods from Enter on until it is stopped; then it prints its last words and echoes what is typed."""

    def __init__(self, server: TmuxServer) -> None:
        self.server = server
        self._runs = Path(server.home) / "runs"
        self._runs.touch()
        water = Path(server.home) / "water"
        water.write_text("".join(f"a line of the flood, number {number}\n" for number in range(5000)))
        loop = f"stty -echo; read x; while [ -e {self._runs} ]; do cat {water}; done; printf '{END}'; exec cat"
        self.pane = server.new_pane(loop)

    def flow(self) -> None:
        self.server.run("send-keys", "-t", self.pane, "Enter")

    def stop(self) -> None:
        self._runs.unlink()


@pytest.fixture
def spring(tmux_server: TmuxServer) -> Spring:
    return Spring(tmux_server)


@asynccontextmanager
async def watched(spring: Spring) -> AsyncIterator[tuple[ControlTmux, PaneWatch]]:
    async with ControlTmux(Host(), spring.server.name, tmux=TMUX) as tmux, tmux.watch(spring.pane) as watch:
        assert isinstance(watch, PaneWatch)
        spring.flow()
        yield tmux, watch


async def heard(watch: PaneWatch, condition: Callable[[], object]) -> None:
    """Woken by what the watch tells, and by nothing else."""
    while not condition():
        assert await watch.wait(watch.output_seq, 60), "nothing more is told"
        assert not watch.gone


def shown(watch: PaneWatch, words: str) -> bool:
    """On the last screen, or in what came behind it."""
    return words.encode() in "\n".join(watch.snapshot.rows).encode() + b"".join(watch._ring)


async def flooding(watch: PaneWatch, samples: int = 3) -> None:
    """Until it is sampled, that many times at least: a machine under load can make it look calm for a moment."""
    await heard(watch, lambda: watch.flooding)
    enough = watch.joins + samples
    await heard(watch, lambda: watch.flooding and watch.joins >= enough)


async def calm(watch: PaneWatch) -> None:
    await heard(watch, lambda: shown(watch, END.strip()) and watch.joined)
    assert not watch.flooding


def valves(tmux: ControlTmux) -> int:
    return sum(len(home._valves) for home in tmux._watchers._sessions.values())


def test_a_flood_is_sampled_and_its_last_words_are_seen(spring: Spring) -> None:
    async def main() -> None:
        async with watched(spring) as (_, watch):
            await flooding(watch)
            assert shown(watch, "a line of the flood")
            assert watch.recent(watch.output_seq) == b""
            assert not watch.joined
            assert watch.unmoved() is None
            at = watch.last_output_at
            spring.stop()
            await calm(watch)
            assert at is not None
            assert watch.last_output_at is not None
            assert watch.last_output_at > at
            joins = watch.joins
            spring.server.run("send-keys", "-t", spring.pane, "word", "Enter")
            await heard(watch, lambda: shown(watch, "word"))
            assert watch.joins == joins, "followed as before: without a gap"

    asyncio.run(main())


def test_who_reads_the_output_gets_a_gap_and_a_new_screen_with_each_sample(spring: Spring) -> None:
    async def main() -> None:
        async with watched(spring) as (_, watch):
            gaps = 0
            async for chunk in watch.chunks():
                gaps += chunk is None
                if chunk is None and gaps == 3:
                    assert shown(watch, "a line of the flood")
                    spring.stop()
                if gaps >= 3 and shown(watch, END.strip()):
                    break

    asyncio.run(main())


def test_other_panes_are_heard_to_the_last_line_meanwhile(spring: Spring) -> None:
    split = ("split-window", "-t", spring.pane, "-P", "-F", "#{pane_id}")
    other = spring.server.run(*split, "stty -echo; while read x; do echo said-$x; done")

    async def main() -> None:
        async with watched(spring) as (tmux, watch), tmux.watch(other) as beside:
            await flooding(watch)
            for number in range(50):
                await tmux.type(other, str(number))
                await tmux.press(other, "Enter")
            while not (told := beside.recent(0) or b"").endswith(b"said-49\r\n"):
                assert await beside.wait(beside.output_seq, 60)
            assert told.split() == [b"said-%d" % number for number in range(50)]
            spring.stop()
            await calm(watch)

    asyncio.run(main())


def test_what_is_over_within_a_second_is_read_whole(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("stty -echo; read x; yes 'a line of no flood' | head -c 300000; printf END; read x")

    async def main() -> None:
        async with ControlTmux(Host(), tmux_server.name, tmux=TMUX) as tmux, tmux.watch(pane) as watch:
            heard = 0
            await tmux.press(pane, "Enter")
            async for chunk in watch.chunks():
                assert isinstance(chunk, bytes), "a gap"
                heard += chunk.count(b"\n")
                if chunk.endswith(b"END"):
                    break
            assert heard == 300_000 // len("a line of no flood\n")

    asyncio.run(main())


def test_who_comes_while_it_is_held_back_is_told_too(spring: Spring) -> None:
    async def main() -> None:
        async with watched(spring) as (tmux, watch):
            await flooding(watch)
            async with tmux.watch(spring.pane) as late:
                assert isinstance(late, PaneWatch)
                assert late.flooding
                await flooding(late)
                spring.stop()
                await calm(late)
                await calm(watch)

    asyncio.run(main())


def test_when_the_last_one_leaves_it_is_let_on_and_no_timer_stays(spring: Spring) -> None:
    other = spring.server.run("split-window", "-t", spring.pane, "-P", "-F", "#{pane_id}", "exec cat")

    async def main() -> None:
        async with ControlTmux(Host(), spring.server.name, tmux=TMUX) as tmux, tmux.watch(other):
            async with tmux.watch(spring.pane) as watch:
                assert isinstance(watch, PaneWatch)
                spring.flow()
                await flooding(watch)
            assert valves(tmux) == 0
            spring.stop()
            await asyncio.to_thread(until, lambda: END.strip() in spring.server.screen(spring.pane))
            async with tmux.watch(spring.pane) as again:
                assert isinstance(again, PaneWatch)
                spring.server.run("send-keys", "-t", spring.pane, "word", "Enter")
                await heard(again, lambda: b"word" in (again.recent(0) or b""))
                assert again.joins == 1

    asyncio.run(main())


async def stand_still(tmux: ControlTmux, watch: PaneWatch) -> None:
    """We stop reading, as under load, for longer than tmux's own second of patience."""
    client = tmux._watchers._sessions[watch.snapshot.session].client
    assert client is not None
    asyncio.get_running_loop().remove_reader(client._from)
    await asyncio.sleep(2.5)
    asyncio.get_running_loop().add_reader(client._from, client._readable)


def test_a_pause_by_tmux_itself_of_what_nobody_watches_is_lifted(spring: Spring) -> None:
    other = spring.server.run("split-window", "-t", spring.pane, "-P", "-F", "#{pane_id}", "exec cat")

    async def main() -> None:
        async with ControlTmux(Host(), spring.server.name, tmux=TMUX) as tmux, tmux.watch(other) as beside:
            assert isinstance(beside, PaneWatch)
            spring.flow()
            await stand_still(tmux, beside)
            await tmux.type(other, "hello")
            await heard(beside, lambda: shown(beside, "hello"))  # all that came before was read
            spring.stop()
            await asyncio.to_thread(until, lambda: END.strip() in spring.server.screen(spring.pane))
            async with tmux.watch(spring.pane) as watch:
                assert isinstance(watch, PaneWatch)
                spring.server.run("send-keys", "-t", spring.pane, "word", "Enter")
                await heard(watch, lambda: b"word" in (watch.recent(0) or b""))

    asyncio.run(main())


def test_a_pause_by_tmux_itself_doubles_nothing(spring: Spring) -> None:
    async def main() -> None:
        async with watched(spring) as (tmux, watch):
            await heard(watch, lambda: watch.output_seq)
            await stand_still(tmux, watch)  # while it is followed
            await heard(watch, lambda: watch.flooding)
            await stand_still(tmux, watch)  # while it is held back
            await flooding(watch)
            spring.stop()
            await calm(watch)
            joins = watch.joins
            spring.server.run("send-keys", "-t", spring.pane, "word", "Enter")
            await heard(watch, lambda: shown(watch, "word"))
            assert watch.joins == joins

    asyncio.run(main())


Blow = Callable[[Spring], None]


def _lose_the_client(spring: Spring) -> None:
    spring.server.run("detach-client", "-s", "s1")


def _move(spring: Spring) -> None:
    spring.server.new_pane("exec cat")
    spring.server.run("split-window", "-t", spring.pane, "exec cat")
    spring.server.run("break-pane", "-d", "-s", spring.pane, "-t", "=s2:")


@pytest.mark.parametrize("blow", [_lose_the_client, _move])
def test_a_lost_client_or_another_session_changes_nothing(spring: Spring, blow: Blow) -> None:
    async def main() -> None:
        async with watched(spring) as (_, watch):
            await flooding(watch)
            blow(spring)
            await flooding(watch)
            spring.stop()
            await calm(watch)
            spring.server.run("send-keys", "-t", spring.pane, "word", "Enter")
            await heard(watch, lambda: shown(watch, "word"))

    asyncio.run(main())


@pytest.mark.parametrize("blow", [_lose_the_client, _move])
def test_the_same_when_it_is_over_meanwhile(spring: Spring, blow: Blow) -> None:
    async def main() -> None:
        async with watched(spring) as (_, watch):
            await flooding(watch)
            blow(spring)
            spring.stop()
            await calm(watch)

    asyncio.run(main())


def test_a_pane_that_closes_while_it_is_held_back_is_gone(spring: Spring) -> None:
    spring.server.new_pane("exec cat")

    async def main() -> None:
        async with watched(spring) as (tmux, watch):
            await flooding(watch)
            spring.server.run("kill-pane", "-t", spring.pane)
            while not watch.gone:
                assert await watch.wait(watch.output_seq, 60)
            async for _ in watch.chunks():  # nobody waits for more
                pass
            tmux._watchers.leave(watch)
            assert valves(tmux) == 0

    asyncio.run(main())
