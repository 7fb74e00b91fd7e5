"""What agents print or write costs time linear in its size, and is never read in one piece."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.hooks.spool import CHUNK as CHUNK_OF_FILES
from paneward.adapters.hooks.spool import Spool
from paneward.core.hook_install.jsonc import parse
from paneward.core.profiles import CLAUDE, GENERIC, Profile
from paneward.core.screen.lines import is_rule
from paneward.core.signals import Bells, Detector, worded
from paneward.core.state.hooks import END, read_spooled
from paneward.core.terminal.control import Control
from paneward.core.terminal.novelty import Novelty
from paneward.core.terminal.osc import OscReader
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.core.text import redact
from paneward.core.usage import Account
from paneward.ports import Spooled
from paneward.services.agents.signals import Tracker

TIMES = 4  # as much input
BAR = 9  # times the work at most: 4 is linear, 16 would be quadratic
ENOUGH = 0.05  # seconds of work that can be measured
CHUNK = 4096
Work = Callable[[int], Callable[[], object]]


def marker(message: object = "same") -> str:
    return f"--<[paneward:working:{message}]>--"


def ratio(work: Work) -> float:
    """How much more work four times the input is."""
    size = 32
    while (least := cost(work(size))) < ENOUGH and size < 1 << 22:
        size *= 2
    return min(cost(work(TIMES * size)) for _ in range(2)) / max(least, min(cost(work(size)) for _ in range(3)))


def cost(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


# --- what is printed


def printed(output: Callable[[int], str], chunk: int = 65536, begin: bytes = b"") -> Work:
    def prepare(size: int) -> Callable[[], object]:
        data = output(size).encode("utf-8", "surrogateescape")
        tracker = Tracker()
        tracker.catch_up(Snapshot("%1", ("",) * 40, 80, 40, 0, 0), GENERIC)
        tracker.hear(begin)

        def feed() -> None:
            for at in range(0, len(data), chunk):
                tracker.hear(data[at : at + chunk])
                tracker.stored(tracker.found)
            tracker.tick(1e9, True)

        return feed

    return prepare


OUTPUTS: dict[str, Callable[[int], str]] = {
    "a line of one marker again and again": lambda size: marker() * size + "\r\n",
    "a line of many markers": lambda size: " ".join(map(marker, range(size))) + "\r\n",
    "lines of markers": lambda size: "".join(f"{marker(number)}\r\n" for number in range(size)),
    "markers that never end": lambda size: "--<[paneward:working:" * size + "\r\n",
    "beginnings": lambda size: "--<" * size,
    "dashes and blanks": lambda size: "- - " * size,
    "states that are none": lambda size: "".join(f"--<[paneward:{'x' * 50}:]>--" for _ in range(size)),
    "one endless word": lambda size: "--<[paneward:" + "x" * size * 50,
    "quotation marks": lambda size: f"'{marker()}" * size,
    "prompts": lambda size: f"$ {marker()} > " * size,
    "a line written over itself": lambda size: f"{marker()}\r" * size,
    "an endless title": lambda size: "\x1b]0;" + marker() * size,
    "an endless string": lambda size: "\x1bP" + marker() * size,
    "titles that never end": lambda size: "\x1b]0;title" * size,
    "cursor movements": lambda size: f"\x1b[H{marker()}\x1b[2A\r\n" * size,
    "clears": lambda size: "".join(f"\x1b[2J\x1b[H{marker(number)}\r\n" for number in range(size)),
    "bad bytes": lambda size: "\udcff\udcc2<" * size,
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("begin", [b"", b"\x1b[2J"], ids=["prints", "paints"])
def test_output_costs_time_by_its_length(output: str, begin: bytes) -> None:
    assert ratio(printed(OUTPUTS[output], begin=begin)) < BAR


@pytest.mark.parametrize("output", ["a line of many markers", "an endless title", "markers that never end"])
def test_so_it_does_in_small_pieces(output: str) -> None:
    assert ratio(printed(OUTPUTS[output], chunk=100)) < BAR


PAGES: dict[str, Callable[[int], str]] = {
    "one marker again and again": lambda _: marker(),
    "many markers": marker,
    "markers below words": lambda number: marker() if number % 2 else f"words {number}",
    "markers that never end": lambda _: "--<[paneward:working:",
    "things that were given to it": lambda number: marker() if number % 2 else f"❯ words {number}",
}


@pytest.mark.parametrize("rows", PAGES)
@pytest.mark.parametrize("profile", [GENERIC, CLAUDE], ids=lambda profile: profile.name)
def test_the_scrollback_costs_time_by_its_length(rows: str, profile: Profile) -> None:
    def prepare(size: int) -> Callable[[], object]:
        page = tuple(PAGES[rows](number) for number in range(size))
        past = Snapshot("%1", (*page, *[""] * 40), 80, 40, 0, 0, history=size)
        return lambda: Tracker().catch_up(past, profile)

    assert ratio(prepare) < BAR


@pytest.mark.parametrize("profile", [GENERIC, CLAUDE], ids=lambda profile: profile.name)
def test_a_row_of_markers_costs_time_by_its_length(profile: Profile) -> None:
    def prepare(size: int) -> Callable[[], object]:
        seen = Snapshot("%1", ("● " + " ".join(map(marker, range(size))),), size * 32, 1, 0, 0)
        tracker = Tracker()
        tracker.catch_up(replace_rows(seen), profile)
        tracker.unheard()
        return lambda: tracker.see(Scene(seen, now=1.0, quiet=1.0), profile)

    assert ratio(prepare) < BAR


def replace_rows(seen: Snapshot) -> Snapshot:
    return Snapshot(seen.pane, ("",), seen.width, seen.height, 0, 0)


# --- what is written, and the readers one by one


def pieces(feed: Callable[[bytes], object], data: bytes, size: int = CHUNK) -> None:
    for at in range(0, len(data), size):
        feed(data[at : at + size])


def transcript(size: int) -> Callable[[], object]:
    account = Account("claude", "")
    account.begin("one", 1)
    return lambda: pieces(lambda data: account.feed("one", data), b'{"usage":"' + b"x" * 1000 * size)


def control(size: int) -> Callable[[], object]:
    reader = Control()
    return lambda: pieces(reader.feed, b"%output %1 " + b"\\033x" * 1000 * size + b"\n")


def hook(size: int) -> Callable[[], object]:
    body = json.dumps({"hook_event_name": "Notification", "session_id": "1", "message": "words " * min(size, 10**6)})
    return lambda: read_spooled(b"claude\t%1\t/tmp/s,1,0\n" + body.encode() + END, 0.0)


READERS: dict[str, Work] = {
    "control": control,
    "transcript": transcript,
    "titles": lambda size: lambda: pieces(OscReader().feed, b"\x1b]0;" + b"x" * 1000 * size),
    "bells": lambda size: lambda: pieces(Bells().feed, b"\x1b]\x07\xc2" * 100 * size),
    "novelty": lambda size: lambda: pieces(Novelty().feed, b"\x1b[Hwords <> 1" * 100 * size),
    "lines": lambda size: lambda: pieces(lambda data: Detector().feed(data, 0.0), b"<x\x1b[1C" * 100 * size),
    "hook": hook,
    "settings": lambda size: lambda: parse("[" + '{"a": [1, 2, "x"]}, // words\n' * 10 * size + "]"),
    "comments": lambda size: lambda: parse("/*" + "*" * 1000 * size + "*/ 1"),
    "words": lambda size: lambda: worded("x \x07" * 1000 * size),
    "rules": lambda size: lambda: is_rule("─" * 100 * size + "x"),
    "secrets": lambda size: lambda: redact("token=abc " * 100 * size),
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_costs_time_by_what_it_reads(reader: str) -> None:
    assert ratio(READERS[reader]) < BAR


# --- files


def bytes_read() -> int:
    """By this process, so far."""
    words = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(words["rchar"])


def test_an_event_file_without_a_line_end_is_passed_by_once(tmp_path: Path) -> None:
    """However often it grows; and what comes behind it is heard."""
    size = 300 * 1024 * 1024

    async def work() -> None:
        spool = Spool(tmp_path, SystemClock())
        path = spool.events / "one.jsonl"
        with path.open("wb") as file:
            file.truncate(size)  # no disk is used
        news = spool.run({})
        other = spool.events / "two.jsonl"
        before = bytes_read()
        for number in range(20):
            with path.open("ab") as file:
                file.write(b"x" * 1000)
            with other.open("ab") as file:
                file.write(b"%d\n" % number)
            found = await anext(news)
            assert [one.data for one in found] == [b"%d" % number]
            spool.taken(found[0])
        with path.open("ab") as file:
            file.write(b"\nbehind it\n")
        lines: list[bytes] = []
        while not lines or lines[-1] != b"behind it":
            for one in await anext(news):
                spool.taken(one)
                lines.append(one.data)
        assert [len(line) for line in lines] == [CHUNK_OF_FILES, len(b"behind it")]
        assert bytes_read() - before < 2 * size

    asyncio.run(work())


def test_files_are_read_beside_the_loop(tmp_path: Path) -> None:
    """The thread that answers requests reads none of it."""

    async def work() -> None:
        spool = Spool(tmp_path, SystemClock())
        with (spool.events / "one.jsonl").open("wb") as file:
            file.truncate(300 * 1024 * 1024)
        (spool.events / "two.jsonl").write_bytes(b"heard\n")
        readers: set[int] = set()
        spool._look = noted(spool._look, readers)  # type: ignore[method-assign]
        assert [one.data for one in await anext(spool.run({}))] == [b"heard"]
        assert threading.get_ident() not in readers

    asyncio.run(work())


def noted(look: Callable[[], list[Spooled]], readers: set[int]) -> Callable[[], list[Spooled]]:
    def read() -> list[Spooled]:
        readers.add(threading.get_ident())
        return look()

    return read
