"""The one place that reads the clock and sleeps. asyncio is loaded by whoever sleeps in a loop: commands that only ask
what time it is do without it."""

import time


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since the epoch, for what is compared with the times of files."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)

    def pause(self, seconds: float) -> None:
        """Sleep outside a loop."""
        time.sleep(seconds)
