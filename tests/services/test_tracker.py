"""What waits to be stored: found once, by either reader, over gaps and restarts."""

from dataclasses import replace

import pytest

from paneward.config import SignalSettings
from paneward.core.profiles import CLAUDE, GENERIC, Profile
from paneward.core.signals import Channel, Memory, Signal, SignalState
from paneward.core.signals.marker import Grammar
from paneward.core.signals.painted import look
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.services.agents.signals import Found, Tracker

ASKS = "--<[paneward:needs_input:Which colour?]>--"
DONE = "--<[paneward:completed:All done]>--"
RULE = "─" * 60
HEIGHT = 30


class Pane:
    """A tracker whose clock is ours."""

    def __init__(self, profile: Profile = GENERIC, settings: SignalSettings | None = None) -> None:
        self.now = 10.0
        self.news = 0
        self.profile = profile
        self.tracker = Tracker(lambda: self.now, self._stir, settings)

    def _stir(self) -> None:
        self.news += 1

    def begin(self, *past: str) -> "Pane":
        self.tracker.look_back()
        self.tracker.catch_up(screen(*past), self.profile)
        return self

    def see(self, *rows: str, quiet: float = 0.0) -> None:
        self.now += 0.1
        seen = claude(*rows) if self.profile is CLAUDE else screen(*rows)
        self.tracker.see(Scene(seen, now=self.now, quiet=quiet), self.profile)

    def told(self) -> list[tuple[str, bool]]:
        """What was found since, and is stored now."""
        found = self.tracker.found
        self.tracker.stored(found)
        return [(signal.message, signal.old) for signal in found.signals]


def screen(*rows: str) -> Snapshot:
    """A pane of always the same size, with what scrolled out of it."""
    rows = (*rows, *[""] * (HEIGHT - len(rows)))
    return Snapshot("%1", rows, 60, HEIGHT, 0, 0, history=len(rows) - HEIGHT)


def claude(*said: str) -> Snapshot:
    rows = (*said, "", RULE, "❯\u00a0", RULE, "  ? for shortcuts")
    return Snapshot("%1", (*rows, *[""] * (HEIGHT - len(rows))), 60, HEIGHT, 2, len(said) + 2)


def test_a_printed_marker_is_told_at_once_and_somebody_is_woken() -> None:
    pane = Pane().begin()
    pane.tracker.hear(f"{ASKS}\r\n".encode())
    assert pane.news == 1
    [signal] = pane.tracker.found.signals
    assert (signal.state, signal.source, signal.at) == ("needs_input", "marker", 10.0)
    assert signal.key


def test_what_is_found_waits_until_it_is_stored() -> None:
    pane = Pane().begin()
    pane.tracker.hear(f"{ASKS}\r\n".encode())
    found = pane.tracker.found
    pane.tracker.hear(f"{DONE}\r\n".encode())
    pane.tracker.stored(found)
    assert pane.told() == [("All done", False)]
    assert not pane.tracker.found


def test_an_unfinished_line_is_told_after_its_time() -> None:
    pane = Pane().begin()
    pane.tracker.hear(ASKS.encode())
    assert pane.tracker.deadline() == 10.5
    pane.tracker.tick(10.5, True)
    assert pane.told() == [("Which colour?", False)]
    assert pane.tracker.deadline() is None


def test_what_is_drawn_again_is_told_once() -> None:
    pane = Pane().begin()
    pane.tracker.hear(f"\x1b[H\x1b[2J{ASKS}\r\n".encode())
    assert pane.told() == [("Which colour?", False)]
    for _ in range(50):
        pane.tracker.hear(f"\x1b[H\x1b[2J{ASKS}\r\n".encode())
        pane.see(ASKS, quiet=0.1)
    assert pane.told() == []


def test_a_line_that_is_put_together_on_the_screen_is_read_there() -> None:
    pane = Pane().begin()
    for _ in range(50):
        pane.tracker.hear(f"\x1b[1;3H{ASKS}\r\n".encode())
        assert pane.told() == []
    pane.see(f"  {ASKS}", quiet=0.1)
    assert pane.told() == [("Which colour?", False)]


def test_what_a_painting_program_scrolled_away_is_looked_for_in_the_past() -> None:
    pane = Pane().begin()
    pane.see("more", "more", quiet=0.1)
    pane.tracker.hear(f"\x1b[1;3H{ASKS}\r\n".encode() + b"more\r\n" * 100)
    pane.see("more", "more", quiet=0.1)
    assert pane.tracker.behind
    pane.begin(ASKS, *["more"] * 100)
    assert pane.told() == [("Which colour?", True)]


