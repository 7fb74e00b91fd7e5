"""A sender that dies at a chosen moment: `python crasher.py SOCKET STATE PANE MESSAGE_ID TEXT MOMENT`.

A moment is `before X` or `after X`: X is written to the store (`begin`, `typed`, `submitting`, `finish`), and the
process kills itself right before or after that.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import paneward.app.connection
from paneward.store import Store


class DyingStore(Store):
    moment = ""

    def _die(self, moment: str) -> None:
        if moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)

    async def begin(self, **intent: Any) -> Any:
        self._die("before begin")
        row = await super().begin(**intent)
        self._die("after begin")
        return row

    async def mark(self, id: str, phase: Any) -> None:
        self._die(f"before {phase}")
        await super().mark(id, phase)
        self._die(f"after {phase}")

    async def finish(self, id: str, receipt: Any, *events: Any) -> None:
        self._die("before finish")
        await super().finish(id, receipt, *events)
        self._die("after finish")


async def main(socket: str, state: str, pane: str, message_id: str, text: str) -> None:
    async with paneward.connect(socket_name=socket, state=Path(state)) as tmux:
        await tmux.send_text(pane, text, message_id=message_id)


if __name__ == "__main__":
    *arguments, DyingStore.moment = sys.argv[1:]
    paneward.app.connection.Store = DyingStore  # type: ignore[attr-defined]
    asyncio.run(main(*arguments))
