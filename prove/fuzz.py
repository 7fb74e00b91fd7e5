"""Foreign bytes into everything that reads them: no crash, no growth.

Each cell feeds one reader a million bytes that are made from a seed: random bytes, and pieces of what such readers
know, cut, repeated and spoiled. A reader may refuse what it reads in its own words; any other exception is a crash.
What it holds afterwards is bounded, however much it was fed. The stripper must also write what its slow twin writes.
"""

import asyncio
import json
import random
import re
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from paneward.core.hook_install.jsonc import NotJson, parse
from paneward.core.profiles import AIDER, CLAUDE, CODEX, DEMO, GEMINI, GENERIC, OPENCODE, SHELL, Recognised
from paneward.core.readiness.inspection import read
from paneward.core.state import hooks
from paneward.core.terminal.ansi import ByteStripper, Stripper
from paneward.core.terminal.control import BrokenStream, Control
from paneward.core.terminal.osc import OscReader, read_progress, read_status
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.core.usage import Account
from paneward.services.agents.signals import Tracker
from prove.ledger import Cell, Line, Outcome, Proof
from prove.place import Place

SIZE = 1_000_000  # bytes of a cell
LARGEST = 5000  # bytes of a chunk
HELD = 32 << 20  # bytes that a reader may hold after all of them: screens are kept from one look to the next
ROWS, COLUMNS = 40, 100
PROFILES = (AIDER, CLAUDE, CODEX, DEMO, GEMINI, GENERIC, OPENCODE, SHELL)
TERMINAL = (
    *(b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b\\", b"\x07", b"\x18", b"\x9b", b"\xc2", b"\xc2\x9b", b"\r", b"\n"),
    *(b"\x1b[2J", b"\x1b[H", b"\x1b[3A", b"\x1b[5;9H", b"\x1b[999999999C", b"\x1b[B", b"\x1b[?1049h", b"\x1b[?1049l"),
    *(b"\x1b[38;2;1;2;3m", b"\x1b[0m", b"\x1b]0;title\x07", b"\x1b]9;4;3;50\x1b\\", b"\x1b]7501;state=working\x07"),
    *(b"--<[paneward:working:words]>--", b"--<[paneward:", b"]>--", b"--<", "❯ ü 漢 👩‍👩‍👧".encode(), b"\x0e", b"\x0f"),
    *("─".encode() * 60, "╭╮│╰╯●⏺✻".encode(), b"> ", b"$ ", b"? (y/n)", b"1. Yes\n2. No\n", b"x" * 300, b" " * 90),
)
CONTROL = (
    *(b"%output %1 ", b"%extended-output %1 0 : ", b"\\033[2J", b"\\", b"\\0", b"\n", b"\r\n", b"%begin 1 2 1\n"),
    *(b"%end 1 2 1\n", b"%error 1 2 1\n", b"%begin 1 2 0\n", b"%exit\n", b"%pause %1\n", b"%layout-change @1 a,b\n"),
    *(b"%session-changed $1 x\n", b"nonce", b"%", b"% ", b"x" * 3000),
)
DOCUMENT = (
    *(b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\u0000", b"\\ud800", b"1e999", b"-", b"null", b"//", b"/*", b"*/"),
    *(
        b'"hook_event_name":"Stop"',
        b'"session_id":"1"',
        b'"message":',
        b'"type":"assistant"',
        b'"usage":{"input_tokens":',
    ),
    *(b"claude\t%1\t/s,1,0\n", b"\n", b'"timestamp":"2026-01-01T00:00:00Z"', b'"payload":', b"9" * 50, b"[" * 400),
    *(b'{"state":"working","message":"x"}\n', b"> Tokens: 2.3k sent, 12 received. Cost: $0.1\n", b"\xff", b"\x00"),
)
WHOLE = (
    {"hook_event_name": "Notification", "session_id": "1", "message": "it waits", "tool_input": {"a": [1, None]}},
    {"type": "assistant", "timestamp": "2026-01-01T00:00:00Z", "message": {"id": "1", "usage": {"input_tokens": 1}}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 5}}}},
    {"state": "needs_input", "message": "Which?", "id": "7"},
)


class Wrong(Exception):
    """A reader did what it must not do."""


def noise(rng: random.Random, words: Sequence[bytes]) -> Iterator[bytes]:
    """Chunks of any size, for ever."""
    while True:
        parts = [_part(rng, words) for _ in range(rng.choice((1, 3, 30)))]
        data = bytearray(b"".join(parts)[:LARGEST])
        for _ in range(rng.choice((0, 0, 1, 5))):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        yield bytes(data)


def _part(rng: random.Random, words: Sequence[bytes]) -> bytes:
    match rng.randrange(8):
        case 0:
            return rng.randbytes(rng.choice((1, 20, 400)))
        case 1:
            word = rng.choice(words)
            return word[: rng.randrange(len(word) + 1)]
        case 2:
            return rng.choice(words) * rng.choice((2, 50))
        case _:
            return rng.choice(words)


def documents(rng: random.Random) -> Iterator[bytes]:
    """JSON that is almost right."""
    for chunk in noise(rng, DOCUMENT):
        whole = json.dumps(_spoiled(rng, rng.choice(WHOLE))).encode()
        yield rng.choice((chunk, whole, whole[: rng.randrange(len(whole))] + chunk))


