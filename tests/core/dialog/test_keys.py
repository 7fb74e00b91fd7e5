"""A dialog that shows more of itself at a key, and one that only looks like it."""

from dataclasses import replace

from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code
from paneward.core.terminal.scene import Scene
from paneward.testing import scene
from tests.core.dialog.test_answer import DOWN, ENTER, IDLE, LABELS, QUICK, played


def boxed(at: int, *command: str, head: str = "? Shell  touch it") -> Scene:
    rows = [head, "╭──────────╮", *command, "╰──────────╯", "Which colour?"]
    options = [f"{'●' if index == at else ' '} {index + 1}. {label}" for index, label in enumerate(LABELS[:2])]
    inside = "\n".join(f"│ {row:<36} │" for row in (*rows, "", *options))
    return scene(f"╭{'─' * 38}╮\n{inside}\n╰{'─' * 38}╯\n‸")


def test_a_dialog_that_unfolds_at_a_key_is_the_same_dialog() -> None:
    """A low pane of Gemini CLI: the box of the command is empty until the highlight moves."""
    unfolds = replace(QUICK, menus=replace(QUICK.menus, unfolds=True))
    shown, folded = boxed(1, "│ touch it │"), boxed(0)
    done, result = played(Choice(select=2), folded, shown, IDLE, IDLE, profile=unfolds)
    assert (done, result.success) == ([DOWN, ENTER], True)
    assert played(Choice(select=2), folded, shown)[1].error_type is Code.STALE_DIALOG
    other = boxed(1, "│ rm it │", head="? Shell  rm it")
    assert played(Choice(select=2), folded, other, profile=unfolds)[1].error_type is Code.STALE_DIALOG
