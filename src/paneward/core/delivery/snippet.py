"""The two formulas of a verified send: functions.

Which part of a text proves that it is still standing in an input field, and how long a program that
cannot be watched is given to draw it.
"""

RELIABLE = 40  # characters: a shorter text may stand on the screen for other reasons
DISTINCTIVE = 15  # characters: a shorter last line is too common to look for
TAIL = 60  # characters: more than fits on one row of a narrow pane proves no more


def extract_verification_snippet(text: str) -> str | None:
    """The end of the last line that is not blank, or None where nothing reliable can be looked for."""
    if len(text) < RELIABLE:
        return None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or len(lines[-1]) < DISTINCTIVE:
        return None
    return lines[-1][-TAIL:]


def typing_delay(length: int, base: float = 0.12) -> float:
    """Seconds that a program which cannot be watched needs to draw `length` characters before Enter counts."""
    return base + max(0, length - 200) // 10 / 1000
