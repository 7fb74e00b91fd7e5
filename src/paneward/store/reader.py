"""A connection for reads alone, in a thread of its own, opened when the first one is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from paneward.store.connection import ConnectionLost, disconnect, lost, noticed
from paneward.store.place import Database

if TYPE_CHECKING:
    import sqlalchemy as sa

T = TypeVar("T")


class Reader:
    def __init__(self, place: Database) -> None:
        self._place = place
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="paneward-reads")
        self._connection: sa.Connection | None = None

    async def run(self, work: Callable[[sa.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._attempt, work)

    def _attempt(self, work: Callable[[sa.Connection], T]) -> T:
        with self._place.told():
            try:
                with noticed(connection := self._connected()):
                    return work(connection)
            except ConnectionLost:
                return work(self._connected())

    def _connected(self) -> sa.Connection:
        if self._connection is not None and lost(self._connection):
            disconnect(self._connection)
            self._connection = None
        if self._connection is None:
            self._connection = self._place.connect_reader()
        return self._connection

    def close(self) -> None:
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    def _close(self) -> None:
        if self._connection is not None:
            disconnect(self._connection)
