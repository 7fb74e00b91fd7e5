"""Agents that cannot work, or ask before they do, where the lab cannot make them: DRAWN screens, not captured ones.

The words of the troubles were seen on the real agents (in the lab with the model gone, or answering 401 and 429) or
are what their vendors say; they are drawn into a captured screen of the agent, above its input box. What is asked at
a first start is drawn whole.
"""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.preflight import Refusal, Terms, WhenBusy, clear_to_type
from paneward.core.errors import Code
from paneward.core.profiles import BUILT_IN, Profile
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
from paneward.testing import acts, play
from tests.core.screen.agents import CAPTURES, Capture, each_of

IDLE = {capture.agent: capture for capture in CAPTURES if capture.path.stem == "done_100"}
RAW = ProcessFacts("node", "node", 7, reading=True, canonical=False, echo=False, unread=0)
SAID = [
    ("claude", "sign_in", "  ⎿  Not logged in · Please run /login"),
    ("claude", "sign_in", "  ⎿  Invalid API key · Fix external API key"),
    ("claude", "limit", "  ⎿  5-hour limit reached ∙ resets 3pm"),
    ("claude", "limit", "✻ 429 You have reached your usage limit · Retrying in 1s · attempt 3/10"),
    (
        "claude",
        "network",
        "✻ Connection refused — a firewall or proxy may be blocking it · Retrying in 5s · attempt 4/10",
    ),
    ("codex", "limit", "■ You've hit your usage limit. Try again at 15:00."),
    ("codex", "limit", "■ exceeded retry limit, last status: 429 Too Many Requests"),
    ("codex", "network", "◦ Reconnecting... waiting for network (4s • esc to interrupt)"),
    ("codex", "sign_in", "■ unexpected status 401 Unauthorized: Missing bearer token"),
    ("opencode", "sign_in", "  ┃  Incorrect API key provided"),
    ("opencode", "limit", "  ┃  Rate limit reached for requests"),
    ("opencode", "network", "  ┃  Unable to connect. Is the computer able to access the url?"),
    ("gemini", "limit", "✕ [API Error: Quota exceeded for quota metric]"),
    ("gemini", "network", "✕ [API Error: fetch failed sending request]"),
    ("aider", "sign_in", "The API provider is not able to authenticate you. Check your API key."),
    ("aider", "network", "The API provider's servers are down or overloaded."),
    ("aider", "limit", "litellm.RateLimitError: RateLimitError: OpenAIException"),
]


def drawn(capture: Capture, words: str) -> Snapshot:
    """The screen of a captured agent that says something right above its input."""
    seen = capture.snapshot
    composer = read_composer(Screen.of(seen), capture.profile)
    assert composer is not None
    assert composer.region is not None
    rows = list(seen.rows)
    place = composer.region.top - 2
    styles = "".join(re.findall(r"\x1b\[[0-9;]*m", rows[place]))  # they run on below
    rows[place] = f"\x1b[0m{words}{styles}"
    return replace(seen, rows=tuple(rows))


def screen(*rows: str, title: str = "") -> Snapshot:
    """A screen without a cursor, drawn whole."""
    return Snapshot("%1", rows, 100, len(rows), 0, len(rows) - 1, cursor_visible=False, title=title)


def refusal(seen: Snapshot, profile: Profile, when_busy: WhenBusy) -> Refusal:
    terms = Terms(profile, re.compile(profile.prompt), when_busy, timeout=2.0, draft_hold=1.0)
    effects, answer = play(clear_to_type(terms), [Scene(seen, RAW, quiet=30.0)])
    assert not acts(effects)
    assert isinstance(answer, Refusal)
    return answer


@pytest.mark.parametrize(("agent", "trouble", "words"), SAID)
def test_a_drawn_trouble_is_recognised_above_the_input_box(agent: str, trouble: str, words: str) -> None:
    found = read_appearance(drawn(IDLE[agent], words), BUILT_IN[agent])
    assert found.trouble == trouble
    assert found.state in (ScreenState.IDLE, ScreenState.BUSY)


@each_of([one for one in CAPTURES if one.case not in ("error", "help")])
def test_no_captured_screen_of_an_agent_that_works_has_a_trouble(capture: Capture) -> None:
    assert read_appearance(capture.snapshot, capture.profile).trouble == ""


ASKED = [
    (
        "claude",
        "onboarding",
        ("Choose the text style that looks best with your terminal", "", " ❯ 1. Dark mode ✔", "   2. Light mode"),
    ),
    (
        "claude",
        "sign in",
        (" Select login method:", "", " ❯ 1. Claude account with subscription", "   2. Anthropic Console account"),
    ),
    (
        "gemini",
        "usage limit",
        (
            "╭──────────────────────────────────╮",
            "│ Usage limit reached for this model │",
            "│ ● 1. Keep trying                 │",
            "│   2. Stop                        │",
            "╰──────────────────────────────────╯",
        ),
    ),
]


@pytest.mark.parametrize("when_busy", WhenBusy)
@pytest.mark.parametrize(("agent", "what", "rows"), ASKED, ids=lambda value: value if isinstance(value, str) else "")
def test_a_drawn_menu_in_the_place_of_the_box_is_a_dialog_whatever_it_asks(
    agent: str, what: str, rows: tuple[str, ...], when_busy: WhenBusy
) -> None:
    assert read_appearance(screen(*rows), BUILT_IN[agent]).state is ScreenState.DIALOG, what
    assert refusal(screen(*rows), BUILT_IN[agent], when_busy).code is Code.BLOCKED_BY_DIALOG


PAGES = [
    ("Update available! 1.0 → 2.0", "Press any key to continue"),
    ("  Welcome to Claude Code", "", "  Security notes:", "", "  Press Enter to continue…"),
    ("Unable to connect to the service", "", "Please check your internet connection"),
    ("Open this address in your browser to sign in:", "https://example.invalid/device", "Code: ABCD-EFGH"),
    ("",),
]


@pytest.mark.parametrize("agent", IDLE)
@pytest.mark.parametrize("rows", PAGES, ids=lambda rows: rows[0][:20])
def test_a_drawn_page_that_nobody_knows_is_unknown_and_nothing_is_typed(agent: str, rows: tuple[str, ...]) -> None:
    profile = BUILT_IN[agent]
    found = read_appearance(screen(*rows), profile)
    expected = ScreenState.BUSY if agent == "aider" else ScreenState.UNKNOWN  # a hidden cursor is how aider works
    assert found.state is expected
    for when_busy in (WhenBusy.WAIT, WhenBusy.REFUSE):
        assert refusal(screen(*rows), profile, when_busy).code is Code.NOT_READY
