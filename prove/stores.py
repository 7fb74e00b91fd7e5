"""A store in trouble: full, locked, read-only, or damaged in ten ways.

One message is sent while all is well. Then the store gets its trouble, and the same message is sent again with the same
id, and another one. By the log of the program in the pane, the first must have been submitted once, whatever became of
the store; the other once where its receipt says so, and not at all where it was refused, with a code and a remedy. No
server begins on a damaged store.
Where the trouble passes, both are sent once more: then both are there once.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paneward.app.server import STORE
from paneward.store import SCHEMA
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place
from tests.live.ground import AFTERWARDS, Stage

FIRST, SECOND = "the first message, sent while all is well", "the second message, sent in trouble"
Damage = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Trouble:
    name: str
    begin: Callable[[Path], AbstractContextManager[None]]  # on the file of the store
    passes: bool  # it ends by itself, and the store is whole again
    around: Callable[[Path], Sequence[str]] = lambda path: ()  # a command line that runs others in trouble
    grows: str = "yes"


# --- troubles that pass


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield


def _read_only(path: Path) -> Sequence[str]:
    """Only the sender sees the directory so, in a mount namespace of its own."""
    own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    mount = f"mount --bind {path.parent} {path.parent} && mount -o remount,bind,ro {path.parent}"
    return [*own, "sh", "-c", f'{mount} && exec "$@"', "sh"]


@contextmanager
def _nothing(path: Path) -> Iterator[None]:
    yield


# --- damage


def _overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _statement(path: Path, words: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(words)


def _page_of(path: Path, name: str) -> tuple[int, int]:
    """Where the first page of a table or an index lies, and how long it is."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        [size] = database.execute("PRAGMA page_size").fetchone()
        [page] = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [name]).fetchone()
    return (page - 1) * size, size


def _damage_page(path: Path, name: str) -> None:
    at, size = _page_of(path, name)
    _overwrite(path, at, bytes(size))


def _index_of_messages(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'deliveries'")
        return next(str(name) for (name,) in rows)


def _replaced_by_a_text(path: Path) -> None:
    path.write_bytes(b"not a database at all, but long enough to look like one" * 500)


def _replaced_by_a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Damage] = {
    "no header": lambda path: _overwrite(path, 0, bytes(100)),
    "another file's header": lambda path: _overwrite(path, 0, b"PK\x03\x04 an archive, not a database "),
    "noise in the middle": lambda path: _overwrite(path, path.stat().st_size // 2, os.urandom(16384)),
    "half of it": lambda path: os.truncate(path, path.stat().st_size // 2),
    "emptied": lambda path: os.truncate(path, 0),
    "a text": _replaced_by_a_text,
    "a directory": _replaced_by_a_directory,
    "a newer schema": lambda path: _statement(path, f"PRAGMA user_version = {SCHEMA + 1}"),
    "no table": lambda path: _statement(path, "DROP TABLE deliveries"),
    "no index page": lambda path: _damage_page(path, _index_of_messages(path)),
}


@contextmanager
def _damaged(path: Path, damage: Damage) -> Iterator[None]:
    damage(path)
    yield


TROUBLES = (
    Trouble("full", _nothing, True, grows="no"),
    Trouble("locked", _locked, True),
    Trouble("read-only", _nothing, True, around=_read_only),
    *(Trouble(name, partial(_damaged, damage=damage), False) for name, damage in DAMAGES.items()),
)


# --- the proof


async def play(place: Place, trouble: Trouble, number: int) -> Outcome:
    state = place.directory / f"{trouble.name.replace(' ', '-')}-{number}"
    stage = await asyncio.to_thread(Stage, place.server, place.directory, "plain_box")
    try:
        await stage.wait_event("ready")
        said = [await _told(place, state, stage.pane, FIRST, Trouble("none", _nothing, True))]
        with trouble.begin(state / STORE):
            said += [await _told(place, state, stage.pane, text, trouble) for text in (FIRST, SECOND)]
        if trouble.passes:
            none = Trouble("none", _nothing, True)
            said += [await _told(place, state, stage.pane, text, none) for text in (FIRST, SECOND)]
        await asyncio.sleep(AFTERWARDS)
        wrong = _wrong(trouble, said, stage.submits())
        stray = any(event["event"] == "empty_enter" for event in stage.events())
        wrong += ["stray enter"] if stray else []
        outcome = "; ".join(wrong) or ("it passed" if trouble.passes else "refused")
        return Outcome(outcome, not wrong, {"said": said, "submits": list(stage.submits())})
    finally:
        await place.close_pane(stage.pane)
        shutil.rmtree(state, ignore_errors=True)


async def _told(place: Place, state: Path, pane: str, text: str, trouble: Trouble) -> dict[str, Any]:
    words = [place.server.name, str(state), pane, text, f"id of {text}", trouble.grows]
    process = await asyncio.create_subprocess_exec(
        *trouble.around(state / STORE),
        sys.executable,
        "-m",
        "prove.troubled",
        *words,
        stdout=PIPE,
        stderr=PIPE,
        cwd=TOP,
    )
    out, err = await process.communicate()
    try:
        return dict(json.loads(out))
    except ValueError:
        return {"verdict": "crashed", "error": err.decode()[-1000:], "repeated": False}


def _wrong(trouble: Trouble, said: list[dict[str, Any]], submits: Sequence[str]) -> list[str]:
    """What must not be."""
    wrong = [f"crashed: {one['error']}" for one in said if one["verdict"] == "crashed"]
    wrong += [f"{one['error']} without a remedy" for one in said if one["error"] and not one.get("hint")]
    if submits.count(FIRST) != 1:
        wrong.append(f"the first message was submitted {submits.count(FIRST)} times")
    confirmed = any(one["verdict"] == "confirmed" for one in (said[2], *said[4:]))
    if submits.count(SECOND) != confirmed:
        wrong.append(f"the second message was submitted {submits.count(SECOND)} times, confirmed {confirmed}")
    if trouble.passes and [(one["verdict"], one["server"]) for one in said[3:]] != [("confirmed", "opened")] * 2:
        wrong.append(f"the trouble passed, and then: {said[3:]}")
    if not trouble.passes and said[1]["error"] != "STORE_ERROR" and not said[1]["repeated"]:
        wrong.append(f"the first message was forgotten: {said[1]}")
    if not trouble.passes and said[2].get("server") != "STORE_ERROR":
        wrong.append(f"a server took a damaged store: {said[2]}")
    return wrong


def cells(rounds: int) -> list[Cell]:
    return [
        Cell(f"{trouble.name} {number}", partial(play, trouble=trouble, number=number), seconds=600.0)
        for number in range(1, rounds + 1)
        for trouble in TROUBLES
    ]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['judgement']}: {line['key']}" for line in lines if not line["ok"]]


PROOF = Proof("stores", "a store that is full, locked, read-only or damaged: nothing twice", cells, 3, complaints)
