"""What must be read from the captured screens in `tests/corpus`."""

import json
from pathlib import Path
from typing import Any

import pytest

from paneward.core.result import Menu
from paneward.core.screen.cells import Screen, insertion_point
from paneward.core.screen.dialogs.menu import read_menu
from paneward.core.screen.dialogs.question import confirmation, question
from paneward.core.screen.ghost import ghost_text
from paneward.core.terminal.scene import Snapshot

CORPUS = Path(__file__).parents[2] / "corpus"
EXPECTED = sorted(CORPUS.glob("*/*.expected.json"))
CAPTURED = sorted(path for path in CORPUS.glob("*/*.json") if path not in EXPECTED)


def snapshot(path: Path) -> Snapshot:
    fields: dict[str, Any] = json.loads(path.read_text())
    return Snapshot(pane="%1", **{**fields, "rows": tuple(fields["rows"])})


def as_data(menu: Menu | None) -> dict[str, object] | None:
    return (
        None
        if menu is None
        else {
            "question": menu.question,
            "options": [option.label for option in menu.options],
            "checked": [option.checked for option in menu.options],
            "selected": menu.selected,
            "free_text": menu.free_text,
            "multi": menu.multi,
        }
    )


def reading(taken: Snapshot) -> dict[str, object]:
    screen = Screen.of(taken)
    x, y = insertion_point(screen)
    return {
        "left_of_cursor": screen.row(y).left(x),
        "insertion_point": [x, y],
        "ghost": ghost_text(screen),
        "question": question(screen),
        "confirmation": confirmation(screen),
        "menu": as_data(read_menu(taken)),
    }


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_captured_screen_is_read_as_a_person_reads_it(path: Path) -> None:
    assert reading(snapshot(path)) == json.loads(path.with_suffix(".expected.json").read_text())


def test_every_captured_screen_says_what_must_be_read_from_it() -> None:
    assert CAPTURED
    assert {path.with_suffix(".expected.json") for path in CAPTURED} == set(EXPECTED)
