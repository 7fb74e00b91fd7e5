"""Whether a program that does not read its terminal works, or only paints or takes a text: a machine."""

from typing import Final

BRIEFLY: Final = 0.1  # seconds for which a program may be away from its terminal, and is at rest


class Away:
    """Fed with looks."""

    def __init__(self) -> None:
        self._since: float | None = None

    def see(self, away: bool, now: float) -> None:
        if not away:
            self._since = None
        elif self._since is None:
            self._since = now

    def briefly(self, now: float) -> bool:
        """It is, and has not been for long."""
        return self._since is not None and now < self._since + BRIEFLY
