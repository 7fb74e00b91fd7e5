import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paneward.core.profiles import OPENCODE
from paneward.core.result import Menu
from paneward.core.screen.dialogs.menu import read_menu
from paneward.core.terminal.scene import Snapshot
from tests.core.screen.drawing import drawn

HINTS = "\nEnter to select · ↑/↓ to navigate · Esc to cancel"


def read(picture: str, width: int = 80, height: int = 24, visible: bool = True) -> Menu | None:
    return read_menu(drawn(picture, width, height, visible))


def menu(picture: str, width: int = 80, height: int = 24, visible: bool = True) -> Menu:
    found = read(picture, width, height, visible)
    assert found is not None
    return found


def labels(found: Menu) -> list[str]:
    return [option.label for option in found.options]


PERMISSION = """
⏺ I will remove the build directory.

────────────────────────────────────────────────────────────
 Bash command

   rm -r build
   Remove the build directory

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for rm
   3. No, and tell it what to do differently (esc)

 Esc to cancel · Tab to amend
"""
COMMAND_BETWEEN = """
  Would you like to run the following command?

  $ touch notes.txt

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with `touch` (p)
  3. No, and tell it what to do differently (esc)

  Press enter to confirm or esc to cancel
"""
BOXED = """
╭──────────────────────────────────────────────────╮
│ ? Shell touch notes.txt                          │
│                                                  │
│ Allow execution of: 'touch'?                     │
│                                                  │
│ ● 1. Allow once                                  │
│   2. Allow for this session                      │
│   3. No, suggest changes (esc)                   │
│                                                  │
╰──────────────────────────────────────────────────╯

 ~/work            no sandbox          model-2.5
"""
SEVERAL = """
────────────────────────────────────────
 ☐ Features

Which features do you want?

❯ 1. [ ] Search
     Finds things
  2. [✔] Export
     Writes them down
  3. [ ] Type something
     Submit
────────────────────────────────────────
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel
"""


def test_a_permission_dialog_is_read_as_data() -> None:
    found = menu(PERMISSION)
    assert found.question == "Do you want to proceed?"
    assert labels(found) == ["Yes", "Yes, and don't ask again for rm", "No, and tell it what to do differently (esc)"]
    assert [(option.number, option.key, option.checked) for option in found.options] == [
        (1, "1", None),
        (2, "2", None),
        (3, "3", None),
    ]
    assert (found.selected, found.free_text, found.multi) == (0, 2, False)


def test_a_command_between_the_question_and_its_options_belongs_to_the_question() -> None:
    assert menu(COMMAND_BETWEEN).question == "Would you like to run the following command? $ touch notes.txt"


def test_a_menu_in_a_box_is_read_without_the_box_and_a_status_line_may_follow() -> None:
    found = menu(BOXED)
    assert found.question == "Allow execution of: 'touch'?"
    assert labels(found) == ["Allow once", "Allow for this session", "No, suggest changes (esc)"]
    assert (found.selected, found.multi) == (0, False)


def test_boxes_to_tick_make_a_multi_select_and_descriptions_are_no_labels() -> None:
    found = menu(SEVERAL)
    assert found.question == "Which features do you want?"
    assert labels(found) == ["Search", "Export", "Type something", "Chat about this"]
    assert [option.checked for option in found.options] == [False, True, False, None]
    assert found.multi
    assert found.free_text == 2


@pytest.mark.parametrize("mark", "❯›>▶→➤▸»")
@pytest.mark.parametrize("dot", [".", ")"])
def test_any_mark_and_either_way_of_numbering_is_understood(mark: str, dot: str) -> None:
    found = menu(f"Which?\n  1{dot} foo\n{mark} 2{dot} bar")
    assert labels(found) == ["foo", "bar"]
    assert found.selected == 1


def test_options_without_numbers_are_read_by_their_column() -> None:
    found = menu("? Pick a colour (Use arrow keys)\n❯ Red\n  Green\n    the colour of grass\n  Blue\n█")
    assert labels(found) == ["Red", "Green", "Blue"]
    assert [(option.number, option.key) for option in found.options] == [(1, ""), (2, ""), (3, "")]
    assert (found.question, found.selected) == ("? Pick a colour (Use arrow keys)", 0)


