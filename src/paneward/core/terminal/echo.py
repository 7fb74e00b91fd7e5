"""What simple output makes of a screen: a function.

A line that is typed is mostly echoed as it is, or its row drawn again. What the screen shows then can be told from the
output alone, and tmux need not be asked. Anything more (another row, a style, a letter that is not ASCII, the end of
the row) is for tmux to know.
"""

import re
from dataclasses import replace
from typing import Final

from paneward.core.terminal.scene import Snapshot

# Letters; back to the begin of the row, or by one; the rest of the row cleared; bracketed paste on and off.
_SIMPLE: Final = re.compile(rb"([ -~]+)|\r|\x08|\x1b\[0?K|\x1b\[\?2004[hl]")


def drawn(before: Snapshot, output: bytes) -> Snapshot | None:
    """The screen after `output`, which is all that was printed since `before`; None where that is not simple."""
    at = before.history + before.cursor_y
    if before.in_mode or before.dead or at >= len(before.rows):
        return None
    cells, x, end = before.rows[at], before.cursor_x, 0
    if not cells.isascii() or not cells.isprintable():
        return None
    for match in _SIMPLE.finditer(output):
        if match.start() != end:
            return None
        end = match.end()
        match match[0]:
            case b"\r":
                x = 0
            case b"\x08":
                x = max(x - 1, 0)
            case b"\x1b[K" | b"\x1b[0K":
                cells = cells[:x]
            case text if match[1] is not None:
                cells = cells[:x].ljust(x) + text.decode() + cells[x + len(text) :]
                x += len(text)
        if x >= before.width:  # where the next letter goes is not told by the cursor
            return None
    if end != len(output):
        return None
    rows = (*before.rows[:at], cells.rstrip(" "), *before.rows[at + 1 :])
    return replace(before, rows=rows, cursor_x=x)
