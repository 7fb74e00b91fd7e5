"""The judge: does the composer hold our text, and has it let go of it?"""

from dataclasses import replace

import pytest

from paneward.core.delivery.proof import REAPED, STANDS, WORKING, Judge, ProofOutcome
from paneward.core.profiles import AIDER, DEMO, GENERIC, Profile
from paneward.core.profiles import SHELL as SHELL_PROFILE
from paneward.core.terminal.scene import ProcessFacts, Scene
from paneward.testing import LINES, READING, SHELL, scene
from paneward.testing import WORKING as AT_WORK

RULE = "─" * 40
SECRET = replace(LINES, echo=False)


def box(text: str, below: str = "") -> Scene:
    return scene(f"hello\n{RULE}\n❯\u00a0{text}‸\n{RULE}\n{below}")


def judge(before: Scene, settled: Scene, text: str = "fix it", profile: Profile = GENERIC) -> Judge:
    one = Judge(text, profile)
    one.begin(before)
    one.settled(settled)
    return one


def after(
    seen: Scene, since: float = 0.0, before: Scene | None = None, settled: Scene | None = None, **how: object
) -> ProofOutcome:
    one = judge(before or scene("> ‸"), settled or scene("> fix it‸"), **how)  # type: ignore[arg-type]
    return one.after_submit(seen, since)[0]


def framed(seen: Scene) -> tuple[ProofOutcome, str]:
    return judge(box(""), box("fix it"), profile=DEMO).after_submit(seen, 0.0)


# --- what stands in the composer


def test_a_text_that_was_drawn_as_dots_is_gone_only_with_their_line() -> None:
    one = judge(scene("Sure? ‸"), scene("Sure? ***‸"), "yes")
    assert [one.after_submit(scene(f"Sure? ***{more}‸"), 0.0)[0] for more in ("", "~", "~")] == [
        ProofOutcome.UNCLEAR
    ] * 3
    assert [one.after_submit(scene("Sure? ***\ndone‸"), 0.0)[0] for _ in range(2)][-1] is ProofOutcome.LET_GO


def test_other_text_in_a_composer_proves_nothing_while_it_is_drawn() -> None:
    one = judge(box(""), box("fix it"), profile=DEMO)
    drawing = replace(box("fix"), quiet=0.01)
    assert [one.after_submit(drawing, 0.0)[0] for _ in range(3)] == [ProofOutcome.UNCLEAR] * 3
    assert [one.after_submit(replace(drawing, quiet=STANDS), 0.0)[0] for _ in range(2)][-1] is ProofOutcome.LET_GO


def test_an_agent_that_still_loads_must_show_what_it_took() -> None:
    """It draws its composer anew, and empty: that is no proof."""
    loads, young = replace(DEMO, started="Welcome"), replace(READING, young=True)

    def seen(above: str) -> Scene:
        return scene(f"{above}\n{RULE}\n❯\u00a0‸\n{RULE}\n", young)

    assert judge(box(""), box("fix it"), profile=loads).after_submit(seen("Welcome"), 0.0)[0] is ProofOutcome.UNCLEAR
    assert (
        judge(box(""), box("fix it"), profile=loads).after_submit(seen("Welcome\n❯ fix it"), 0.0)[0]
        is ProofOutcome.LET_GO
    )
    assert judge(box(""), box("fix it"), profile=loads).after_submit(box(""), 0.0)[0] is ProofOutcome.LET_GO, (
        "not young"
    )


def test_of_a_long_text_that_a_loading_agent_took_the_end_is_enough() -> None:
    """In a low pane its beginning has scrolled away by then."""
    loads, young = replace(DEMO, started="Welcome"), replace(READING, young=True)
    text = "\n".join(f"{number}. a line of its own" for number in range(1, 41))

    def seen(lines: list[str]) -> ProofOutcome:
        shown = scene("\n".join((*lines, RULE, "❯\u00a0‸", RULE, "")), young)
        return judge(box(""), box("[Pasted text #1]"), text, loads).after_submit(shown, 0.0)[0]

    assert seen([f"   {line}" for line in text.split("\n")[-12:]]) is ProofOutcome.LET_GO
    assert seen([f"   {line}" for line in text.split("\n")[20:32]]) is ProofOutcome.UNCLEAR


def test_a_placeholder_with_an_empty_line_below_it_is_held() -> None:
    """Enter that was taken for a part of the paste: the text was not submitted."""
    pasting = replace(DEMO, placeholders=(r"\[Pasted Text: \d+ chars\]",))
    seen = scene(f"hello\n{RULE}\n❯\u00a0[Pasted Text: 2000 chars]\n  ‸\n{RULE}\n")
    one = judge(box(""), box("[Pasted Text: 2000 chars]"), "x" * 2000, pasting)
    assert one.after_submit(seen, 0.0)[0] is ProofOutcome.HOLDS