def test_an_agent_with_a_frame_is_never_read_by_its_output() -> None:
    pane = Pane(CLAUDE).begin()
    pane.see()
    pane.tracker.hear(f"{ASKS}\r\n".encode())
    assert pane.told() == []
    pane.see(f"● {ASKS}")
    assert pane.told() == []
    assert pane.tracker.deadline() == pytest.approx(pane.now + 0.01)
    pane.tracker.tick(pane.now + 0.02, True)
    assert pane.told() == [("Which colour?", False)]


def test_without_a_stream_only_looks_tell() -> None:
    pane = Pane().begin()
    pane.tracker.unheard()
    pane.see("It says", ASKS, quiet=0.1)
    assert pane.told() == [("Which colour?", False)]


def test_the_past_is_read_in_silence_and_the_present_goes_on_from_there() -> None:
    pane = Pane()
    pane.tracker.hear(f"{DONE}\r\n{ASKS}\r\n".encode())  # of which the first stood on the screen that was read
    assert pane.told() == []
    pane.begin("before", ASKS, DONE)
    assert pane.told() == [("Which colour?", True), ("All done", True), ("Which colour?", False)]
    pane.tracker.hear(f"{DONE}\r\n".encode())
    assert pane.told() == [("All done", False)]


def test_after_a_restart_nothing_is_told_twice() -> None:
    pane = Pane().begin()
    pane.tracker.hear(f"These are some words above it.\r\n{ASKS}\r\n".encode())
    again = Pane()
    again.tracker.memory = Memory.read(pane.tracker.memory.written())
    again.begin("These are some words above it.", ASKS, DONE)
    assert again.told() == [("All done", True)]


def test_a_gap_that_the_scrollback_closes_is_none() -> None:
    pane = Pane().begin("one", "two", "three")
    pane.tracker.hear(None)
    assert pane.tracker.behind
    pane.begin("one", "two", "three", ASKS, "four")
    assert pane.tracker.found.lost == ""
    assert pane.told() == [("Which colour?", True)]


def test_what_was_painted_over_and_went_into_the_scrollback_is_one_signal() -> None:
    """A screen that is cleared goes into tmux's scrollback, with the marker on it, time after time."""
    pane = Pane().begin("ready")
    frames = [(f"drawing {number}", "", "It says:", ASKS) for number in range(20)]
    for frame in frames:
        pane.tracker.hear(b"\x1b[H\x1b[2J" + "\r\n".join(frame).encode() + b"\r\n")
    pane.tracker.gap()
    pane.begin("ready", *(row for frame in frames for row in frame), DONE)
    pane.tracker.tick(pane.now + 1.0, True)
    assert [message for message, _ in pane.told()] == ["Which colour?", "All done"]


def frames(count: int, marker: str = ASKS) -> list[str]:
    return [row for number in range(count) for row in (f"drawing {number}", "It says:", marker, f"{number} redraws")]


def test_what_went_into_the_scrollback_frame_by_frame_is_one_signal_after_a_restart_too() -> None:
    pane = Pane().begin("ready")
    pane.tracker.hear(f"\x1b[H\x1b[2Jdrawing 0\r\n{ASKS}\r\n".encode())
    pane.see("drawing 0", ASKS, quiet=0.1)
    assert pane.told() == [("Which colour?", False)]
    again = Pane()
    again.tracker.memory = Memory.read(pane.tracker.memory.written())
    again.begin(*(row for number in range(60) for row in (f"drawing {number}", DONE)))
    again.tracker.tick(again.now + 1.0, True)
    assert again.told() == [("All done", True)]


def test_frames_that_nobody_saw_being_drawn_are_one_signal() -> None:
    """The server before was killed before it had heard anything."""
    pane = Pane()
    pane.begin("ready", *frames(60), *frames(60, DONE))
    pane.tracker.tick(pane.now + 1.0, True)
    assert [message for message, _ in pane.told()] == ["Which colour?", "All done"]
    again = Pane()
    again.tracker.memory = Memory.read(pane.tracker.memory.written())
    again.begin("ready", *frames(60), *frames(70, DONE))
    again.tracker.tick(again.now + 1.0, True)
    assert again.told() == []