def test_a_question_in_the_column_of_the_options_is_not_one_of_them() -> None:
    assert labels(menu("  Do you trust it?\n  Yes\n❯ No")) == ["Yes", "No"]


def test_boxes_may_follow_the_mark_at_once() -> None:
    found = menu("? Pick colours\n❯◯ Red\n ◉ Green\n ◯ Blue\n(Press space to select)")
    assert [option.checked for option in found.options] == [False, True, False]
    assert (found.selected, found.multi) == (0, True)


def test_the_filled_round_one_is_the_highlighted_one() -> None:
    found = menu("◆  Pick a project type.\n│  ○ TypeScript\n│  ● JavaScript\n└")
    assert labels(found) == ["TypeScript", "JavaScript"]
    assert (found.selected, found.multi) == (1, False)
    assert [option.checked for option in found.options] == [None, None]


def test_a_reversed_row_is_the_highlighted_one() -> None:
    assert menu("Choose one:\n  Alpha\n  \x1b[7mBeta\x1b[0m\n  Gamma").selected == 1
    assert menu("Choose one:\n  1. Alpha\n  \x1b[44m2. Beta\x1b[0m").selected == 1


def test_a_highlight_on_a_coloured_ground_is_the_row_that_differs() -> None:
    rows = "\x1b[44mChoose one:\n  Alpha\n  \x1b[41mBeta\x1b[44m\n  Gamma\n  Delta\x1b[0m"
    assert menu(rows).selected == 1


def test_a_row_of_buttons_is_a_menu() -> None:
    found = menu("Delete the file?\n\n  [ Yes ]   \x1b[7m[ No ]\x1b[0m" + HINTS)
    assert (found.question, labels(found), found.selected) == ("Delete the file?", ["Yes", "No"], 1)
    assert menu("Delete?\n ❯ [ Yes ]   [ No ]   [ Later ]").selected == 0
    assert menu("Delete?\n <Yes>   \x1b[1m<No>\x1b[0m   <Later>").selected == 1


@pytest.mark.parametrize(
    "picture",
    [
        "Build:\n[ OK ] [ OK ]",
        "[ OK ]",
        "a [ Yes ] [ No ]",
        "Sure?\n\x1b[7m[ Yes ]\x1b[0m [ No ]\nmore output",
        "[y/N] [x]",
    ],
)
def test_brackets_in_output_are_no_buttons(picture: str) -> None:
    assert read(picture) is None


def test_a_wrapped_label_is_joined() -> None:
    picture = "Proceed?\n❯ 1. Yes\n  2. Yes, and never ask\n     again for rm\n  3. No" + HINTS
    assert labels(menu(picture, width=25)) == ["Yes", "Yes, and never ask again for rm", "No"]
    assert labels(menu(picture, width=80)) == ["Yes", "Yes, and never ask", "No"]


def test_a_description_below_a_full_row_is_no_part_of_the_label() -> None:
    picture = "Proceed?\n❯ 1. Yes\n  2. Yes, and never ask\n     \x1b[2mneither here\x1b[0m\n  3. No" + HINTS
    assert labels(menu(picture, width=25)) == ["Yes", "Yes, and never ask", "No"]


def test_a_label_that_the_terminal_cut_in_a_narrow_pane_is_joined() -> None:
    picture = "Run `rm -r build/a`?\n\n❯ 1. Yes\n  2. Yes, and don't as\nk again for rm\n  3. No\n\nEsc to cancel █"
    found = menu(picture, width=20)
    assert labels(found) == ["Yes", "Yes, and don't ask again for rm", "No"]


def test_a_question_that_the_terminal_cut_is_joined_and_what_precedes_it_left_out() -> None:
    found = menu("ok\nDo you want to run `\nrm -r build`?\n❯ 1. Yes\n  2. No", width=20)
    assert found.question == "Do you want to run `rm -r build`?"
    assert menu("you: hi\nWhich colour do you want?\n❯ 1. Red\n  2. Blue").question == "Which colour do you want?"


def test_a_paragraph_that_asks_nothing_is_taken_whole() -> None:
    assert menu("First line\nsecond line\n\n❯ 1. Red\n  2. Blue").question == "First line second line"