def test_a_text_is_held_when_it_ends_at_the_cursor() -> None:
    one = judge(scene("> ‸"), scene("> ‸"))
    assert one.read(scene("> fix it‸")).holds
    assert not one.read(scene("> fix‸")).holds
    assert not one.read(scene("> ‸")).changed


def test_a_text_that_stood_there_before_is_not_ours() -> None:
    one = judge(scene("> fix it‸"), scene("> ‸"))
    assert not one.read(scene("> fix it‸")).holds


@pytest.mark.parametrize("drawn", ["> oh fix it‸", "> fix it oh‸"])
def test_text_that_is_not_ours_is_told(drawn: str) -> None:
    assert judge(scene("> ‸"), scene("> ‸")).read(scene(drawn)).foreign


@pytest.mark.parametrize("drawn", ["> fix it‸", "> fix‸", "other fix it‸", "x\n> fix it oh‸", "> [Pasted text #1]‸"])
def test_text_that_may_be_ours_alone_is_not_foreign(drawn: str) -> None:
    assert not judge(scene("> ‸"), scene("> ‸")).read(scene(drawn)).foreign


def test_without_a_composer_to_be_read_nothing_is_held() -> None:
    one = judge(box(""), box(""), profile=DEMO)
    assert one.read(scene("no box‸")).changed
    assert not one.read(scene("no box‸")).holds
    assert not judge(scene("no box‸"), box(""), profile=DEMO).read(scene("no box‸")).changed


def test_blanks_are_followed_by_the_cursor_alone() -> None:
    one = Judge("  ", GENERIC)
    one.begin(scene("> ‸"))
    assert one.read(scene(">   ‸")).holds
    one.settled(scene(">   ‸"))
    assert one.after_submit(scene(">   ‸"), 0.0)[0] is ProofOutcome.HOLDS
    assert Judge("  ", GENERIC).read(scene("> ‸")).holds


def test_ghost_text_and_the_text_itself_are_read() -> None:
    reading = judge(scene("> ‸"), scene("> ‸")).read(scene("> fix it‸\x1b[2m and test\x1b[0m"))
    assert (reading.text, reading.ghost) == ("fix it", "and test")


# --- what became of it


def test_two_looks_must_agree_that_the_prompt_is_back() -> None:
    one = judge(scene("> ‸"), scene("> fix it‸"))
    assert one.after_submit(scene("> ‸"), 0.0)[0] is ProofOutcome.LIKELY
    assert one.after_submit(scene("> fix it‸"), 0.1)[0] is ProofOutcome.HOLDS
    assert one.after_submit(scene("> ‸"), 0.2)[0] is ProofOutcome.LIKELY
    assert one.after_submit(scene("> ‸"), 0.3)[0] is ProofOutcome.LET_GO


def test_a_text_that_stands_there_is_held() -> None:
    assert after(scene("> fix it‸")) is ProofOutcome.HOLDS


def test_a_text_that_left_the_line_was_probably_taken() -> None:
    assert after(scene("something else‸")) is ProofOutcome.LIKELY
    assert after(scene("Which?\n❯ 1. Yes\n  2. No\n\nchoose‸")) is ProofOutcome.LIKELY


@pytest.mark.parametrize(
    ("settled", "seen", "width"),
    [
        ("> fix it‸", "> fix it and test‸", 80),
        ("> one\n  fix it‸", "> one\n  fix it and\n  test‸", 80),
        ("> one two three\n  and fix it now‸", "> one two three\n  and fix it now\n  and test‸", 18),
    ],
)
def test_a_text_that_grew_was_not_taken(settled: str, seen: str, width: int) -> None:
    """Enter accepted a suggestion: to press it again would submit that too."""
    text = " ".join(settled.replace("‸", "").replace("> ", "").split())
    before = scene("> ‸", width=width)
    grown = after(scene(seen, width=width), before=before, settled=scene(settled, width=width), text=text)
    assert grown is ProofOutcome.GREW


def test_what_somebody_typed_in_front_of_it_makes_it_grow_too() -> None:
    assert after(scene("> oh fix it‸")) is ProofOutcome.GREW