def test_of_a_frame_that_is_half_drawn_nothing_is_told_out_of_order() -> None:
    whole = ["The first:", ASKS, "The second:", DONE, *[""] * (HEIGHT - 4)]
    pane = Pane().begin(*whole * 3, "The first:", ASKS, *[""] * (HEIGHT - 2))
    pane.see(*whole, quiet=0.1)
    pane.see(*whole, quiet=0.1)
    assert [message for message, _ in pane.told()] == ["Which colour?", "All done"]


def test_what_is_said_again_is_told_again() -> None:
    pane = Pane().begin(*[row for number in range(9) for row in (f"Number {number} is built.", DONE)])
    assert pane.told() == [("All done", True)] * 9
    pane = Pane().begin("$ make", DONE, "$ make", DONE)
    assert pane.told() == [("All done", True)] * 2


def test_what_is_lost_while_the_past_is_read_is_read_too() -> None:
    """tmux holds a pane back that nobody reads, and what is printed then is told to nobody."""
    pane = Pane()
    pane.tracker.look_back()
    pane.tracker.hear(None)  # the past was captured before that, and the marker printed in between
    pane.tracker.catch_up(screen("one", "two"), pane.profile)
    assert pane.tracker.behind
    pane.begin("one", "two", ASKS)
    assert not pane.tracker.behind
    assert pane.told() == [("Which colour?", True)]


def test_a_gap_that_nothing_closes_is_told_once() -> None:
    pane = Pane().begin("one", "two", "three")
    pane.tracker.hear(None)
    pane.begin("far", "later")
    found = pane.tracker.found
    assert found.lost
    pane.tracker.stored(found)
    assert not pane.tracker.found


def test_a_gap_between_lines_that_are_all_the_same_is_told_where_some_may_be_gone() -> None:
    """`yes`: wherever the end of what was seen is looked for, it is found."""
    few = SignalSettings(catchup_lines=50)
    for count, gap in ((10, False), (100, True)):
        pane = Pane(GENERIC, few).begin(*["y"] * 10)
        pane.tracker.hear(None)
        pane.begin(*["y"] * (24 + count))
        assert bool(pane.tracker.found.lost) is gap, count


def test_notifications_and_bells() -> None:
    pane = Pane(CLAUDE).begin()
    pane.tracker.hear(b"\x1b]777;notify;Agent;it waits for you\x07")
    assert pane.told() == [("Agent: it waits for you", False)]
    pane.tracker.hear(b"\x07")
    assert pane.told() == []
    pane.tracker.tick(pane.now + 0.4, True)
    assert [signal.source for signal in pane.tracker.found.signals] == [Channel.BELL]


def test_a_bell_that_came_with_words_is_no_signal_of_its_own() -> None:
    pane = Pane(CLAUDE).begin()
    pane.tracker.hear(b"\x07")
    pane.see(f"● {ASKS}", quiet=0.1)
    pane.tracker.tick(pane.now + 1, True)
    assert pane.told() == [("Which colour?", False)]


def test_the_bell_of_a_shell_or_one_that_was_switched_off_is_none() -> None:
    for pane in (Pane(GENERIC).begin(), Pane(CLAUDE, SignalSettings(bell=False)).begin()):
        pane.tracker.hear(b"\x07")
        pane.tracker.tick(pane.now + 1, True)
        assert not pane.tracker.found


def test_near_misses_of_both_readers() -> None:
    pane = Pane().begin()
    pane.tracker.hear(b"--<[paneward:completed:never over\r\n")
    assert pane.tracker.found.missed == ("--<[paneward:completed:never over",)
    painted = Pane(CLAUDE).begin()
    painted.see("● --<[paneward:completed:never over", quiet=0.1)
    painted.tracker.tick(painted.now + 0.2, True)
    assert not painted.tracker.found
    painted.tracker.tick(painted.now + 0.6, True)
    assert painted.tracker.found.missed == ("● --<[paneward:completed:never over",)


def test_other_channels_and_secrets() -> None:
    pane = Pane().begin()
    pane.tracker.keep_secret("open sesame, twice")
    pane.tracker.heard(Signal(SignalState.ERROR, "I tried open sesame and failed", Channel.HOOK, 10.0))
    pane.tracker.hear(b"--<[paneward:error:open sesam\xe2\x80\xa6]>--\r\n")
    assert pane.told() == [("I tried …", False), ("…", False)]


def test_a_flood_of_markers_is_bounded() -> None:
    pane = Pane().begin()
    pane.tracker.hear(f"{ASKS}\r\n".encode() * 5000)
    assert len(pane.tracker.found.signals) == 1000
    assert pane.tracker.found != Found()


