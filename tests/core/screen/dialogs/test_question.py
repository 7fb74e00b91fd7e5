import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.screen.cells import Screen
from paneward.core.screen.dialogs.question import confirmation, question
from paneward.core.terminal.scene import Snapshot
from tests.core.screen.drawing import shown


def asking(line: str) -> Screen:
    return shown(f"what was before?\n{line}█", width=120)


CONFIRMATIONS = [
    "Continue? [y/N] ",
    "Proceed (y/n)",
    "Proceed y/n? ",
    "Do you want to continue? [Y/n] ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Add file to the chat? (Y)es/(N)o [Yes]: ",
    "Create it? (Y)es/(N)o/(D)on't ask again [Yes]: ",
    "Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? ",
    "*** x.conf (Y/I/N/O/D/Z) [default=N] ? ",
    "rm: remove regular empty file 'x'? ",
]
OTHERS = [
    "Password:",
    "Password: ",
    "[sudo] password for ada: ",
    "Enter passphrase for key '/home/ada/.ssh/id' (empty for none): ",
    "Username for 'https://example.org': ",
    "Press Enter to continue",
    "Press any key to continue . . .",
    "--More--",
    "--More--(12%)",
    "(END)",
    ":",
    "Name: ",
    "package name: (demo) ",
    "Overwrite? ",
    "#? ",
    "Which one? [default] ",
]
NEVER = [
    "",
    "   ",
    "user@host:~$ ",
    "user@host:~$ echo what?",
    "root@host:/# ls?",
    "(venv) ada@host ~/x $ what?",
    "$ ",
    "% ",
    "50%",
    "<html>",
    "C:\\>",
    "C:",
    ">>> if x:",
    ">>> ",
    "... else:",
    "In [1]: ",
    "❯\u00a0how are you?",
    "> why?",
    "12:30:",
    "./src:",
    "https://example.org/?",
    "Working...",
    "(Pdb) ",
    "mysql> select ?",
]


@pytest.mark.parametrize("line", CONFIRMATIONS)
def test_a_line_that_wants_yes_or_no_is_a_confirmation(line: str) -> None:
    assert question(asking(line)) == line.strip()
    assert confirmation(asking(line))


@pytest.mark.parametrize("line", OTHERS)
def test_a_line_that_waits_for_something_is_a_question(line: str) -> None:
    assert question(asking(line)) == line.strip()
    assert not confirmation(asking(line))


@pytest.mark.parametrize("line", NEVER)
def test_prompts_output_and_typed_text_are_no_questions(line: str) -> None:
    assert question(asking(line)) is None
    assert not confirmation(asking(line))


def test_a_typed_yes_does_not_hide_the_question() -> None:
    assert question(asking("Continue? [y/N] yes")) == "Continue? [y/N]"


def test_a_question_above_the_cursor_was_answered_before() -> None:
    assert question(shown("Continue? [y/N] y\n█")) is None


def test_what_stands_right_of_the_cursor_was_not_asked() -> None:
    assert question(shown("ab█c? ")) is None


def test_a_question_in_a_box_is_read_without_its_border() -> None:
    assert question(shown("│ Name: █        │")) == "Name:"


@given(st.text(max_size=60), st.integers(0, 70))
def test_no_line_crashes_it(line: str, x: int) -> None:
    seen = Screen.of(Snapshot("%1", (line,), 70, 1, x, 0))
    assert question(seen) is not None or not confirmation(seen)
