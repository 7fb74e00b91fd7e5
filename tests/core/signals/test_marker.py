import pytest

from paneward.core.signals.marker import Grammar

GRAMMAR = Grammar()


def found(line: str, word: str = "paneward") -> list[tuple[str, str]]:
    return [(str(one.state), one.message) for one in Grammar(word).find(line) if not one.quoted]


@pytest.mark.parametrize("state", ["working", "needs_input", "needs_testing", "completed", "error", "idle"])
def test_every_state_makes_a_marker(state: str) -> None:
    assert found(f"--<[paneward:{state}:some words]>--") == [(state, "some words")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--<[paneward:error:a]b]>--", "a]b"),
        ("--<[paneward:error:list[0] = {x: [1]}]>--", "list[0] = {x: [1]}"),
        ("--<[paneward:error:a>--b]>--", "a>--b"),
        ("--<[paneward:error:12:30: too late]>--", "12:30: too late"),
        ("--<paneward:error:without brackets>--", "without brackets"),
        ("--<[schmux:error:the other word]>--", "the other word"),
        ("⏺ --<[paneward:error:behind a bullet]>--", "behind a bullet"),
        ("Done.--<[paneward:error:between words]>--Next", "between words"),
        ("It is 100% --<[paneward:error:behind a percentage]>--", "behind a percentage"),
        ("1. --<[paneward:error:in a list]>--", "in a list"),
        ("- --<[paneward:error:in another list]>--", "in another list"),
        ("--<[paneward: error:  blanks   within ]>--", "blanks within"),
        ("--<[paneward:\x07error:]>--", None),
        ("--<[paneward:error:]>--", ""),
        ("--<[paneward:state:message]>--", None),
        ("--<[paneward:error]>--", None),
        ("--<[other:error:x]>--", None),
        ("--<[panewarden:error:x]>--", None),
        ("-<[paneward:error:x]>-", None),
    ],
)
def test_what_is_a_marker(line: str, message: str | None) -> None:
    assert found(line) == ([] if message is None else [("error", message)])


@pytest.mark.parametrize(
    "line",
    [
        "`--<[paneward:error:x]>--`",
        "print it like '--<[paneward:error:x]>--' when you fail",
        'echo "--<[paneward:error:x]>--"',
        "$ echo --<[paneward:error:x]>--",
        "user@host:~/work$ --<[paneward:error:x]>--",
        "❯ --<[paneward:error:x]>--",
        "❯\u00a0say --<[paneward:error:x]>--"[:2] + "--<[paneward:error:x]>--",
        "> --<[paneward:error:x]>--",
        "# --<[paneward:error:x]>--",
        "// --<[paneward:error:x]>--",
        "<!-- --<[paneward:error:x]>-- -->",
        "  12 --<[paneward:error:x]>--",
        "  12: --<[paneward:error:x]>--",
        "  12 │ --<[paneward:error:x]>--",
        "+ --<[paneward:error:x]>--",
        "| --<[paneward:error:x]>-- | when it fails |",
        "“--<[paneward:error:x]>--”",
        "printf '%s' --<[paneward:error:x]>--",
    ],
)
def test_what_is_typed_or_written_about_is_no_signal(line: str) -> None:
    assert all(marker.quoted for marker in GRAMMAR.find(line))


def test_two_markers_on_one_line_are_two() -> None:
    assert found("--<[paneward:working:a]>-- --<[paneward:completed:b]>--") == [("working", "a"), ("completed", "b")]


def test_an_unfinished_marker_does_not_swallow_the_next() -> None:
    assert found("--<[paneward:working:a --<[paneward:completed:b]>--") == [("completed", "b")]


def test_the_word_can_be_another_one() -> None:
    assert found("--<[acme:error:x]>-- --<[schmux:idle:y]>--", "acme") == [("error", "x"), ("idle", "y")]
    assert found("--<[paneward:error:x]>--", "acme") == []
    assert found("--<[a.c:error:x]>--", "a.c") == [("error", "x")]
    assert found("--<[abc:error:x]>--", "a.c") == []


def test_wrapping_and_markdown_do_not_change_what_a_marker_is() -> None:
    one, other = GRAMMAR.find("--<[paneward:error:see [a] and b]>-- --<paneward:error:see a andb>--")
    assert one.essence == other.essence
    assert one.essence != GRAMMAR.find("--<[paneward:idle:see [a] and b]>--")[0].essence


def test_a_long_message_is_cut_and_controls_are_taken_out() -> None:
    [marker] = GRAMMAR.find(f"--<[paneward:error:{'ab ' * 500}]>--")
    assert len(marker.message) == 500
    assert marker.message.endswith("…")
    [marker] = GRAMMAR.find("--<[paneward:error:a\x00\x1bb\tc]>--")
    assert marker.message == "a b c"


@pytest.mark.parametrize(
    ("line", "missed"),
    [
        ("--<[paneward:completed:Taskdone", True),
        ("--<[paneward:done:Task]>--", True),
        ("--<[paneward:completed:a]>-- and --<[paneward:com", True),
        ("I use paneward: it works", False),
        ("--<[paneward:completed:a]>--", False),
        ("`--<[paneward:state:message]>--`", False),
        ("--<", False),
    ],
)
def test_near_misses(line: str, missed: bool) -> None:
    assert bool(GRAMMAR.near_miss(line)) is missed
