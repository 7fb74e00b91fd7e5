"""Lists as people read them: `a2` before `a10`, the socket where two panes have one id, 40 columns."""

import io

import pytest
from rich.console import Console

from paneward.client.agents import seats
from paneward.core.agent.group import members
from paneward.core.agent.record import Agent
from paneward.core.terminal.flow import Phase
from paneward.core.text import natural
from paneward.store import Delivery
from paneward.surfaces.cli.answers import Seat
from paneward.surfaces.cli.show.agents import agents_table
from paneward.surfaces.cli.show.deliveries import deliveries
from paneward.surfaces.cli.show.lines import Paper, table

NAMES = ["a10", "a2", "b", "a1"]
IN_ORDER = ["a1", "a2", "a10", "b"]


def agent(name: str, pane: str = "%1", socket: str = "/tmp/tmux-0/default", role: str = "") -> Agent:
    return Agent(name, tmux=f"local:{socket}", socket=socket, pane=pane, pane_pid=1, kind="demo", role=role)


class Listing:
    """A server that lists these agents."""

    def get(self, path: str) -> object:
        return {"agents": [{"id": name, "tmux": "local:/s", "socket": "/s", "pane": "%1"} for name in NAMES]}


def delivery(pane: str, tmux: str) -> Delivery:
    when = "2026-11-17T12:00:00+00:00"
    return Delivery("1", None, tmux, pane, 1, "hello", "", 5, Phase.TYPED, None, when, when)


@pytest.mark.parametrize(
    "shown",
    [
        lambda: sorted(NAMES, key=natural),
        lambda: [row[0] for row in agents_table(tuple(Seat(agent(name), "IDLE", 0.0) for name in NAMES))[1]],
        lambda: [one.id for one in members([agent(name) for name in NAMES], ["all"])],
        lambda: [seat.agent.id for seat in seats(Listing()).seats],  # type: ignore[arg-type]
    ],
    ids=["names", "ps", "send --to", "ps --json"],
)
def test_numbers_in_names_count_as_numbers(shown: "object") -> None:
    assert shown() == IN_ORDER  # type: ignore[operator]


def test_agents_name_their_socket_where_two_panes_have_one_id() -> None:
    here, there, alone = agent("a"), agent("b", socket="/tmp/tmux-0/work"), agent("c", pane="%2")
    _, rows = agents_table(tuple(Seat(one, "IDLE", 0.0) for one in (here, there, alone)))
    assert [row[3] for row in rows] == ["%1 (default)", "%1 (work)", "%2"]


def test_deliveries_name_their_socket_where_two_panes_have_one_id() -> None:
    written = io.StringIO()
    deliveries(
        Paper(written),
        (delivery("%1", "local:/t/default"), delivery("%1", "local:/t/work"), delivery("%2", "local:/t/work")),
    )
    lines = written.getvalue().splitlines()[2:]
    assert [line.split("  ")[1].strip() for line in lines] == ["%1 (default)", "%1 (work)", "%2"]


def test_a_table_in_forty_columns_is_a_paragraph_per_row_and_breaks_no_word() -> None:
    drawn = io.StringIO()
    rows = [("a2", "? AWAITING_INPUT", "5 min", "%1", "Do you want to proceed with the migration now?", "-")]
    table(
        Console(file=drawn, width=40, force_terminal=True, no_color=True),
        ("agent", "state", "for", "pane", "about", "role"),
        rows,
    )
    lines = drawn.getvalue().replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "").splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0] == "a2  ? AWAITING_INPUT"
    assert "role" not in drawn.getvalue()  # what says nothing is left out
    assert " ".join(" ".join(lines).split()).endswith("about Do you want to proceed with the migration now?")