def test_a_menu_without_a_question_has_none() -> None:
    assert menu("❯ 1. Red\n  2. Blue" + HINTS).question == ""


def test_a_scrolled_menu_may_begin_and_end_anywhere() -> None:
    found = menu("Which?\n  ▲\n❯ 4. Four\n  5. Five\n  ▼" + HINTS)
    assert [option.number for option in found.options] == [4, 5]
    assert found.question == "Which?"
    assert read("Which?\n❯ 4. Four\n  5. Five" + HINTS) is None


def test_two_digit_numbers_stand_in_line_by_their_end_and_have_no_key() -> None:
    rows = [f"{'❯' if number == 1 else ' '} {number:>2}. Option {number}" for number in range(1, 12)]
    found = menu("Which?\n" + "\n".join(rows))
    assert [option.number for option in found.options] == list(range(1, 12))
    assert found.options[10].key == ""


def test_a_letter_shown_is_the_key_of_an_option_without_a_number() -> None:
    assert [option.key for option in menu("Go on?\n❯ Yes (y)\n  No (n)").options] == ["y", "n"]


@pytest.mark.parametrize(
    ("label", "free"),
    [
        ("Type something.", True),
        ("Other", True),
        ("Other…", True),
        ("Other (describe)", True),
        ("Something else", True),
        ("None of the above", True),
        ("No, and tell it what to do", True),
        ("No, suggest changes (esc)", True),
        ("No", False),
        ("Other people's code", False),
        ("Typewriter", False),
    ],
)
def test_an_option_for_free_text_is_told_by_its_label(label: str, free: bool) -> None:
    assert menu(f"Which?\n❯ 1. Red\n  2. {label}").free_text == (1 if free else None)


def test_the_fingerprint_stays_when_the_highlight_moves_or_a_bullet_blinks() -> None:
    moved = PERMISSION.replace("❯ 1", "  1").replace("  2. Yes", "❯ 2. Yes")
    assert menu(moved).selected == 1
    assert menu(moved).fingerprint == menu(PERMISSION).fingerprint
    assert menu(PERMISSION.replace(" Bash", "⏺Bash")).fingerprint == menu(PERMISSION).fingerprint


@pytest.mark.parametrize("change", [("rm -r build", "rm -r src"), ("proceed?", "go on?"), ("1. Yes", "1. Yes!")])
def test_the_fingerprint_changes_with_the_question_its_options_or_its_matter(change: tuple[str, str]) -> None:
    assert menu(PERMISSION.replace(*change)).fingerprint != menu(PERMISSION).fingerprint


def test_without_a_rule_above_the_fingerprint_rests_on_the_question() -> None:
    one, two = menu("earlier\n\nSure?\n❯ 1. Yes\n  2. No"), menu("other\n\nSure?\n❯ 1. Yes\n  2. No")
    assert one.fingerprint == two.fingerprint


RULE = "─" * 40


@pytest.mark.parametrize(
    "picture",
    [
        "Here is my plan:\n1. foo\n2. bar\n> █",
        "Here is my plan:\n1. foo\n2. bar\n",
        f"Plan:\n> 1. foo\n  2. bar\n\n{RULE}\n❯ █\n{RULE}\n  ? for shortcuts",
        "> 1. quoted\n> 2. quoted too",
        "? Pick a colour (Use arrow keys)\n❯ Red\n  Green\nada@host:~$ █",
        "  1  ls\n  2  cd ..\nada@host:~$ █",
        "Steps:\n- one\n- two\n",
        "❯ just a line█",
        "❯ 1. only one option" + HINTS,
        "Which?\n❯ 1. foo\n  2. bar\nChoice: █",
        "Which?\n❯ 1. foo\n  2. bar\nEnter your choice: █",
        BOXED + "\n❯ ",
        "Which?\n❯ 1. foo\n  2. bar\nand then it went on",
        "Which?\n❯ 1. foo\n❯ 2. bar",
        "a line\n> reply\n  goes on here",
        "total 3\n  \x1b[7mAlpha\x1b[0m\n  Beta",
        "Which?\n  Alpha\n  Beta\n  Gamma",
    ],
)
def test_lists_prompts_and_answered_menus_are_no_menus(picture: str) -> None:
    assert read(picture) is None


