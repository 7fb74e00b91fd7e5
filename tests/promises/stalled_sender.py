"""A sender that hands its text to a tmux that was stopped, and is killed.

`python stalled_sender.py SOCKET STATE PANE MESSAGE_ID TEXT`
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import paneward

HANDED_OVER = 0.5  # seconds in which what was written reaches the tmux server's socket


async def main(socket: str, state: str, pane: str, message_id: str, text: str) -> None:
    async with paneward.connect(socket_name=socket, state=Path(state)) as tmux:
        server = int("".join(await tmux._tmux.run("display-message", "-p", "#{pid}")))
        real = tmux._tmux.type

        async def hand(*what: Any) -> None:
            os.kill(server, signal.SIGSTOP)
            asyncio.get_running_loop().call_later(HANDED_OVER, os.kill, os.getpid(), signal.SIGKILL)
            await real(*what)

        tmux._tmux.type = hand  # type: ignore[assignment, method-assign]
        await tmux.send_text(pane, text, message_id=message_id)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