def test_a_text_that_was_never_seen_cannot_have_grown() -> None:
    silent, shell = scene("Name: ‸", SECRET), scene("Name: $ ‸", SHELL)
    assert after(shell, before=silent, settled=silent) is ProofOutcome.LET_GO
    blank = scene(">   ‸")
    assert after(scene(">   and‸"), settled=blank, text="  ") is ProofOutcome.LIKELY
    one = Judge("fix it", GENERIC)
    assert one.after_submit(scene("> fix it and‸"), 0.0)[0] is ProofOutcome.LIKELY


def test_a_new_line_under_the_text_is_proof_only_when_the_program_works_or_the_margin_is_reached() -> None:
    under, margin = scene("> fix it\n  ‸"), scene("> fix it\n‸")
    assert after(under, WORKING) is ProofOutcome.UNCLEAR
    assert after(margin, WORKING / 2) is ProofOutcome.UNCLEAR
    assert after(margin, WORKING) is ProofOutcome.LET_GO
    assert after(replace(under, process=AT_WORK), WORKING) is ProofOutcome.LET_GO
    assert after(replace(under, process=None), WORKING) is ProofOutcome.UNCLEAR


# --- by the process


def test_a_terminal_that_collects_lines_hands_one_over() -> None:
    empty, typed = scene("‸", LINES), scene("fix it‸", LINES)
    lines = {"before": empty, "settled": typed}
    assert after(scene("fix it\n‸", LINES), **lines) is ProofOutcome.LET_GO  # type: ignore[arg-type]
    assert after(typed, **lines) is ProofOutcome.HOLDS  # type: ignore[arg-type]
    assert after(scene("fix it\n‸", replace(LINES, unread=3)), **lines) is not ProofOutcome.LET_GO  # type: ignore[arg-type]


def test_a_hidden_line_is_taken_when_it_is_no_longer_unread() -> None:
    asking = scene("Password: ‸", SECRET)
    one = judge(asking, asking)
    assert one.after_submit(asking, 0.0)[0] is not ProofOutcome.LET_GO
    assert one.after_submit(asking, 0.1)[0] is ProofOutcome.LET_GO


@pytest.mark.parametrize(
    ("now", "since", "outcome"),
    [
        (replace(SHELL, pid=99, shell=False, canonical=True), 0.0, ProofOutcome.LET_GO),
        (replace(SHELL, canonical=True), 0.0, ProofOutcome.LET_GO),
        (SHELL, 0.0, ProofOutcome.HOLDS),
        (None, 0.0, ProofOutcome.HOLDS),
    ],
)
def test_a_shell_that_gives_up_the_terminal_has_taken_the_command(
    now: ProcessFacts | None, since: float, outcome: ProofOutcome
) -> None:
    before, typed = scene("$ ‸", SHELL), scene("$ fix it‸", SHELL)
    seen = replace(typed, process=now)
    assert after(seen, since, before=before, settled=typed, profile=SHELL_PROFILE) is outcome


def test_a_program_that_gives_up_the_terminal_gets_the_time_to_be_gone() -> None:
    seen = scene("> fix it‸", replace(READING, canonical=True))
    assert after(seen, 0.0) is ProofOutcome.HOLDS
    assert after(seen, WORKING) is ProofOutcome.LET_GO


def test_a_shell_in_place_of_a_program_means_that_it_ended() -> None:
    assert after(scene("$ ‸", replace(SHELL, pid=99))) is ProofOutcome.ENDED
    line = {"before": scene("‸", LINES), "settled": scene("fix it‸", LINES)}
    assert after(scene("fix it\n$ ‸", replace(SHELL, pid=99)), **line) is ProofOutcome.LET_GO  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["", "0", "3", "signal 1"])
def test_a_line_reader_that_ended_by_itself_took_its_line(status: str) -> None:
    dead = scene("fix it\n‸", None, dead=True, dead_status=status)
    line = {"before": scene("‸", LINES), "settled": scene("fix it‸", LINES)}
    assert after(dead, REAPED, **line) is ProofOutcome.LET_GO


@pytest.mark.parametrize(
    "seen",
    [
        scene("> ‸", None, dead=True, dead_status="0"),
        scene("> ‸", None, dead=True, dead_status="signal 9"),
        scene("> ‸", None, gone=True),
    ],
)
def test_a_program_that_died_may_have_taken_it_or_not(seen: Scene) -> None:
    assert after(seen) is ProofOutcome.ENDED
    if "signal 9" in seen.snapshot.dead_status or seen.gone:
        line = {"before": scene("‸", LINES), "settled": scene("fix it‸", LINES)}
        assert after(seen, **line) is ProofOutcome.ENDED  # type: ignore[arg-type]


