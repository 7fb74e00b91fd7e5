"""What the proofs run in a process of its own, to be killed, stopped or raced: `watch` a pane, `come` and go there
again and again, or `send` to it.

It says `ready` when it is about to begin; a sender waits for a line of input first. Then it answers in JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import paneward


async def watch(socket: str, state: Path, pane: str) -> None:
    async with paneward.connect(socket, state=state) as tmux, tmux.watch(pane) as stream:
        print("ready", flush=True)
        async for _ in stream.chunks():
            pass


async def come(socket: str, state: Path, pane: str) -> None:
    print("ready", flush=True)
    while True:
        async with paneward.connect(socket, state=state) as tmux, tmux.watch(pane):
            pass


async def send(socket: str, state: Path, pane: str, text: str, **how: Any) -> None:
    async with paneward.connect(socket, state=state) as tmux:
        await tmux.explain(pane)
        await tmux.deliveries(1)  # so that what is loaded late is there, and a crash falls into the delivery itself
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        result = await tmux.send_text(pane, text, **how)
        print(json.dumps({"verdict": result.verdict, "evidence": result.evidence, "repeated": result.repeated}))


def main(verb: str, socket: str, state: str, pane: str, *rest: str) -> None:
    if verb in ("watch", "come"):
        asyncio.run((watch if verb == "watch" else come)(socket, Path(state), pane))
    else:
        asyncio.run(send(socket, Path(state), pane, rest[0], **json.loads(rest[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
