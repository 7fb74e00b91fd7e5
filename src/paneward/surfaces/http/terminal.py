"""A pane in a browser: a snapshot, then its output, and keys on the way back.

Text frames are JSON. The first is a `snapshot`; after a gap (a flood, a reader that is too slow, a new connection to
tmux) and at a new size of the pane there is a new one. Binary frames are output: 8 bytes, big endian, with the
`output_seq` behind these bytes, then the bytes. What a browser sends is `input` (what its terminal made of keys),
`keys` (by their names in tmux) or `resize`, which is answered with the size that the pane has: a pane is never resized
for who looks at it.
"""

import asyncio
import json
import struct
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from paneward.app import Connection
from paneward.core.errors import Code, InvalidInput, PanewardError
from paneward.core.terminal.browser import Pressed, Stroke, TerminalFilter, strokes
from paneward.core.terminal.keys import check_keys
from paneward.core.terminal.scene import Snapshot
from paneward.ports import OutputWatch
from paneward.surfaces.http.errors import envelope

SEQ: Final = struct.Struct(">Q")
PANE_GONE, DENIED = 4410, 4403  # codes of a close
MOST_INPUT: Final = 100_000  # characters of one frame
Note = Callable[[str], Awaitable[None]]
Pressing = Callable[[tuple[str, ...]], Awaitable[None]]


def snapshot_frame(snapshot: Snapshot, output_seq: int) -> dict[str, Any]:
    return {
        "type": "snapshot",
        "pane": snapshot.pane,
        "rows": list(snapshot.rows[-snapshot.height :]),
        "width": snapshot.width,
        "height": snapshot.height,
        "cursor": {"x": snapshot.cursor_x, "y": snapshot.cursor_y, "visible": snapshot.cursor_visible},
        "alternate": snapshot.alternate,
        "title": snapshot.title,
        "output_seq": output_seq,
    }


class BrowserTerminal:
    """One browser at one pane."""

    def __init__(
        self,
        websocket: WebSocket,
        connection: Connection,
        pane: str,
        may_type: bool,
        note: Note,
        pressed: Pressing,
    ) -> None:
        self._socket = websocket
        self._connection = connection
        self._pane = pane
        self._may_type = may_type
        self._note = note  # that somebody types, for the audit
        self._noted = False
        self._pressed = pressed  # which keys, for who waits for somebody's attention

    async def run(self) -> None:
        """Until the pane closes, or the browser leaves."""
        async with AsyncExitStack() as stack:
            watch = await stack.enter_async_context(self._connection.watch(self._pane))
            await self._socket.accept()
            await self._snapshot(watch, 0)
            showing = asyncio.ensure_future(self._show(watch))
            heeding = asyncio.ensure_future(self._heed(watch))
            try:
                await asyncio.wait((showing, heeding), return_when=asyncio.FIRST_COMPLETED)
            finally:  # also when the token of who looks is no longer good: then nothing more is typed
                for task in (showing, heeding):
                    task.cancel()
                await asyncio.gather(showing, heeding, return_exceptions=True)
            for task in (showing, heeding):
                if not task.cancelled() and not isinstance(task.exception(), WebSocketDisconnect | None):
                    task.result()

    async def _show(self, watch: OutputWatch) -> None:
        machine, seq = TerminalFilter(), 0
        async for chunk in watch.chunks():
            if not isinstance(chunk, bytes):
                machine, seq = TerminalFilter(), seq if chunk else watch.output_seq
                await self._snapshot(watch, seq)
                continue
            seq += len(chunk)
            await self._socket.send_bytes(SEQ.pack(seq) + machine.feed(chunk))
        await self._say({"type": "gone", "pane": self._pane})
        await self._close(PANE_GONE, "the pane is gone")

    async def _snapshot(self, watch: OutputWatch, seq: int) -> None:
        await self._say(snapshot_frame(watch.snapshot, seq))

    async def _heed(self, watch: OutputWatch) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                await self._take(parse(message.get("text")), watch)
            except PanewardError as failure:
                await self._say({"type": "error", **envelope(failure, "")})

    async def _take(self, asked: dict[str, Any], watch: OutputWatch) -> None:
        if asked["type"] == "resize":
            seen = watch.snapshot
            await self._say({"type": "size", "width": seen.width, "height": seen.height})
            return
        if not self._may_type:
            raise InvalidInput("this token may look, and not type", code=Code.FORBIDDEN, hint="Ask an operator.")
        if not self._noted:
            self._noted = True
            await self._note("somebody types in a terminal")
        given = made(asked)
        await self._connection.take_strokes(self._pane, given)
        await self._pressed(tuple(key for stroke in given if isinstance(stroke, Pressed) for key in stroke.keys))

    async def _say(self, frame: dict[str, Any]) -> None:
        written = json.dumps(frame, ensure_ascii=False)
        await self._socket.send_text(written.encode("utf-8", "replace").decode())

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.client_state is WebSocketState.CONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(code, reason)


def parse(text: str | None) -> dict[str, Any]:
    """A frame of a browser; one that is not understood is told, and changes nothing."""
    with suppress(ValueError, RecursionError):  # half a surrogate, as "\\ud800", is a ValueError too
        asked = json.loads(text or "")
        json.dumps(asked, ensure_ascii=False).encode()
        if isinstance(asked, dict) and _understood(asked):
            return asked
    raise InvalidInput(
        "this frame is not understood",
        code=Code.BAD_REQUEST,
        hint='{"type":"input","data":"ls\\r"}, {"type":"keys","keys":["Enter"]} or {"type":"resize"}.',
    )


def _understood(asked: dict[str, Any]) -> bool:
    match asked:
        case {"type": "input", "data": str(data)}:
            return len(data) <= MOST_INPUT
        case {"type": "keys", "keys": [*keys]}:
            return len(keys) <= 1000 and all(isinstance(key, str) for key in keys)
    return asked.get("type") == "resize"


def made(asked: dict[str, Any]) -> list[Stroke]:
    if asked["type"] == "input":
        return list(strokes(asked["data"]))
    check_keys(asked["keys"])
    return [Pressed(tuple(asked["keys"]))] if asked["keys"] else []
