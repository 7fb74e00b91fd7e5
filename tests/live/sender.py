"""A sender of its own process: `python sender.py SOCKET STATE PANE PREFIX COUNT`; prints how many were confirmed."""

import asyncio
import sys
from pathlib import Path

from paneward.app import connect


def texts(prefix: str, count: int) -> list[str]:
    """Short and long, one line and several."""
    return [f"{prefix} {number}: " + "words and " * (number * 7) + ("\nend" * (number % 2)) for number in range(count)]


async def main(socket: str, state: str, pane: str, prefix: str, count: str) -> int:
    async with connect(socket_name=socket, state=Path(state)) as tmux:
        results = [await tmux.send_text(pane, text, timeout=120) for text in texts(prefix, int(count))]
    for result in results:
        if not result.success:
            print(result.error_type, result.evidence, file=sys.stderr)
    return sum(result.success for result in results)


if __name__ == "__main__":
    print(asyncio.run(main(*sys.argv[1:])))