@pytest.mark.parametrize(
    "picture",
    [
        f"Sure?\n{RULE}\n❯ 1. do this\n  2. do that█\n{RULE}\n  ? for shortcuts",
        f"{RULE}\n❯ 1. do this\n  2. do that\n{RULE}\n  ? for shortcuts",
        f"{RULE}\n❯\u00a01. do this\n  2. do that\n{RULE}\n  ? for shortcuts",
        "How?\n\n› first line\n  second line█\n\n  enter sends",
        "How?\n\n› first line\n  second line\x1b[7m \x1b[0m\n\n  enter sends",
    ],
)
def test_a_draft_of_several_lines_is_no_menu(picture: str) -> None:
    assert read(picture) is None


def test_a_cursor_in_the_option_for_free_text_leaves_it_a_menu() -> None:
    assert menu("Which?\n  1. Red\n❯ 2. Type something█").selected == 1


def test_a_blank_screen_has_no_menu() -> None:
    assert read("") is None


ROW = st.lists(
    st.sampled_from(
        ["❯ ", "  ", "1. ", "2. ", "Yes", "●", "[ ] ", "[ Yes ]", "│", "─", "\x1b[7m", "\x1b[0m", "?", "漢", "\u0301"]
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(st.lists(ROW.map("".join), max_size=8), st.integers(1, 30), st.integers(0, 9), st.booleans())
def test_no_screen_crashes_it_and_a_menu_has_options_and_one_of_them_highlighted(
    rows: list[str], width: int, y: int, visible: bool
) -> None:
    found = read_menu(Snapshot("%1", tuple(rows), width, 8, 3, y, cursor_visible=visible))
    assert found is None or (len(found.options) > 1 and found.selected in range(len(found.options)))


def test_a_second_column_is_no_part_of_the_labels() -> None:
    found = menu("Which?\n\n› 1. Red    like fire\n  2. Green  like grass\n\nenter to submit", visible=False)
    assert labels(found) == ["Red", "Green"]


def test_a_label_with_a_gap_that_others_do_not_share_stays_whole() -> None:
    found = menu("Which?\n\n› 1. Red  or so\n  2. Green\n\nenter to submit", visible=False)
    assert labels(found) == ["Red  or so", "Green"]


def test_faint_rows_around_a_question_are_not_asked() -> None:
    picture = "\x1b[2mQuestion 1/1\x1b[0m\nWhich?\n\x1b[2m(all that apply)\x1b[0m\n\n❯ 1. Red\n  2. Green" + HINTS
    assert menu(picture, visible=False).question == "Which?"


def test_an_arrow_that_is_not_greyed_out_tells_of_options_that_are_not_shown() -> None:
    picture = "Which?\n\n\x1b[2m▲\x1b[0m\n❯ 1. Red\n  2. Green\n▼" + HINTS
    assert menu(picture, visible=False).hidden
    assert not menu(picture.replace("\n▼", "\n\x1b[2m▼\x1b[0m"), visible=False).hidden


BUTTONS = "△ Permission required\n\n \x1b[48;5;215m {} \x1b[49m  {}   {}    ⇆ select  enter confirm"


def test_buttons_without_brackets_are_read_for_programs_that_have_them() -> None:
    picture = drawn(BUTTONS.format("Allow once", "Allow always", "Reject"), visible=False)
    assert read_menu(picture) is None
    found = read_menu(picture, OPENCODE)
    assert found
    assert (labels(found), found.selected, found.across) == (["Allow once", "Allow always", "Reject"], 0, True)
    assert found.question == "Permission required"


def test_words_side_by_side_of_which_none_or_a_hint_is_marked_are_no_buttons() -> None:
    plain = BUTTONS.replace("\x1b[48;5;215m", "").replace("\x1b[49m", "")
    assert read_menu(drawn(plain.format("Allow", "Reject", "x"), visible=False), OPENCODE) is None
    hint = "Allow  Reject  \x1b[48;5;215menter\x1b[49m"
    assert read_menu(drawn(hint, visible=False), OPENCODE) is None


def test_brackets_are_buttons_side_by_side() -> None:
    found = menu("Sure?\n\n\x1b[7m[ Yes ]\x1b[0m [ No ]" + HINTS, visible=False)
    assert (labels(found), found.across) == (["Yes", "No"], True)