def test_how_a_program_ended_is_waited_for_a_moment() -> None:
    dead = scene("> ‸", None, dead=True)
    assert after(dead, 0.0) is ProofOutcome.UNCLEAR
    assert after(dead, REAPED) is ProofOutcome.ENDED


def test_a_text_that_asks_the_program_to_end_was_taken_when_it_did() -> None:
    before, typed = scene("$ ‸", SHELL), scene("$ exit‸", SHELL)
    dead = scene("$ exit‸", None, dead=True, dead_status="0")
    assert after(dead, before=before, settled=typed, text="exit", profile=SHELL_PROFILE) is ProofOutcome.LET_GO


def test_where_no_process_was_seen_before_only_the_screen_decides() -> None:
    before = scene("> ‸", None)
    assert after(scene("$ ‸", SHELL), before=before) is ProofOutcome.LIKELY


# --- in a frame


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        (box(""), ProofOutcome.LET_GO),
        (box("fix it"), ProofOutcome.HOLDS),
        (scene(f"hello\n{RULE}\n❯\u00a0‸fix it\n{RULE}\n"), ProofOutcome.HOLDS),
        (box("fix it and test"), ProofOutcome.GREW),
        (box("oh fix it"), ProofOutcome.GREW),
        (box("another draft"), ProofOutcome.LET_GO),
        (scene("Which?\n❯ 1. Yes\n  2. No\n\n‸"), ProofOutcome.LET_GO),
        (scene("✻ Working (esc to interrupt)‸"), ProofOutcome.LET_GO),
        (scene("Which?\n❯ 1. Yes\n  2. No\n\n‸", AT_WORK), ProofOutcome.LIKELY),
        (scene("✻ Working (esc to interrupt)‸", replace(READING, unread=1)), ProofOutcome.LIKELY),
        (scene("✻ Working (esc to interrupt)‸", None), ProofOutcome.LIKELY),
        (scene("???‸"), ProofOutcome.UNCLEAR),
    ],
)
def test_a_frame_tells_what_became_of_the_text(seen: Scene, outcome: ProofOutcome) -> None:
    assert framed(seen)[0] is outcome


def test_a_terminal_that_an_agent_gave_back_to_work_tells_that_it_took_the_text() -> None:
    """With NO_COLOR aider shows nothing at all of its work."""
    asks, gave_back = READING, replace(READING, canonical=True, reading=False)
    judged = judge(scene("> ‸", asks), scene("> fix it‸", asks), profile=AIDER)
    assert judged.after_submit(scene("> fix it\n\n‸", asks), 0.0)[0] is ProofOutcome.UNCLEAR
    seen = scene("> fix it\n\n‸", gave_back)
    assert judged.after_submit(seen, 0.0) == (ProofOutcome.LIKELY, "'terminal canonical' appeared")
    assert judged.after_submit(seen, 0.0)[0] is ProofOutcome.LET_GO


def test_a_dialog_right_after_submit_has_its_own_words() -> None:
    assert "dialog" in framed(scene("Which?\n❯ 1. Yes\n  2. No\n\n‸"))[1]
    assert "esc to interrupt" in framed(scene("✻ Working (esc to interrupt)‸"))[1]


FLUSHING = ProcessFacts(command="make", pid=9, reading=None, canonical=True, echo=True, unread=0, taken=100)


@pytest.mark.parametrize(
    ("now", "since", "outcome"),
    [
        (replace(FLUSHING, taken=107), 0.0, ProofOutcome.LET_GO),
        (replace(FLUSHING, taken=100), 0.1, ProofOutcome.UNCLEAR),  # a read that has just returned is counted later
        (replace(FLUSHING, taken=100, reading=False), 1.0, ProofOutcome.UNCLEAR),
        (replace(FLUSHING, taken=100), 1.0, ProofOutcome.THROWN),
        (replace(FLUSHING, taken=103, reading=True), 1.0, ProofOutcome.THROWN),
        (replace(FLUSHING, taken=20), 1.0, ProofOutcome.LET_GO),  # who read has ended: nothing can be told
        (replace(FLUSHING, taken=None), 1.0, ProofOutcome.LET_GO),
        (replace(FLUSHING, taken=100, unread=7), 1.0, ProofOutcome.UNCLEAR),
    ],
)
def test_a_line_that_nobody_has_read_was_not_taken(now: ProcessFacts, since: float, outcome: ProofOutcome) -> None:
    one = judge(scene("linking > ‸", FLUSHING), scene("linking > fix it‸", FLUSHING))
    assert one.after_submit(scene("linking > fix it\nnext > ‸", now), since)[0] is outcome
