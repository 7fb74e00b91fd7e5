"""Credentials are crossed out where they stand, and nothing else moves."""

import re
from dataclasses import replace

import pytest

from paneward.core.profiles import Recognised
from paneward.core.readiness.inspection import Inspection, read
from paneward.core.screen.cells import plain
from paneward.core.screen.masking import mask_rows
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.core.text import mask
from tests.core.screen.agents import CAPTURES, Capture, each_of

KEY = "sk-ant-api03-AbCdEfGhIjKlMnOp1234"


def test_a_credential_is_crossed_out_cell_by_cell() -> None:
    assert mask_rows((f"key {KEY} here",), 80) == (f"key {'x' * len(KEY)} here",)


def test_a_credential_that_is_drawn_in_two_styles_is_crossed_out_and_keeps_them() -> None:
    row = f"\x1b[1m{KEY[:9]}\x1b[38;5;153m{KEY[9:]}\x1b[0m ."
    assert mask_rows((row,), 80) == (f"\x1b[1m{'x' * 9}\x1b[38;5;153m{'x' * (len(KEY) - 9)}\x1b[0m .",)


@pytest.mark.parametrize(("left", "right"), [("", ""), ("│ ", " │"), ("  ", "")])
def test_a_credential_that_goes_on_in_the_next_row_leaves_nothing_behind(left: str, right: str) -> None:
    first, rest = KEY[:24], KEY[24:]
    width = len(left) + len(first) + len(right)
    rows = mask_rows((f"{left}{first}{right}", f"{left}{rest}{right}"), width)
    assert "".join(rows) == f"{left}{'x' * 24}{right}{left}{'x' * len(rest)}{right}"


def test_rows_that_had_room_are_not_joined() -> None:
    rows = ("sk-ant-short", "AbCdEfGhIjKlMnOp1234")
    assert mask_rows(rows, 80) == rows


def test_the_name_of_a_secret_stays_and_its_value_goes_with_its_width() -> None:
    assert mask("API_KEY=gehéim日本1234 end") == "API_KEY=xxxxxxｘｘxxxx end"
    assert mask("nothing to hide: 42%") == "nothing to hide: 42%"


@each_of(CAPTURES)
def test_what_is_read_from_a_masked_screen_is_what_was_read_before(capture: Capture) -> None:
    """But for what a dialog is about, which can be a credential, and its fingerprint, which covers all of its words."""
    seen = capture.snapshot
    masked = replace(seen, rows=mask_rows(seen.rows, seen.width))
    assert shown(masked, capture) == shown(seen, capture)
    assert [len(plain(row)) for row in masked.rows] == [len(plain(row)) for row in seen.rows]


def shown(seen: Snapshot, capture: Capture) -> Inspection:
    scene = Scene(seen, quiet=30.0)
    found = read(scene, Recognised(capture.versioned), re.compile(capture.profile.prompt))
    menu = replace(found.menu, fingerprint="", about="") if found.menu else None
    return replace(found, menu=menu, screen=())
