"""Limits of connections, before anything is known of who they are from: uvicorn's protocol with a guard before it.

The head of a request has a size, a number of headers and a time. A connection that has shown no good token yet is a
newcomer: there is room for some hundreds of them, and where more come, those that came first are closed. So whoever
opens thousands takes the room from himself, and the operator, whose token arrives with the first bytes, always gets in.

Surprise: uvicorn joins the pieces of a header as they come, so the time for a long one grows with its square.
"""

import asyncio
import logging
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

HEAD_BYTES: Final = 64 << 10  # of the request line and its headers
MOST_HEADERS: Final = 100
HEAD_SECONDS: Final = 15.0  # from the first byte, or the connection, to the end of the head
MOST_NEWCOMERS: Final = 256
KNOWN: Final = "known"  # in the state of a scope: call it when the token was good
log = logging.getLogger("paneward.http")


class Newcomers:
    """Connections that have shown no good token, the oldest first."""

    def __init__(self, most: int = MOST_NEWCOMERS) -> None:
        self._most = most
        self._here: dict[BoundedConnection, None] = {}

    def __len__(self) -> int:
        return len(self._here)

    def arrive(self, one: "BoundedConnection") -> None:
        self._here[one] = None
        if len(self._here) > self._most:
            log.warning("more than %d connections show no token: those that came first are closed", self._most)
            first = next(iter(self._here))
            self.leave(first)
            first.transport.abort()

    def leave(self, one: "BoundedConnection") -> None:
        self._here.pop(one, None)


class BoundedConnection(HttpToolsProtocol):
    """One connection. `newcomers` is shared by those of a server."""

    newcomers: Newcomers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head = 0  # bytes of a head that is not complete
        self._count = self._size = 0  # its headers, and their bytes
        self._inside_head = True
        self._refused = False
        self._timer: asyncio.TimerHandle | None = self.loop.call_later(HEAD_SECONDS, self._late)
        if not _of_this_user(transport):
            self.newcomers.arrive(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self.newcomers.leave(self)
        super().connection_lost(exc)

    def known(self) -> None:
        """Its token was good."""
        self.newcomers.leave(self)

    # --- the head of a request

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._inside_head:
            self._head += len(data)
            if self._timer is None:
                self._timer = self.loop.call_later(HEAD_SECONDS, self._late)
        super().data_received(data)
        if self._inside_head and self._head > HEAD_BYTES and not self._refused:
            self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._count, self._size, self._inside_head = 0, 0, True

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._size += len(url)
        if self._size > HEAD_BYTES:
            raise ValueError("the head of the request is too large")  # the parser stops, and `send_400_response` tells

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count += 1
        self._size += len(name) + len(value)
        if self._count > MOST_HEADERS or self._size > HEAD_BYTES:
            raise ValueError("the head of the request is too large")

    def on_headers_complete(self) -> None:
        self._stop_timer()
        self._head, self._inside_head = 0, False
        super().on_headers_complete()
        self.scope["state"][KNOWN] = self.known  # the task that reads it has not begun yet

    def on_message_complete(self) -> None:
        self._inside_head = True
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self.app_state = {**self.app_state, KNOWN: self.known}
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        if self._count > MOST_HEADERS or max(self._head, self._size) > HEAD_BYTES:
            self._refuse()
        else:
            self._refused = True
            super().send_400_response(msg)

    # --- the end of it

    def _refuse(self) -> None:
        self._refused = True
        words = f"The head of a request may have {HEAD_BYTES} bytes and {MOST_HEADERS} headers.\n".encode()
        head = b"content-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(words)
        self.transport.write(STATUS_LINE[431] + head + words)
        self._close()

    def _late(self) -> None:
        """The head did not come in time. Who sent nothing at all is told nothing."""
        self._timer = None
        if self._head:
            self.transport.write(STATUS_LINE[408] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self._refused = True
        self._close()

    def _close(self) -> None:
        self._stop_timer()
        self.transport.pause_reading()  # what else it sends is not even read
        self.transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded(newcomers: Newcomers | None = None) -> type[BoundedConnection]:
    """The protocol of one server."""
    return type("BoundedConnection", (BoundedConnection,), {"newcomers": newcomers or Newcomers()})


def raise_file_limit() -> None:
    """As many files as the system allows: by default a thousand, which streams and terminals of a busy day need."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def welcome(state: dict[str, Any]) -> None:
    """Somebody's token was good."""
    known: Callable[[], None] | None = state.pop(KNOWN, None)
    if known is not None:
        known()


def _of_this_user(transport: asyncio.Transport) -> bool:
    """By the socket in the state directory, where nobody else can connect."""
    sock = transport.get_extra_info("socket")
    return sock is not None and sock.family == socket.AF_UNIX
