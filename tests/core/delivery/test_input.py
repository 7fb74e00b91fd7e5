"""How a text gets into a terminal."""

from dataclasses import replace

from paneward.core.delivery.input import KEYS_AT_MOST, pastes, too_long
from paneward.core.errors import Code
from paneward.core.profiles import GENERIC, Typing
from paneward.testing import LINES, READING, scene


def test_short_lines_are_typed_and_the_rest_is_pasted() -> None:
    assert not pastes("make test", GENERIC)
    assert pastes("two\nlines", GENERIC)
    assert pastes("a\ttab", GENERIC)
    assert pastes("x" * (KEYS_AT_MOST + 1), GENERIC)
    assert pastes("x", replace(GENERIC, typing=Typing.PASTE))


def test_a_terminal_in_line_mode_takes_so_much_a_line() -> None:
    refusal = too_long("x" * 4096, scene("‸", LINES))
    assert refusal is not None
    assert refusal.code is Code.TEXT_TOO_LONG
    assert too_long("x" * 4095 + "\nx", scene("‸", LINES)) is None
    assert too_long("x" * 5000, scene("‸", READING)) is None
    assert too_long("x" * 5000, scene("‸", None)) is None