def _spoiled(rng: random.Random, value: object) -> object:
    odd: tuple[object, ...] = (None, True, -1, 1e308, 10**400, "", "x" * 1000, [], {}, [[]], "\ud800", "\x1b[2J")
    if rng.random() < 0.15:
        return rng.choice(odd)
    if isinstance(value, dict):
        return {key: _spoiled(rng, one) for key, one in value.items()}
    return [_spoiled(rng, one) for one in value] if isinstance(value, list) else value


# --- the readers: each is given an endless supply, and says how much it took


Reader = Callable[[random.Random], Iterator[int]]


def control(rng: random.Random) -> Iterator[int]:
    reader = Control()
    for chunk in noise(rng, CONTROL):
        if rng.random() < 0.1:
            reader.expect_framed(b"nonce") if rng.random() < 0.5 else reader.expect_plain()
        if any(isinstance(event, BrokenStream) for event in reader.feed(chunk)) or reader.due > 100:
            reader = Control()
        yield len(chunk)


def stripper(rng: random.Random) -> Iterator[int]:
    supply = noise(rng, TERMINAL)
    while True:
        chunks = [next(supply) for _ in range(20)]
        fast, slow = Stripper(), ByteStripper()
        wrote = b"".join(map(fast.feed, chunks)) + fast.flush()
        meant = b"".join(map(slow.feed, chunks)) + slow.flush()
        if wrote != meant:
            raise Wrong(f"the stripper writes other bytes than its slow twin: {wrote[:200]!r}")
        yield sum(map(len, chunks))


def signals(rng: random.Random) -> Iterator[int]:
    tracker = Tracker()
    tracker.catch_up(_screen(rng, [b""]), GENERIC)
    titles = OscReader()
    for number, chunk in enumerate(noise(rng, TERMINAL)):
        tracker.hear(chunk)
        for osc in titles.feed(chunk):
            read_status(osc), read_progress(osc)
        if number % 50 == 0:
            past = _screen(rng, chunk.split(b"\n"))
            tracker.see(Scene(past, now=float(number), quiet=1.0), GENERIC)
            if tracker.behind or number % 1000 == 0:
                tracker.catch_up(past, GENERIC)
            tracker.tick(float(number), True)
        if number % 300 == 0:
            tracker.gap()
            tracker.begin_turn(ours=rng.random() < 0.5)
        tracker.stored(tracker.found)
        tracker.memory = type(tracker.memory).read(json.loads(json.dumps(tracker.memory.written())))
        yield len(chunk)


def screens(rng: random.Random) -> Iterator[int]:
    for chunk in noise(rng, TERMINAL):
        seen = _screen(rng, chunk.split(b"\n"))
        profile = rng.choice(PROFILES)
        read(Scene(seen, quiet=rng.choice((0.0, 9.0))), Recognised(profile), re.compile(profile.prompt))
        yield len(chunk)


def _screen(rng: random.Random, lines: Sequence[bytes]) -> Snapshot:
    rows = [line.decode("utf-8", "replace") for line in lines][-ROWS:]
    return Snapshot(
        "%1", (*rows, *[""] * (ROWS - len(rows))), COLUMNS, ROWS, rng.randrange(COLUMNS), rng.randrange(ROWS)
    )


def spooled(rng: random.Random) -> Iterator[int]:
    for body in documents(rng):
        head = rng.choice((b"claude\t%1\t/s,1,0\n", b"codex\t%1\t/s\n", b"gemini\t\t\n", b"signal\t%1\t/s,1,0\n", b""))
        with suppress(hooks.MalformedHook):
            hooks.read_spooled(head + body + rng.choice((hooks.END, b"")), 0.0)
        with suppress(hooks.MalformedHook):
            hooks.read_line(body, 0.0)
        yield len(body)


def transcripts(rng: random.Random) -> Iterator[int]:
    kinds = ("claude", "codex", "gemini", "aider")
    accounts = {kind: Account(kind, "") for kind in kinds}
    for account in accounts.values():
        account.begin("one", 1)
    for body in documents(rng):
        account = accounts[rng.choice(kinds)]
        account.feed("one", body + rng.choice((b"\n", b"")))
        json.dumps(account.written())
        yield len(body)


def settings(rng: random.Random) -> Iterator[int]:
    for body in documents(rng):
        with suppress(NotJson):
            parse(body.decode("utf-8", "replace")).data()
        yield len(body)


READERS: dict[str, Reader] = {
    one.__name__: one for one in (control, stripper, signals, screens, spooled, transcripts, settings)
}


# --- the proof


def fuzz(name: str, seed: int, size: int = SIZE) -> Outcome:
    rng = random.Random(f"{name} {seed}")
    tracemalloc.start()
    try:
        fed, reader = 0, READERS[name](rng)
        while fed < size:
            fed += next(reader)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    grown = held > HELD
    return Outcome("grown" if grown else "held", not grown, {"bytes": fed, "held": held})


async def play(_place: Place, name: str, seed: int) -> Outcome:
    return await asyncio.to_thread(fuzz, name, seed)


def cells(rounds: int) -> list[Cell]:
    return [
        Cell(f"fuzz {name} {seed}", partial(play, name=name, seed=seed), seconds=1200.0)
        for seed in range(1, rounds + 1)
        for name in READERS
    ]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['key']}: {line.get('error') or line['judgement']}" for line in lines if not line["ok"]]


PROOF = Proof(
    "fuzz", f"{SIZE} bytes of noise a round into each reader of foreign bytes", cells, 10, complaints, lanes=1
)
