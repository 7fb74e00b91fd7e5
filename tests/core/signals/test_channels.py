import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.signals.channels import Bells, notified, silent
from paneward.core.signals.signal import Channel
from paneward.core.terminal.osc import Osc


@pytest.mark.parametrize(
    ("code", "text", "state", "message"),
    [
        (9, "Claude is waiting for your input", "needs_input", "Claude is waiting for your input"),
        (9, "Approval requested: rm -r build", "needs_input", "Approval requested: rm -r build"),
        (9, "Agent turn complete", "completed", "Agent turn complete"),
        (9, "Build failed", "error", "Build failed"),
        (9, "hello", "needs_input", "hello"),
        (777, "notify;Agent;all is done", "completed", "Agent: all is done"),
        (99, ";all is done", "completed", "all is done"),
        (99, "i=1:d=0;a question", "needs_input", "a question"),
        (9, "4;2;50", "error", "its progress shows an error"),
    ],
)
def test_notifications(code: int, text: str, state: str, message: str) -> None:
    signal = notified(Osc(code, text), 5.0)
    assert signal is not None
    assert (signal.state, signal.message, signal.source, signal.at) == (state, message, Channel.OSC, 5.0)


@pytest.mark.parametrize(
    ("code", "text"),
    [(9, "4;1;50"), (9, "4;0"), (9, "4;3"), (9, "4"), (9, "9;/home"), (9, ""), (777, "precmd"), (777, "notify;"),
     (99, "i=1:p=?;"), (99, "i=1:p=close;x"), (99, "e=1;aGVsbG8="), (0, "a title"), (7501, "state=idle"), (52, "c;x")],
)  # fmt: skip
def test_what_is_no_notification(code: int, text: str) -> None:
    assert notified(Osc(code, text), 0.0) is None


@pytest.mark.parametrize(
    ("output", "rings"),
    [
        (b"\x07", True),
        (b"some text\x07more", True),
        (b"\x1b]0;title\x07", False),
        (b"\x1b]0;title\x07\x07", True),
        (b"\x07\x1b]0;title\x07", True),
        (b"\x1b]0;title\x1b\\\x07", True),
        (b"\x1bPdata\x07\x1b\\", False),
        (b"\x1b]0;never ends", False),
        (b"plain \x1b[31mred", False),
        (b"", False),
    ],
)
def test_a_bell_that_ends_a_string_is_none(output: bytes, rings: bool) -> None:
    assert Bells().feed(output) is rings
    bells = Bells()
    assert (True in [bells.feed(output[at : at + 1]) for at in range(len(output))]) is rings


def test_a_string_of_dcs_hides_bells_until_its_end() -> None:
    bells = Bells()
    assert not bells.feed(b"\x1b]0;ti")
    assert not bells.feed(b"tle\x07")
    assert bells.feed(b"\x07")
    bells.feed(b"\x1b]0;lost")
    bells.gap()
    assert not bells.feed(b" in part\x07")  # what was lost may have begun a string
    assert bells.feed(b"\x07")
    bells.gap()
    assert bells.feed(b"a line\r\n\x07")


def test_a_letter_of_a_title_does_not_end_it() -> None:
    """The second byte of `✳` is, alone, the end of a string."""
    bells = Bells()
    assert not bells.feed("\x1b]2;✳ Claude\x07".encode())
    assert not bells.feed("\x1b]2;\u009c".encode())
    assert bells.feed(b"\x07")


@given(
    st.lists(
        st.sampled_from([b"\x07", b"\xc2", b"\x9c", b"\x1b", b"]", b"0;t", b"\x1b\\", b"P", b"a", b"[m"]), max_size=12
    )
)
def test_chunking_never_changes_whether_it_rings(pieces: list[bytes]) -> None:
    whole, torn = Bells(), Bells()
    assert whole.feed(b"".join(pieces)) is (True in [torn.feed(piece) for piece in pieces])


@pytest.mark.parametrize("output", [b"a\x07", b"\x1b]0;a title", b"\x1bPa string", b"torn\x1b"])
def test_what_is_not_shown_is_not_silent(output: bytes) -> None:
    assert not silent(output)
    assert silent(b"\x1b[1;1H\x1b[2Ka row\x1b(B")


def test_it_is_said_when_the_next_bell_is_not_clear() -> None:
    bells = Bells()
    assert not bells.open
    bells.feed(b"\x1b]0;a title that goes")
    assert bells.open
    bells.feed(b" on\x07")
    assert not bells.open
    bells.gap()
    assert bells.open
