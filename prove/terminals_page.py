"""The table of the real agents in every usual terminal, from the lines of its proof: functions."""

from collections.abc import Sequence

from prove.ledger import TOP, Line
from tests.lab.recipes import nodes
from tests.lab.terminals import COLOURS, SIZES, TERMS

PAGE = TOP / "docs" / "agents" / "terminals.md"


def page(lines: Sequence[Line]) -> str:
    agents = list(dict.fromkeys(line["key"].partition(":")[0] for line in lines))
    facets = [
        *(f" {term}," for term in TERMS),
        *(f" {colours or 'no COLORTERM'}," for colours in COLOURS),
        *(f" node {version}," for version in nodes()),
        *(f" {width}x{height}" for width, height in SIZES),
    ]
    head = f"| terminal | {' | '.join(agents)} |\n|---|{'---|' * len(agents)}"
    rows = "\n".join(_row(facet, agents, lines) for facet in facets)
    right = sum(line["ok"] for line in lines)
    return f"""# The real agents in every usual terminal

Written by `make prove-terminals PROVE=--write`. A cell is one agent of [the lab](../guide/lab.md) in one terminal, and
is right when Paneward knew that the agent was ready; every text arrived exactly once at the model; a `wait` right after
a `send` ended when the work had ended and not before; the state was `busy` in the middle of an answer and `idle` after
it; a person's draft was left alone; and a permission dialog was read, held off a text, and was refused and allowed.
`4/4`: right of those played, in terminals with this value. {right} of {len(lines)} cells are right.

{head}
{rows}
"""


def _row(facet: str, agents: Sequence[str], lines: Sequence[Line]) -> str:
    return f"| `{facet.strip(' ,')}` | {' | '.join(_share(agent, facet, lines) for agent in agents)} |"


def _share(agent: str, facet: str, lines: Sequence[Line]) -> str:
    found = [line for line in lines if line["key"].startswith(f"{agent}:") and _has(line["key"], facet)]
    return f"{sum(line['ok'] for line in found)}/{len(found)}" if found else "-"


def _has(key: str, facet: str) -> bool:
    return facet in f"{key},"
