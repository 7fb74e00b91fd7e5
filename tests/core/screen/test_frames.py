"""Where the input of an agent stands: each kind of frame, and what only looks like one."""

import pytest

from paneward.core.profiles import AIDER, CLAUDE, CODEX, GEMINI, GENERIC, OPENCODE, Profile
from paneward.core.screen.composer import Composer, read_composer
from paneward.core.screen.frames import region
from tests.core.screen.drawing import shown

RULE = "─" * 40
BOLD, DIM_BOLD, PLAIN = "\x1b[1m", "\x1b[1;2m", "\x1b[0m"
BLUE, ORANGE, END = "\x1b[38;5;75m", "\x1b[38;5;215m", "\x1b[39m"
TOP, BOTTOM = "▄" * 40, "▀" * 40


def composer(picture: str, profile: Profile, **how: int) -> Composer | None:
    return read_composer(shown(picture, 40, how.get("height", 12)), profile)


def text(picture: str, profile: Profile) -> str | None:
    found = composer(picture, profile)
    return found.text if found else None


def test_a_program_without_a_frame_has_no_region() -> None:
    assert region(shown("$ ls█"), GENERIC) is None


# --- rules


def test_a_draft_between_rules_may_hold_rules_of_its_own() -> None:
    dashes = f"said\n{RULE}\n❯\u00a0first\n  ------------\n  ────────────\n  last█\n{RULE}\n  hint"
    assert text(dashes, CLAUDE) == "first\n------------\n────────────\nlast"


def test_an_ordinary_blank_behind_the_glyph_is_a_menu_or_a_transcript() -> None:
    assert text(f"{RULE}\n❯ 1. Yes█\n  2. No\n{RULE}", CLAUDE) is None


@pytest.mark.parametrize("picture", ["❯\u00a0x█", f"{RULE}\n❯\u00a0x█", f"❯\u00a0x█\n{RULE}", f"{RULE}\nx█\n{RULE}"])
def test_half_a_frame_is_none(picture: str) -> None:
    assert text(picture, CLAUDE) is None


def test_a_band_is_a_frame_too_and_that_of_the_transcript_is_not_the_composer() -> None:
    sent = f"{TOP}\n > sent\n{BOTTOM}\n✦ an answer"
    assert text(f"{sent}\n{TOP}\n > not yet█\n{BOTTOM}\n footer", GEMINI) == "not yet"
    assert text(f"{sent}\n █", GEMINI) is None


def test_plain_rules_are_a_frame_where_half_blocks_need_colours() -> None:
    picture = f"{RULE}\n accept edits\n{RULE}\n > not yet█\n{RULE}\n footer"
    assert text(picture, GEMINI) == "not yet"


GROUND, OFF = "\x1b[48;5;240m", "\x1b[49m"


def ground(*rows: str) -> str:
    """As tmux prints it: the blanks of the first and last row are cut, the colour before them is not."""
    return f"{GROUND}\n" + "\n".join(rows) + f"\n\n{OFF} footer"


def test_without_rules_a_ground_of_its_own_is_the_frame() -> None:
    found = composer(f"said\n{RULE}\n hint\n{ground(' > first', '', '   > third█')}", GEMINI)
    assert found
    assert found.text == "first\n\n> third"
    assert found.region
    assert (found.region.top, found.region.bottom, found.region.left) == (4, 7, 3)


def test_a_message_on_a_ground_is_not_the_composer() -> None:
    sent = ground(" > sent").replace(" footer", "✦ an answer")
    assert text(f"{sent}\n{ground(' > not yet█')}", GEMINI) == "not yet"
    assert text(f"{sent}\n █", GEMINI) is None
    assert text(ground(" > a█").replace(f"{OFF} footer", ""), GEMINI) is None  # nothing stands below it
    assert text(f"{GROUND} > a█\n{OFF} footer", GEMINI) is None  # no blank row below the text
    assert text(ground(" x█"), GEMINI) is None
    assert text(f"{GROUND}\n > sent\n{OFF}between\n{GROUND}   draft█\n\n{OFF} footer", GEMINI) is None
    assert text(ground("❯\u00a0x█"), CLAUDE) is None  # whose frame is never a ground


def test_what_an_empty_composer_shows_is_known_by_its_words_where_no_style_tells() -> None:
    hint = "Type your message or @path/to/file"
    empty = composer(f"{RULE}\n > █ {hint}\n{RULE}\n footer", GEMINI)
    assert empty
    assert (empty.text, empty.ghost) == ("", hint)
    for typed in (f"{hint}█", f"█ {hint}, please", f"a █ {hint}"):
        found = composer(f"{RULE}\n > {typed}\n{RULE}\n footer", GEMINI)
        assert found
        assert (bool(found.text), found.ghost) == (True, "")
    queued = composer(f"{RULE}\n❯\u00a0█Press up to edit queued messages\n{RULE}", CLAUDE)
    assert queued
    assert queued.text == ""


