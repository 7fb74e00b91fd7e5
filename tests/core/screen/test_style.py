import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.screen.style import PLAIN, Style, fits, restyle


@pytest.mark.parametrize(
    ("parameters", "style"),
    [
        ("", PLAIN),
        ("0", PLAIN),
        ("1;2", Style(bold=True, dim=True)),
        ("0;2", Style(dim=True)),
        ("3;4;5;7;8;9", Style(italic=True, underline=True, blink=True, reverse=True, invisible=True, strike=True)),
        ("31", Style(fg=1)),
        ("97;41", Style(fg=15, bg=1)),
        ("90;107", Style(fg=8, bg=15)),
        ("38;5;246", Style(fg=246)),
        ("48;5;240;1", Style(bg=240, bold=True)),
        ("38;2;1;2;255", Style(fg="#0102ff")),
        ("38:2:1:2:255", Style(fg="#0102ff")),
        ("38:2::1:2:255", Style(fg="#0102ff")),
        ("48:5:17", Style(bg=17)),
        ("4:3", Style(underline=True)),
        ("58;5;7", PLAIN),
        ("58:2::7:7:7;2", Style(dim=True)),
        ("21", Style(underline=True)),
    ],
)
def test_a_sequence_sets_the_style_it_names(parameters: str, style: Style) -> None:
    assert restyle(PLAIN, parameters) == style


@pytest.mark.parametrize(
    ("parameters", "left"),
    [
        ("22", {"bold", "dim"}),
        ("23", {"italic"}),
        ("24", {"underline"}),
        ("4:0", {"underline"}),
        ("25", {"blink"}),
        ("27", {"reverse"}),
        ("28", {"invisible"}),
        ("29", {"strike"}),
        ("39", {"fg"}),
        ("49", {"bg"}),
        ("0", set(Style._fields)),
    ],
)
def test_a_sequence_takes_back_exactly_what_it_names(parameters: str, left: set[str]) -> None:
    everything = Style(1, 2, *[True] * 8)
    changed = {name for name, value in restyle(everything, parameters)._asdict().items() if not value}
    assert changed == left


@pytest.mark.parametrize("parameters", ["38", "38;5", "38;5;256", "38;2;1;2", "38;2;1;2;999", "38:7", "99", "19"])
def test_what_is_malformed_or_unknown_changes_nothing(parameters: str) -> None:
    assert restyle(Style(fg=3), parameters) == Style(fg=3)


def test_a_ground_of_its_own_or_reverse_is_a_highlight() -> None:
    assert Style(reverse=True).highlighted
    assert Style(bg=0).highlighted
    assert not Style(fg=1, bold=True).highlighted


@given(st.text("0123456789;:", max_size=30))
def test_no_parameters_crash(parameters: str) -> None:
    assert isinstance(restyle(PLAIN, parameters), Style)


@pytest.mark.parametrize(
    ("words", "fitting"),
    [
        ("", True),
        ("bold", True),
        ("!bold", False),
        ("!dim !reverse", True),
        ("fg=174", True),
        ("fg!=174", False),
        ("fg=default", False),
        ("bg=default", True),
        ("bg!=default", False),
        ("bold fg=9", False),
    ],
)
def test_a_style_fits_the_words_for_it(words: str, fitting: bool) -> None:
    assert fits(Style(fg=174, bold=True), words) is fitting


def test_a_colour_of_three_parts_fits_its_name() -> None:
    assert fits(Style(bg="#102030"), "bg=#102030")
