"""Recordings of real panes: what is played shows what the pane showed, whenever it began and whatever came between."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from paneward.app.server import serve
from paneward.config import RecordingSettings
from paneward.core.agent.events import RecordingStopped
from paneward.core.recording.cast import RESIZE, CastLine, Header, read_part
from paneward.core.recording.recorder import GAP
from paneward.core.terminal.scene import Snapshot
from paneward.services.recordings.recordings import ANEW
from tests.live.casting import Canvas, captions, recorded, text_of
from tests.live.conftest import Ground
from tests.live.ground import reached
from tests.live.serving import QUICK, Scene

STYLES = "\x1b[2J\x1b[H\x1b[1;31mred\x1b[0m plain \x1b[44mblue\x1b[0m\r\nä✻ 漢字 😀 tail\r\n"
LINES = "\x1b)0\x0elqqk\x0f box\r\n"
SCROLLED = "\x1b[5;9r\x1b[9;1H" + "".join(f"row {n}\r\n" for n in range(9)) + "\x1b[r\x1b[12;1Hbelow"
FULL_SCREEN = "shell $ vim\r\nmore\x1b[?1049h\x1b[2J\x1b[5;5Hfull screen"


@asynccontextmanager
async def serving(ground: Ground, **limits: int) -> AsyncIterator[Scene]:
    settings = replace(QUICK, recording=RecordingSettings(**limits))
    async with serve(settings, ground.state, url="http://127.0.0.1:1") as server:
        yield Scene(ground, server)


class Reel:
    """An agent whose pane shows what it is fed, and its recording."""

    def __init__(self, scene: Scene, source: Canvas, name: str = "worker") -> None:
        self._name = name
        self._recordings = scene.server.recordings
        self._state = scene.ground.state
        self._source = source
        self.scene = scene

    async def begin(self) -> None:
        server = self.scene.ground.server.name
        await self.scene.agents.adopt(self._source.pane, name=self._name, socket_name=server)
        await self._recordings.record(self._name)

    async def print(self, *pieces: str | bytes) -> None:
        for piece in pieces:
            await asyncio.to_thread(self._source.print, piece)

    async def caught(self) -> None:
        """Until all that was printed is recorded."""
        title = f"]2;{self._source.title}"
        await self.until(lambda entries: title in text_of(entries))

    async def until(self, condition: Callable[[list[CastLine]], bool]) -> list[CastLine]:
        found: list[CastLine] = []

        def holds() -> bool:
            found[:] = recorded(self._state, self._name, running=True)
            return condition(found)

        await reached(holds)
        assert condition(found)
        return found

    async def stop(self) -> None:
        await self.caught()
        await self._recordings.stop(self._name)

    async def ended(self) -> RecordingStopped:
        """How it ended, by itself."""
        await reached(lambda: not self.scene.agents.get("worker").recording)
        [event] = await self.scene.store.events(kinds=["recording_stopped"])
        return RecordingStopped(**event.data)


def same(ground: Ground, source: Canvas) -> None:
    """What was recorded, played in a terminal that has never seen the program, shows what the pane shows."""
    with Canvas(ground) as player:
        player.play(recorded(ground.state))
        assert player.seen() == source.seen()


CASES: dict[str, tuple[str, ...]] = {  # what is printed before the recording begins, and then
    "from the beginning": ("", STYLES, LINES, SCROLLED),
    "styles, wide and drawn characters": (STYLES + LINES + SCROLLED, "and on"),
    "a cursor that waits to wrap": ("\x1b[3;1H\x1b[32m" + "x" * 80 + "\x1b[m", "y"),
    "a region that scrolls": ("\x1b[3;10r\x1b[10;1Hlast", "\n\n\nscrolled", "\x1b[r\x1b[20;1Hend"),
    "rows of the region": ("\x1b[3;10r\x1b[?6h\x1b[2;5Hin", "\x1b[1;1Hfirst", "\x1b[?6l"),
    "insertion": ("abc\r\x1b[4h", "xyz"),
    "no wrapping": ("\x1b[?7l\x1b[1;78H", "cut off here"),
    "no cursor": ("\x1b[?25lno cursor", "!"),
    "back from a full screen": (FULL_SCREEN, "\x1b[6;6Htyped", "\x1b[?1049l", "back"),
    "a full screen": (FULL_SCREEN, "\x1b[6;6Htyped"),
    "in the middle of a drawing": ("\x0elqqk", "xx\x0f plain"),
    "a coloured screen": ("\x1b[44m\x1b[2J\x1b[H blue", "\x1b[0m end"),
    "coloured blanks": ("\x1b[5;1H\x1b[42m status \x1b[0m\x1b[1;1H", "x"),
}


def test_what_is_played_shows_what_the_pane_showed(ground: Ground) -> None:
    async def main(sources: dict[str, Canvas]) -> None:
        async with serving(ground) as scene:
            for number, (case, source) in enumerate(sources.items()):
                reel = Reel(scene, source, f"worker-{number}")
                before, *after = CASES[case]
                await reel.print(before)
                await reel.begin()
                await reel.print(*after)
                await reel.stop()

    with ExitStack() as stack:
        sources = {case: stack.enter_context(Canvas(ground)) for case in CASES}
        asyncio.run(main(sources))
        for number, (case, source) in enumerate(sources.items()):
            player = stack.enter_context(Canvas(ground))
            player.play(recorded(ground.state, f"worker-{number}"))
            assert player.seen() == source.seen(), case


def test_output_is_recorded_as_it_was_however_it_was_cut(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            for at in range(0, len(data), 7):
                await asyncio.to_thread(source.write, data[at : at + 7])
                await asyncio.sleep(0)
            await reel.print(b"")
            await reel.stop()

    data = "ä✻漢😀".encode() * 20
    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert "ä✻漢😀" * 20 + "\x1b]2;" in text_of(recorded(ground.state))
        same(ground, source)


def test_a_byte_that_is_no_character_is_left_out(ground: Ground) -> None:
    """tmux shows it so up to 3.5, and a sign in its place later."""

    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            await reel.print(b"before\xffbehind")
            await reel.stop()

    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert "beforebehind" in text_of(recorded(ground.state))


def test_a_pane_of_another_size_is_recorded_in_that_size(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.print("".join(f"line {n} " + "w" * 90 + "\r\n" for n in range(30)))
            await reel.begin()
            for width, height in ((50, 24), (120, 40), (60, 20)):
                source.resize(width, height)
                await reel.until(lambda entries, size=f"{width}x{height}": size in sizes(entries))  # type: ignore[misc]
                await reel.print(f"after {width}\r\n")
            await reel.stop()

    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert sizes(recorded(ground.state)) == ["50x24", "120x40", "60x20"]
        assert set(captions(recorded(ground.state))) <= {GAP}  # a machine that stands still for a second makes one
        same(ground, source)


def sizes(entries: list[CastLine]) -> list[str]:
    return [entry.data for entry in entries if entry.kind == RESIZE]


def test_a_connection_that_breaks_is_a_gap_and_the_screen_behind_it_is_right(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            await reel.print("before\r\n")
            await reel.caught()
            ground.server.run("detach-client", "-s", ground.server.value(source.pane, "session_id"))
            await reel.print("meanwhile\r\n")
            entries = await reel.until(lambda entries: GAP in captions(entries))
            assert "meanwhile" in entries[-1].data or "meanwhile" in text_of(entries)
            await reel.print("after")
            await reel.stop()
            assert scene.server.recordings.gaps >= 1

    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert set(captions(recorded(ground.state))) == {GAP}
        same(ground, source)


def test_a_new_server_goes_on_with_the_screen_of_then(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            await reel.print("first server\r\n")
            await reel.caught()
        await reel.print("nobody listens\r\n")
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.until(lambda entries: ANEW in captions(entries))
            await reel.print("second server\r\n")
            await reel.stop()
            assert (await scene.kinds()).count("recording_started") == 1

    with Canvas(ground) as source:
        asyncio.run(main(source))
        entries = recorded(ground.state)
        assert len(list((ground.state / "recordings/worker").iterdir())) == 2
        assert all(first.at <= second.at for first, second in pairwise(entries))
        assert [text_of(entries).count(words) for words in ("first server", "nobody listens")] == [2, 1]
        same(ground, source)


def test_a_long_recording_has_parts_that_lose_nothing_and_can_each_be_played(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground, max_part_size=4096) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            for number in range(0, 400, 20):
                await reel.print("".join(f"<{n:04}>{'.' * 40}\r\n" for n in range(number, number + 20)))
            await reel.stop()

    with Canvas(ground) as source:
        asyncio.run(main(source))
        entries = recorded(ground.state)
        parts = len(list((ground.state / "recordings/worker").iterdir()))
        assert parts > 3
        printed = [entry.data for entry in entries if "\x1b[2J" not in entry.data]
        told = re.findall(r"<(\d{4})>", "".join(printed))
        assert told == [f"{n:04}" for n in range(400)] or GAP in captions(entries)
        same(ground, source)


def test_a_recording_never_grows_beyond_its_limit(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground, max_size=20_000, max_part_size=8192) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            for _ in range(60):
                await reel.print("x" * 800 + "\r\n")
            assert (await reel.ended()).reason == "limit"
            assert (await reel.ended()).bytes == sum(part.stat().st_size for part in parts()) <= 20_000

    def parts() -> list[Path]:
        return list((ground.state / "recordings/worker").iterdir())

    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert recorded(ground.state)


def test_a_pane_that_closes_ends_its_recording(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            await reel.print("the last words")
            await reel.caught()
            ground.server.run("kill-pane", "-t", source.pane)
            assert (await reel.ended()).reason == "gone"

    ground.shell()  # the server of tmux goes on
    with Canvas(ground) as source:
        asyncio.run(main(source))
        assert "the last words" in text_of(recorded(ground.state))


def test_what_is_forgotten_for_good_is_forgotten_on_the_disk(ground: Ground) -> None:
    async def main(source: Canvas) -> None:
        async with serving(ground) as scene:
            reel = Reel(scene, source)
            await reel.begin()
            await scene.agents.forget("worker", purge=True)
            assert list((ground.state / "recordings").iterdir()) == []
            [event] = [one for one in await scene.store.events() if one.kind == "agent_forgotten"]
            assert event.data["purged"]

    with Canvas(ground) as source:
        asyncio.run(main(source))


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_any_pane_can_be_recorded_without_a_server(ground: Ground, transport: str) -> None:
    class Memory:
        data = b""

        async def begin(self, snapshot: Snapshot) -> Header:
            return Header(snapshot.width, snapshot.height)

        async def write(self, lines: bytes) -> bool:
            self.data += lines
            return True

    async def main(source: Canvas) -> list[CastLine]:
        reel = Memory()
        async with ground.connect(transport) as tmux:  # type: ignore[arg-type]
            recording = asyncio.create_task(tmux.record(source.pane, reel))
            await reached(lambda: b"\n" in reel.data)
            await asyncio.to_thread(source.print, STYLES + LINES + SCROLLED)
            await reached(lambda: b"below" in reel.data)
            ground.server.run("kill-pane", "-t", source.pane)
            await recording
        lines = reel.data.splitlines(keepends=True)
        return list(read_part(lines, "x", print).entries)

    ground.shell()
    with Canvas(ground) as source, Canvas(ground) as player, Canvas(ground) as shown:
        entries = asyncio.run(main(source))
        player.play(entries)
        shown.print(STYLES + LINES + SCROLLED)
        assert player.seen() == shown.seen()
        assert set(captions(entries)) <= ({GAP} if transport == "control" else set())
