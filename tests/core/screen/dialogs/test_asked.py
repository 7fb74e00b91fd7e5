"""Dialogs without a list: a letter on a line, a page with keys, a field for words; and what kind a dialog is."""

from dataclasses import replace

from paneward.core.agent.utterance import same_question
from paneward.core.profiles import BUILT_IN, GENERIC
from paneward.core.result import Menu
from paneward.core.screen.dialogs.asked import read_asked
from paneward.testing import scene
from tests.core.screen.agents import DIALOGS, Capture, each_of

AIDER, OPENCODE, GEMINI, CLAUDE = (BUILT_IN[name] for name in ("aider", "opencode", "gemini", "claude"))
RULE = "─" * 60
PERMISSIONS = [one for one in DIALOGS if one.kind == "permission"]
MATTER = ("until [ -e go ]; do sleep 0.1; done; rm go", "foo.txt")


def asked(text: str, agent: str) -> Menu:
    found = read_asked(scene(text).snapshot, BUILT_IN[agent])
    assert found is not None
    return found


@each_of(DIALOGS)
def test_every_captured_dialog_tells_its_kind_and_whether_it_stands_at_the_start(capture: Capture) -> None:
    found = read_asked(capture.snapshot, capture.profile)
    assert found is not None
    startup = capture.kind not in ("permission", "question", "plan", "review")
    assert (found.kind, found.startup, found.question) == (capture.kind, startup, capture.truth["question"])


@each_of([one for one in DIALOGS if one.case.startswith("permission")])
def test_every_permission_can_be_refused_with_a_reason(capture: Capture) -> None:
    found = read_asked(capture.snapshot, capture.profile)
    assert found is not None
    assert found.free_text is not None
    assert found.options[found.free_text].label.startswith(("No", "Reject"))


@each_of(PERMISSIONS)
def test_every_permission_says_for_what_it_asks(capture: Capture) -> None:
    found = read_asked(capture.snapshot, capture.profile)
    assert found is not None
    assert "".join(MATTER[capture.agent == "aider"].split()) in "".join(found.about.split())
    assert found.question not in found.about
    assert not set("│─╌") & set(found.about)


@each_of(PERMISSIONS)
def test_a_permission_for_something_else_is_another_dialog(capture: Capture) -> None:
    seen = capture.snapshot
    other = replace(seen, rows=tuple(row.replace("0.1", "0.2").replace("foo.", "fox.") for row in seen.rows))
    first, second = (read_asked(one, capture.profile) for one in (seen, other))
    assert first is not None
    assert second is not None
    assert first.fingerprint != second.fingerprint
    assert not same_question(first, second)


def test_a_question_of_a_known_agent_is_about_nothing_else() -> None:
    questions = [one for one in DIALOGS if one.kind == "question"]
    assert questions
    assert {read_asked(one.snapshot, one.profile).about for one in questions} == {""}  # type: ignore[union-attr]


def test_what_stands_around_a_question_that_shares_its_row_is_kept() -> None:
    rows = [RULE, "Accessing:", "", "  /home/work", "", "Do you want to proceed? (Like", "so.)", "❯ 1. Yes", "  2. No"]
    assert asked("\n".join([*rows, "Esc to cancel"]), "claude").about == "Accessing:\n  /home/work\n(Like\nso.)"


def test_a_dialog_that_is_taller_than_the_screen_is_about_all_that_is_seen_of_it() -> None:
    rows = [*(f"+ line {number}" for number in range(15)), "╌" * 60, "Do you want to proceed?", "❯ 1. Yes", "  2. No"]
    about = asked("\n".join([*rows, "Esc to cancel"]), "claude").about.splitlines()
    assert (about[0], about[-1]) == ("+ line 0", "+ line 14")


def test_a_question_on_a_line_has_a_letter_for_each_answer() -> None:
    found = asked("bar.txt\nAdd file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: ‸", "aider")
    labels = ["Yes", "No", "All", "Skip all", "Don't ask again"]
    assert [(option.label, option.key) for option in found.options] == list(zip(labels, "ynasd", strict=True))
    assert (found.line, found.selected, found.free_text, found.kind) == (True, 0, 1, "permission")


def test_the_same_question_of_another_file_is_another_dialog() -> None:
    line = "Add file to the chat? (Y)es/(N)o [Yes]: ‸"
    assert asked(f"bar.txt\n{line}", "aider").fingerprint != asked(f"foo.txt\n{line}", "aider").fingerprint


def test_a_question_without_letters_is_no_menu_nor_is_one_of_an_unknown_program() -> None:
    assert read_asked(scene("Your name: ‸").snapshot, AIDER) is None
    assert read_asked(scene("Really? (Y)es/(N)o [Yes]: ‸").snapshot, GENERIC) is None


def test_a_page_that_enter_takes_has_its_keys_as_options() -> None:
    rows = ["  ┃   Colour   Confirm", "  ┃", "  ┃  Review", "  ┃", "  ┃  Colour: Red", "  ┃"]
    found = asked("\n".join([*rows, "  ┃  ⇆ tab  enter submit  esc dismiss"]), "opencode")
    assert (found.kind, found.keys) == ("review", True)
    assert [(option.label, option.key) for option in found.options] == [("Submit", "Enter"), ("Dismiss", "Escape")]


def test_a_field_that_wants_words_has_no_options() -> None:
    rows = ["Answer Questions", "", "What is your name?", "", "> a name", "", "Enter to submit · Esc to cancel"]
    boxed = [f"│ {row:<56} │" for row in rows]
    found = asked("\n".join([f"╭{RULE[:58]}╮", *boxed, f"╰{RULE[:58]}╯"]), "gemini")
    assert (found.question, found.options, found.field, found.kind) == ("What is your name?", (), True, "question")


def test_the_row_that_hands_in_what_is_ticked_is_told_from_the_options() -> None:
    def boxes(at: int) -> str:
        rows = ["1. [✔] Red", "2. [ ] Green", "3. [ ] Type something", "   Submit"]
        marked = [f"{'❯' if at == index else ' '} {row}" for index, row in enumerate(rows)]
        return "\n".join(
            [RULE, "←  ☐ Colour  ✔ Submit  →", "", "Which colour?", "", *marked, RULE, "  4. Chat about this"]
        )

    first, last = asked(boxes(0), "claude"), asked(boxes(3), "claude")
    assert (first.selected, first.done, last.selected, last.done) == (0, False, None, True)
    assert [option.label for option in last.options] == ["Red", "Green", "Type something", "Chat about this"]
    assert first.fingerprint == last.fingerprint


def test_a_filled_mark_before_a_box_is_a_mark_and_no_tick() -> None:
    rows = ["Which fruits?", "", "● 1. [ ] Apple", "  2. [x] Pear", "", "Enter to select"]
    found = asked("\n".join(rows), "gemini")
    assert (found.selected, [option.checked for option in found.options]) == (0, [False, True])


def test_what_was_asked_before_does_not_make_a_question_a_permission() -> None:
    old = ["Do you want to proceed?", "yes", RULE, "Which colour?", "", "❯ 1. Red", "  2. Green", "", "Enter to select"]
    assert asked("\n".join(old), "claude").kind == "question"


def test_a_list_that_scrolls_is_the_same_dialog_wherever_it_stands() -> None:
    def window(first: int) -> str:
        rows = [f"{'●' if number == first else ' '} {number}. Option {number}" for number in range(first, first + 3)]
        return "\n".join(["Which one?", "", "▲", *rows, "▼", "", "Enter to select"])

    assert asked(window(1), "gemini").hidden
    assert asked(window(1), "gemini").fingerprint == asked(window(2), "gemini").fingerprint
