"""Watches every pane of a session in a process of its own; the process whose cost is measured.

It says `ready` when it watches; then it answers each line of input: `lines` with how many lines it saw and how many
panes had one out of turn, `delays` with those of the time stamps that came since the last such question.
"""

import asyncio
import json
import re
import sys
from contextlib import AsyncExitStack
from time import monotonic_ns

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.ports import OutputWatch

STAMP = re.compile(rb"at (\d+)\r?\n")


class Tally:
    """What was seen so far."""

    def __init__(self) -> None:
        self.lines = 0
        self.bytes = 0
        self.gaps = 0
        self.delays: list[int] = []

    async def count(self, watch: OutputWatch) -> None:
        async for chunk in watch.chunks():
            if not isinstance(chunk, bytes):
                self.gaps += 1
                continue
            self.lines += chunk.count(b"\n")
            self.bytes += len(chunk)

    async def time(self, watch: OutputWatch) -> None:
        rest = b""
        async for chunk in watch.chunks():
            now = monotonic_ns()
            rest += chunk if isinstance(chunk, bytes) else b""
            self.delays += [now - int(stamp) for stamp in STAMP.findall(rest)]
            rest = rest[rest.rfind(b"\n") + 1 :]

    def answer(self, question: str) -> str:
        if question == "delays":
            delays, self.delays = self.delays, []
            return json.dumps(delays)
        return json.dumps({"lines": self.lines, "bytes": self.bytes, "gaps": self.gaps})


async def main(socket: str, session: str, what: str) -> None:
    tally = Tally()
    async with (
        ControlTmux(Host(), socket, timeout=60.0) as tmux,
        AsyncExitStack() as watches,
        asyncio.TaskGroup() as group,
    ):
        panes = await tmux.run("list-panes", "-s", "-t", session, "-F", "#{pane_id}")
        follow = tally.time if what == "time" else tally.count
        for pane in panes:
            group.create_task(follow(await watches.enter_async_context(tmux.watch(pane))))
        print("ready", flush=True)
        while question := await asyncio.to_thread(sys.stdin.readline):
            print("said", tally.answer(question.strip()), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
