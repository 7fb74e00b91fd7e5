"""One pane on its way through a watching client: held back while it floods. Drives `core/terminal/flood.py`.

What surprised us: a pane that is paused for a client costs tmux nothing for it and never waits for it; what tmux had
for the client is thrown away, and `continue` goes on from now. Whether a trial is over is asked of tmux itself: its
answer comes behind all that was printed until then, however late we read it.
"""

import asyncio
from collections.abc import Callable

from paneward.adapters.tmux.control.client import Client
from paneward.core.terminal.control import CommandReply
from paneward.core.terminal.flood import SAMPLE, TRIAL, Flood, Flow
from paneward.ports import Clock


class Valve:
    """`turned` is told, in the stream's order, that only samples are heard from here on, or all of it again."""

    def __init__(self, pane: str, client: Client, clock: Clock, turned: Callable[[str, bool], None]) -> None:
        self._pane = pane
        self._client = client
        self._clock = clock
        self._turned = turned
        self._flood = Flood()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def held(self) -> bool:
        return self._flood.flow is Flow.HELD

    @property
    def flooding(self) -> bool:
        return self._flood.flow is not Flow.FOLLOWED

    def hear(self, size: int) -> None:
        if self._flood.feed(size, self._clock.now()):
            self._send(_flow(self._pane, "pause"))
            self._later(SAMPLE, self._try)
            self._turned(self._pane, True)

    def close(self) -> None:
        """Nobody listens to this pane any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self.flooding:
            let_on(self._client, self._pane)

    def _try(self) -> None:
        self._send(_flow(self._pane, "continue"), self._begin_trial)

    def _begin_trial(self) -> None:
        self._flood.begin_trial()
        self._later(TRIAL, self._weigh)

    def _weigh(self) -> None:
        self._send(b"display-message -p calm", self._end_trial)

    def _end_trial(self) -> None:
        if self._flood.end_trial():
            self._turned(self._pane, False)

    def _later(self, seconds: float, then: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, then)

    def _send(self, line: bytes, then: Callable[[], None] | None = None) -> None:
        """`then` is called at the answer's place in the stream."""

        def early(_: CommandReply) -> None:
            if then is not None and not self._closed:
                then()

        self._client.ask(line, early=early).add_done_callback(_heed)


def let_on(client: Client, pane: str) -> None:
    """Go on from now, whoever stopped it."""
    client.ask(_flow(pane, "continue")).add_done_callback(_heed)


def _flow(pane: str, what: str) -> bytes:
    return f"refresh-client -A '{pane}:{what}'".encode()


def _heed(future: asyncio.Future[CommandReply]) -> None:
    """Nobody waits for the answer: a client that is lost tells by itself, and one that is late answers all the same."""
    if not future.cancelled():
        future.exception()
