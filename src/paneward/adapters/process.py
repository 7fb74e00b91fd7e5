"""What the operating system knows of the program in a pane."""

from paneward.adapters.host import Host
from paneward.core.scene import ProcessFacts, Snapshot


class ProcessProbe:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def facts(self, snapshot: Snapshot) -> ProcessFacts | None:
        return None

    async def close(self) -> None:
        return
