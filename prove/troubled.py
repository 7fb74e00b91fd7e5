"""What a proof of troubled stores runs in a process of its own: one send, then a server's look at the store.

`python -m prove.troubled SOCKET STATE PANE TEXT MESSAGE_ID GROWS`: it answers with one line of JSON. With GROWS `no` no
file may grow, as on a full disk.
"""

import asyncio
import json
import resource
import sys
from pathlib import Path
from typing import Any

import paneward
from paneward.app.server import STORE
from paneward.core.errors import PanewardError
from paneward.store import Store


async def send(socket: str, state: Path, pane: str, text: str, message_id: str) -> dict[str, Any]:
    try:
        async with paneward.connect(socket, state=state) as tmux:
            result = await tmux.send_text(pane, text, message_id=message_id, profile="shell")
            named = {"verdict": result.verdict, "error": result.error_type, "hint": result.hint}
            return named | {"repeated": result.repeated}
    except PanewardError as error:
        return {"verdict": "failed", "error": error.code, "hint": error.hint, "repeated": False}


async def serve(state: Path) -> dict[str, Any]:
    try:
        store = await asyncio.to_thread(Store.open, state / STORE, lease="a proof")
    except PanewardError as error:
        return {"server": error.code, "server_hint": error.hint}
    await store.close()
    return {"server": "opened"}


def _largest(state: Path) -> int:
    return max((file.stat().st_size for file in state.glob(f"{STORE}*")), default=0)


async def main(socket: str, state: Path, pane: str, text: str, message_id: str, grows: str) -> None:
    if grows == "no":
        resource.setrlimit(resource.RLIMIT_FSIZE, (_largest(state), resource.RLIM_INFINITY))
    said = await send(socket, state, pane, text, message_id)
    said |= await serve(state)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(json.dumps(said))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
