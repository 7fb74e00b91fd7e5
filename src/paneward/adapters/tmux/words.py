"""tmux's words, for both transports: the formats we ask for, and the one place that reads what it answers.

What surprised us: an unknown format prints nothing, which is how a feature is tested for; a wrong target is
answered with the facts of another pane, so the pane's id is always asked too; names and paths can hold any
character, so free text comes last, with a secret between its fields.
"""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from paneward.adapters.tmux.socket import HINT, NOT_OURS
from paneward.core.errors import Code, PaneDead, PaneMoved, PaneNotFound, TmuxError, TmuxNotInstalled, TmuxTooOld
from paneward.core.recording.cast import MOST_CELLS
from paneward.core.recording.recorder import Backdrop
from paneward.core.terminal.control import encode
from paneward.core.terminal.scene import Snapshot
from paneward.ports import PaneInfo

OLDEST = (3, 2)
MANY = 8  # panes that an error lists
OURS = "paneward-watch-"  # how a session of our own is called: its panes are listed under their owners
CALLED = "local"  # how this machine is called in the identity of a server
TYPED = 2000  # characters per send-keys: one process takes 16 kB of words, and quoting may make four bytes of one
STUCK = "#{||:#{pane_dead},#{pane_in_mode}}"
_PLACE = " ".join(
    f"#{{{name}}}"
    for name in (
        *("pane_dead", "pane_in_mode", "pane_input_off", "pane_synchronized", "alternate_on"),
        *("cursor_flag", "cursor_x", "cursor_y", "pane_width", "pane_height"),
    )
)
# Keys that go as bytes: by name they become escape sequences under extended keys.
KEY_BYTES = {"CR": "0d", "C-c": "03"}

# fmt: off
_FACTS = (
    "pane_id", "pane_width", "pane_height", "cursor_x", "cursor_y", "cursor_flag", "pane_dead", "pane_dead_status",
    "pane_dead_signal", "pane_in_mode", "alternate_on", "pane_input_off", "pane_synchronized", "bracket_paste_flag",
    "pane_pid", "pane_tty", "session_id", "window_id", "history_size",
)
# fmt: on
_FREE = ("pane_current_command", "pane_title")
_ROW = (
    *("pane_id", "pane_pid", "pane_dead", "pane_width", "pane_height", "window_index", "pane_index"),
    *("pane_active", "window_active"),
)
_ROW_FREE = ("session_name", "window_name", "pane_current_command", "pane_title", "pane_current_path")


def _format(nonce: str, facts: Sequence[str], free: Sequence[str]) -> str:
    return nonce + " " + "|".join(f"#{{{name}}}" for name in facts) + "".join(f"|{nonce}#{{{name}}}" for name in free)


def nonce() -> str:
    """A secret that nothing on a screen can hold yet."""
    return "pw" + secrets.token_hex(12)


_LOOK = _format("\0", _FACTS, _FREE)


def look_format(nonce: str) -> str:
    return _LOOK.replace("\0", nonce)


def read_look(pane: str, trailer: bytes, body: Sequence[bytes], nonce: str) -> Snapshot:
    """Make a snapshot of the message that `look_format` asked for (without its nonce) and the captured rows."""
    head, command, title = (part.removesuffix("|") for part in trailer.decode("utf-8", "replace").split(nonce))
    fact = dict(zip(_FACTS, head.split("|"), strict=True))
    if fact["pane_id"] != pane:
        raise PaneNotFound(f"can't find pane: {pane}")
    rows = tuple(b"\n".join(body).decode("utf-8", "replace").split("\n"))
    height = int(fact["pane_height"])
    bracketed = fact["bracket_paste_flag"]
    return Snapshot(
        pane=pane,
        rows=rows,
        width=int(fact["pane_width"]),
        height=height,
        cursor_x=int(fact["cursor_x"] or 0),
        cursor_y=int(fact["cursor_y"] or 0),
        cursor_visible=fact["cursor_flag"] == "1",
        dead=fact["pane_dead"] == "1",
        dead_status=fact["pane_dead_status"] or (fact["pane_dead_signal"] and f"signal {fact['pane_dead_signal']}"),
        in_mode=fact["pane_in_mode"] not in ("", "0"),
        alternate=fact["alternate_on"] == "1",
        input_off=fact["pane_input_off"] == "1",
        synchronized=fact["pane_synchronized"] == "1",
        bracketed=None if bracketed == "" else bracketed == "1",
        pid=int(fact["pane_pid"] or 0),
        tty=fact["pane_tty"],
        command=command,
        title=title,
        session=fact["session_id"],
        window=fact["window_id"],
        history=max(0, len(rows) - height),
        scrolled=int(fact["history_size"] or 0),
    )


