"""The console of a terminal: rich, with the foreign made harmless behind all formatting. Loaded for a terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from paneward.core.terminal.harmless import harmless


class HarmlessConsole(Console):
    """A console that prints the characters of a text, and obeys none of them."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)