# --- a bar


def bar(*rows: str, colour: str = BLUE, corner: str = "╹" + "▀" * 30) -> str:
    inside = "\n".join(f"  {colour}┃{END}  {row}" for row in rows)
    return f"{inside}\n  {colour}{corner}{END}\n  hints"


def test_a_bar_holds_the_text_above_its_last_row() -> None:
    found = composer(bar("", "first", "second█", "", "Build · Model"), OPENCODE)
    assert found
    assert (found.text, found.rows) == ("first\nsecond", ("first", "second"))


def test_a_bar_of_another_colour_above_belongs_to_something_else() -> None:
    above = f"  {ORANGE}┃{END}  /agents\n  {ORANGE}┃{END}  /models\n"
    assert text(above + bar("", "/█", "", "Build"), OPENCODE) == "/"


def test_what_stands_beside_the_box_is_not_in_it() -> None:
    picture = bar("", "draft█".ljust(34) + "panel", "", "Build", corner="╹" + "▀" * 30)
    assert text(picture, OPENCODE) == "draft"


@pytest.mark.parametrize(
    "picture",
    [
        bar("", "a message█", "", "x", corner=" "),
        bar("", "short█"),
        "no bar█",
        bar("", "hidden", "", "Build"),
    ],
)
def test_a_bar_that_is_not_closed_or_has_no_cursor_is_no_composer(picture: str) -> None:
    assert text(picture, OPENCODE) is None


def test_a_placeholder_under_the_cursor_is_no_suggestion() -> None:
    """OpenCode draws it in a dark grey that is bold on orange; nobody suggested it."""
    pasted = "█\x1b[1m\x1b[38;5;232m\x1b[48;5;215m[Pasted ~5 lines]\x1b[0m"
    found = composer(bar("", pasted, "", "Build"), OPENCODE)
    assert found
    assert (found.text, found.ghost) == ("[Pasted ~5 lines]", "")


# --- a glyph without a frame


def glyph(*rows: str, style: str = BOLD, footer: str = "  model · ~/work\n  ? for shortcuts") -> str:
    return f"• said\n\n{style}›{PLAIN} " + "\n".join(rows) + f"\n\n{footer}"


def test_rows_under_a_bold_glyph_are_the_draft_down_to_the_blank_row_above_the_footer() -> None:
    assert text(glyph("first", "", "  third█"), CODEX) == "first\n\nthird"
    assert text(glyph("fir█st", "  second"), CODEX) == "first\nsecond"


def test_a_draft_that_scrolled_says_so() -> None:
    found = composer(glyph("row 23".ljust(36) + "↑", "  row 24█"), CODEX)
    assert found
    assert found.region
    assert (found.text, found.region.cut) == ("row 23\nrow 24", True)


@pytest.mark.parametrize(
    "picture",
    [
        glyph("sent█", style=DIM_BOLD),  # the transcript
        glyph("1. Yes█", style="\x1b[1;7m"),  # a dialog
        glyph("1. Yes"),  # no cursor
        "• said\n\n  more█\n\n  footer",
        f"{BOLD}›{PLAIN} sent\n• an answer\n  that goes on█\n\n  footer",
        glyph("draft█", footer="\n".join("  row" for _ in range(7))),
        f"{BOLD}›{PLAIN} draft█",
    ],
)
def test_what_only_resembles_it_is_no_composer(picture: str) -> None:
    assert text(picture, CODEX) is None


# --- prompted lines


def test_every_row_that_begins_with_the_prompt_belongs_to_the_draft() -> None:
    found = composer("said\n────\n> one\n> two█\n> three\n  /add /ask", AIDER)
    assert found
    assert (found.text, found.rows) == ("one\ntwo\nthree", ("one", "two"))


def test_the_prompt_may_name_a_mode_and_a_draft_may_begin_above_the_screen() -> None:
    found = composer("ask> what█", AIDER)
    assert found
    assert found.region
    assert (found.text, found.region.cut) == ("what", True)


@pytest.mark.parametrize("picture", ["Create new file? (Y)es/(N)o [Yes]: █", "> sent", "text█", ">█"])
def test_other_lines_are_no_composer(picture: str) -> None:
    assert text(picture, AIDER) is None
