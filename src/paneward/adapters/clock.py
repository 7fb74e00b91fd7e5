"""The one place that reads the clock and sleeps."""

import asyncio
import time


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since the epoch, for what is compared with the times of files."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