_BEHIND = (
    *("pane_id", "scroll_region_upper", "scroll_region_lower", "wrap_flag", "insert_flag", "origin_flag"),
    *("alternate_saved_x", "alternate_saved_y"),
)
BACKDROP = " ".join(f"#{{{name}}}" for name in _BEHIND)


def read_backdrop(answer: str) -> Backdrop:
    """What tmux knows of a pane beside its screen. The place of a cursor that was never saved is a huge number."""
    fact = dict(zip(_BEHIND, answer.split(" "), strict=False))
    number = {name: int(value) for name, value in fact.items() if value.isdecimal() and int(value) < MOST_CELLS}
    first, last = number.get("scroll_region_upper"), number.get("scroll_region_lower")
    return Backdrop(
        region=None if first is None or last is None else (first, last),
        wrap=number.get("wrap_flag", 1) == 1,
        insert=number.get("insert_flag", 0) == 1,
        origin=number.get("origin_flag", 0) == 1,
        below_x=number.get("alternate_saved_x", 0),
        below_y=number.get("alternate_saved_y", 0),
    )


def panes_format(nonce: str) -> str:
    return _format(nonce, _ROW, _ROW_FREE)


@dataclass(frozen=True, slots=True)
class PaneRow:
    """A pane with its place: `front` counts how far it is the active one (2: of its session, 1: of its window)."""

    info: PaneInfo
    window: str  # "session:index"
    pane_index: str
    front: int


def read_panes(answer: bytes, nonce: str) -> list[PaneRow]:
    rows = f"\n{answer.decode('utf-8', 'replace')}".split(f"\n{nonce} ")[1:]
    return [row for row in (_read_row(text, nonce) for text in rows) if not row.info.session.startswith(OURS)]


def _read_row(row: str, nonce: str) -> PaneRow:
    head, session, name, command, title, cwd = (part.removesuffix("|") for part in row.split(nonce))
    pane, pid, dead, width, height, window_index, pane_index, active, window_active = head.split("|")
    window = f"{session}:{window_index}"
    info = PaneInfo(
        pane=pane,
        target=f"{window}.{pane_index}",
        window_name=name,
        session=session,
        command=command,
        pid=int(pid or 0),
        dead=dead == "1",
        width=int(width),
        height=int(height),
        title=title,
        cwd=cwd.removesuffix("\n"),
    )
    return PaneRow(info, window, pane_index, (active == "1") + (active == window_active == "1"))


def each_once(rows: Sequence[PaneRow]) -> list[PaneInfo]:
    """The panes; a window that is linked into two sessions was listed twice."""
    found: dict[str, PaneInfo] = {}
    for row in rows:
        found.setdefault(row.info.pane, row.info)
    return list(found.values())


def choose(target: str, rows: Sequence[PaneRow]) -> str:
    """Find the one pane that `target` means; an exact name always, never a prefix of one.

    `%3`, `session:window.pane`; the active pane of `session:window`, of a window by name, of a session.
    """
    for names, front in _WAYS:
        matches = {row.info.pane for row in rows if row.front >= front and target in names(row)}
        if len(matches) > 1:
            listed = ", ".join(sorted(matches))
            raise PaneNotFound(f"{target!r} may mean any of {listed}", hint="Name one of them by its %id.")
        if matches:
            return matches.pop()
    raise PaneNotFound(f"no pane is called {target!r}", hint=_candidates(rows))


def _candidates(rows: Sequence[PaneRow]) -> str:
    listed = [f"{pane.pane} ({pane.window_name})" for pane in each_once(rows)]
    more = f" and {len(listed) - MANY} more" if len(listed) > MANY else ""
    return f"There are {', '.join(listed[:MANY])}{more}; `paneward panes` tells what runs in them."


_WAYS: tuple[tuple[Callable[[PaneRow], tuple[str, ...]], int], ...] = (
    (lambda row: (row.info.pane,), 0),
    (lambda row: (row.info.target, f"{row.info.session}:{row.info.window_name}.{row.pane_index}"), 0),
    (lambda row: (row.window, f"{row.info.session}:{row.info.window_name}"), 1),
    (lambda row: (row.info.window_name,), 1),
    (lambda row: (row.info.session, f"{row.info.session}:"), 2),
)


