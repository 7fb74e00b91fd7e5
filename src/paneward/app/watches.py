"""Watches of panes that stay open between calls: the longest unused is closed when they are many."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Self

from paneward.ports import OutputWatch, Tmux

KEPT = 24  # below the sessions that one connection may watch


class _Kept:
    def __init__(self, watch: OutputWatch, stack: AsyncExitStack) -> None:
        self.watch = watch
        self.users = 0
        self.close = stack.aclose

    @classmethod
    async def open(cls, tmux: Tmux, pane: str) -> Self:
        stack = AsyncExitStack()
        return cls(await stack.enter_async_context(tmux.watch(pane)), stack)


class Watches:
    def __init__(self, tmux: Tmux) -> None:
        self._tmux = tmux
        self._open: dict[str, _Kept] = {}  # the longest unused first
        # Of each pane: two callers at once would open two watches, and one of them would never be closed.
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def open(self, pane: str) -> AsyncIterator[OutputWatch]:
        """The watch of a pane, kept open for the next call."""
        async with self._opening[pane]:
            kept = await self._kept(pane)
            kept.users += 1
        try:
            yield kept.watch
        finally:
            kept.users -= 1

    async def _kept(self, pane: str) -> _Kept:
        kept = self._open.pop(pane, None)
        if kept is not None and kept.watch.gone and not kept.users:
            await kept.close()
            kept = None
        if kept is None:
            await self._make_room()
            kept = await _Kept.open(self._tmux, pane)
        self._open[pane] = kept
        return kept

    async def _make_room(self) -> None:
        idle = [pane for pane, kept in self._open.items() if not kept.users]
        for pane in idle[: max(0, len(self._open) - KEPT + 1)]:
            await self._open.pop(pane).close()

    async def close(self) -> None:
        for kept in self._open.values():
            await kept.close()
        self._open.clear()