def test_the_word_of_the_configuration_counts() -> None:
    pane = Pane(settings=replace(SignalSettings(), word="acme")).begin()
    pane.tracker.hear(f"{ASKS}\r\n--<[acme:idle:x]>--\r\n--<[schmux:idle:y]>--\r\n".encode())
    assert pane.told() == [("x", False), ("y", False)]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("scrolled", [0, 5, 9, 12])
def test_the_same_words_in_a_later_turn_are_told_wherever_the_first_have_gone(scrolled: int, restarted: bool) -> None:
    steps = ("● Step 1 of it is done.", "", f"  {ASKS}", "", "● Step 2 of it is done.", "", f"  {DONE}", "")
    first = ("❯\u00a0Tell me when something is wrong, and else as you like.", "", *steps, "  That is all.")
    pane = Pane(CLAUDE).begin()
    pane.tracker.begin_turn(ours=True)
    pane.see(*first, quiet=1.0)
    assert pane.told() == [("Which colour?", False), ("All done", False)]
    if restarted:
        memory, pane = pane.tracker.memory, Pane(CLAUDE)
        pane.tracker.memory = Memory.read(memory.written())
        pane.tracker.catch_up(claude(*first), CLAUDE)
        assert pane.told() == []
    pane.tracker.begin_turn(ours=True)
    second = (*first, "", "❯\u00a0once more", "", *steps)
    pane.see(*second[scrolled:-4], quiet=1.0)
    assert pane.told() == [("Which colour?", False)]
    pane.see(*second[scrolled:], quiet=1.0)
    assert pane.told() == [("All done", False)]
    pane.see(*second, quiet=1.0)  # somebody scrolls back
    assert pane.told() == []


@pytest.mark.parametrize("hidden", [(), (0,), (2,), (2, 4), (0, 2, 4), (4,), (2, 6), (2, 4, 6)])
def test_the_same_words_in_a_later_turn_are_told_although_the_first_are_being_painted(hidden: tuple[int, ...]) -> None:
    """A screen that is caught in the middle of a scroll shows the second marker without the first."""
    steps = ("● Step 1 of it is done.", "", f"  {ASKS}", "", "  Step 2 of it is done.", "", f"  {DONE}", "")
    first = ("❯\u00a0Tell me when something is wrong.", "", *steps, "  That is all.")
    pane = Pane(CLAUDE)
    pane.tracker.memory = memory = Memory()
    memory.see(look(claude(*first), CLAUDE, Grammar()).sightings)
    pane.tracker.catch_up(claude(*first), CLAUDE)
    pane.tracker.begin_turn(ours=True)
    second = [*first, "", "❯\u00a0once more", "", *steps[:4]]
    painted = ["" if at - 2 in hidden else row for at, row in enumerate(second)]
    pane.see(*painted, quiet=0.02)
    pane.see(*second, quiet=1.0)
    pane.see(*second, *steps[4:], quiet=1.0)
    assert pane.told() == [("Which colour?", False), ("All done", False)]


def test_what_a_program_said_last_is_told_when_it_ends() -> None:
    pane = Pane(CLAUDE).begin()
    pane.see(f"● {ASKS}")
    pane.tracker.finish()
    assert pane.told() == [("Which colour?", False)]
    printing = Pane().begin()
    printing.tracker.hear(DONE.encode())
    printing.tracker.finish()
    assert printing.told() == [("All done", False)]


def test_rows_that_tmux_cut_to_a_new_size_are_not_read_until_they_are_drawn_anew() -> None:
    pane = Pane(CLAUDE).begin()
    pane.see("● Working", f"  {ASKS}", quiet=0.1)
    assert pane.told() == [("Which colour?", False)]
    cut = replace(claude("● Working", "  --<[paneward:needs_input:Which col]>--"), width=44)
    pane.tracker.see(Scene(cut, now=pane.now, quiet=5.0), CLAUDE)
    pane.tracker.tick(pane.now + 3, True)
    assert pane.told() == []
    pane.now += 0.5
    pane.tracker.hear(b"\x1b[Hall of it again")
    drawn = replace(claude("● Working", f"  {ASKS}", "● Done", f"  {DONE}"), width=44)
    pane.tracker.see(Scene(drawn, now=pane.now, quiet=0.0), CLAUDE)
    assert pane.told() == []
    assert pane.tracker.deadline() == pytest.approx(pane.now + 0.1)
    pane.tracker.tick(pane.now + 0.1, True)
    pane.tracker.tick(pane.now + 0.2, True)
    assert pane.told() == [("All done", False)]