def type_commands(pane: str, text: str) -> list[tuple[str, ...]]:
    parts = [text[at : at + TYPED] for at in range(0, len(text), TYPED)]
    return [("send-keys", "-t", pane, "-l", "--", part) for part in parts]


def half_typed(error: TmuxError, part: int, text: str) -> TmuxError:
    """The same failure, saying how much had gone in before it."""
    if not part:
        return error
    return type(error)(f"{part * TYPED} of {len(text)} characters went in, then: {error.message}", hint=error.hint)


def press_commands(pane: str, keys: Sequence[str]) -> list[tuple[str, ...]]:
    """One command per run of keys of a kind: names, and bytes that must go as they are."""
    commands: list[tuple[str, ...]] = []
    for raw, run in groupby(keys, KEY_BYTES.__contains__):
        flag = ["-H"] if raw else []
        commands.append(("send-keys", "-t", pane, *flag, *(KEY_BYTES.get(key, key) for key in run)))
    return commands


def _moved(seen: Snapshot) -> str:
    """A format: is the pane different from what was seen?"""
    flags = (seen.dead, seen.in_mode, seen.input_off, seen.synchronized, seen.alternate, seen.cursor_visible)
    place = (*flags, seen.cursor_x, seen.cursor_y, seen.width, seen.height)
    return f"#{{!=:{_PLACE},{' '.join(str(int(value)) for value in place)}}}"


def guarded(pane: str, command: Sequence[str], secret: str, seen: Snapshot | None = None) -> tuple[str | bytes, ...]:
    """`command`, unless the pane is dead (a paste would crash tmux), in a mode (which eats keys), or not as `seen`.

    With a wrong target `if-shell` does not fail but takes the other branch, which then does.
    """
    stuck = encode("display-message", "-p", "-t", pane, f"{secret} #{{pane_dead}}")
    done = encode("display-message", "-p", f"{secret} done")
    return (
        "if-shell",
        "-F",
        "-t",
        pane,
        STUCK if seen is None else _moved(seen),
        stuck,
        encode(*command) + b" ; " + done,
    )


def check_guard(pane: str, what: str, trailer: bytes | None, complaint: str, seen: Snapshot | None) -> None:
    """Raise unless a guarded command was done."""
    match trailer:
        case b"done":
            return
        case b"1":
            raise PaneDead(f"the program in {pane} has ended: nothing was sent")
        case None:
            raise classify(what, complaint)
    if seen is not None:
        raise PaneMoved(f"{pane} is no longer as it was judged: nothing was sent")
    raise TmuxError(f"{pane} is in copy mode or the like: nothing was sent", hint="Leave the mode first.")


_NO_SERVER = ("no server running", "error connecting to", "no sessions", "server exited", "lost server")
_NO_PANE = ("can't find pane", "can't find window", "can't find session", "no such pane", "no current")


def classify(command: str, words: str) -> TmuxError:
    """tmux tells what went wrong only in words; this is the one place that reads them."""
    words = words.strip() or "failed without a word"
    if NOT_OURS in words:
        return TmuxError(words, code=Code.SOCKET_NOT_OURS, hint=HINT)
    if any(known in words for known in _NO_SERVER):
        return PaneNotFound(words, hint="Start tmux, or name the right server with -L or -S.")
    if any(known in words for known in _NO_PANE):
        return PaneNotFound(words)
    if "target pane has exited" in words or "pane has exited" in words:
        return PaneDead(words)
    if ("not found" in words and "tmux" in words) or "failed to execute" in words:
        return TmuxNotInstalled(words)
    return TmuxError(f"{command}: {words}")


def version(words: str) -> tuple[int, int] | None:
    """`tmux 3.3a`, `next-3.8`, `openbsd-7.5`, `master` -> a number to compare; None for what is newer than numbers."""
    if "openbsd" in words or (found := re.search(r"(\d+)\.(\d+)", words)) is None:
        return None
    return int(found[1]), int(found[2])


def check_version(words: str) -> None:
    number = version(words)
    if number is not None and number < OLDEST:
        raise TmuxTooOld(f"{words.strip()} is older than {OLDEST[0]}.{OLDEST[1]}")
