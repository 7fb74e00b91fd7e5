"""What is put before or behind a text so that a program takes it as text, and what the receipt says of it."""

import pytest

from paneward.core.delivery.guards import defuse
from paneward.core.profiles import AIDER, CLAUDE, CODEX, GEMINI, OPENCODE, Profile, at_version
from paneward.core.profiles.row import Guard

OLD, NEW = at_version(CLAUDE, "2.1.197"), at_version(CLAUDE, "2.1.325")
LONG = "x" * 900


@pytest.mark.parametrize(
    ("profile", "text", "typed"),
    [
        (OLD, "/help me", " /help me"),
        (NEW, "/help me", "/help me\n\n\n"),
        (CLAUDE, "/help me", " /help me\n\n\n"),  # a version that cannot be seen gets what both need
        (CLAUDE, f"/help {LONG}", f" /help {LONG}"),
        (NEW, f"/help {LONG}", f"/help {LONG}"),  # collapsed by itself
        (NEW, "/etc/hosts", "/etc/hosts"),
        (NEW, "!ls", " !ls"),
        (NEW, " exit\n", " exit\n\n\n\n"),
        (NEW, "exit the loop", "exit the loop"),
        (NEW, "a \\", "a \\ "),
        (NEW, "/a \\", "/a \\\n\n\n"),
        (CODEX, "/help me", " /help me"),
        (CODEX, "\n/help me", " \n/help me"),
        (CODEX, "!ls", "!ls" + " " * 1000),
        (CODEX, f"!ls {LONG}{LONG}", f"!ls {LONG}{LONG}"),
        (CODEX, "exit", "exit"),
        (OPENCODE, "/help me", " /help me"),
        (OPENCODE, "exit the loop", "exit the loop"),
        (GEMINI, "!ls", " !ls"),
        (GEMINI, "a\\", "a\\ "),
        (GEMINI, "// a comment", "// a comment"),
        (GEMINI, "/etc/hosts is a file", "/etc/hosts is a file"),
        (AIDER, "/help me", " /help me"),
        (AIDER, "{tag", " {tag"),
        (AIDER, "{ hello", "{ hello"),
    ],
)
def test_a_text_gets_what_its_program_needs_to_take_it_as_one(profile: Profile, text: str, typed: str) -> None:
    defused = defuse(text, profile.guards)
    assert (defused.text, defused.left) == (typed, None)
    assert bool(defused.notes) == (typed != text)


@pytest.mark.parametrize(
    ("profile", "text", "means"),
    [
        (GEMINI, "/help me", "command"),
        (GEMINI, " / help", "command"),
        (GEMINI, "/etc", "command"),
        (OPENCODE, "exit", "quit"),
        (OPENCODE, " quit\n", "quit"),
    ],
)
def test_where_nothing_helps_the_text_is_left_as_it_is(profile: Profile, text: str, means: str) -> None:
    defused = defuse(text, profile.guards)
    assert defused.left is not None
    assert (defused.text, defused.left.means) == (text, means)


def test_the_notes_say_what_was_added_and_whether_it_stays() -> None:
    cut, kept = Guard("^!", "shell", before=" ", exact=True), Guard("^x$", "quit", before=">", after="\n", times=3)
    assert defuse("!ls", [cut]).notes == (
        "put a blank before the text, which would be run in a shell; the program cuts that off again",
    )
    assert defuse("x", [kept]).notes == (
        "put a '>' before and 3 newlines behind the text, which would end the program; that is sent with it",
    )


def test_a_text_that_needs_two_guards_gets_both() -> None:
    assert defuse("!echo \\", NEW.guards).text == " !echo \\ "
    assert len(defuse("!echo \\", NEW.guards).notes) == 2
