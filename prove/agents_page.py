"""The table of deliveries to the real agents, from the lines of its proof: functions."""

from collections import Counter
from collections.abc import Sequence

from prove.ledger import TOP, Line
from tests.lab.recipes import pins
from tests.lab.sending import BY_PASTE, TEXTS

PAGE = TOP / "docs" / "agents" / "deliveries.md"
ABOUT = {
    "characters_10": "10 characters",
    "characters_200": "200 characters",
    "characters_2000": "2000 characters",
    "characters_5000": "5000 characters",
    "lines_40": "40 lines",
}


def page(lines: Sequence[Line]) -> str:
    agents = [f"{agent} {version}" for agent, version in pins()]
    ways = [(agent, "texts") for agent in agents]
    ways += [(agent, "api texts") for agent in agents if agent.split()[0] in BY_PASTE]
    named = [agent if way == "texts" else f"{agent} by its API" for agent, way in ways]
    head = f"| text | {' | '.join(named)} |\n|---|{'---|' * len(ways)}"
    rows = "\n".join(_row(kind, ways, lines) for kind in TEXTS)
    others = "\n".join(_others(agent, lines) for agent in agents)
    return f"""# Deliveries to the real agents

Written by `make prove-agents PROVE=--write`. Truth is what arrived at the model server of
[the lab](../guide/lab.md): the text, once, as the profile's guards and the agent's own edits say, and nothing beside
it. `5/5 5/5`: exact of those sent on an idle machine, and with both cores loaded; *refused*: the agent has no way to be
given it as a text, and nothing was typed.

{head}
{rows}

| agent | texts at open dialogs, refused with nothing pressed | drafts of a second client, untouched |
|---|---|---|
{others}
"""


def _row(kind: str, ways: Sequence[tuple[str, str]], lines: Sequence[Line]) -> str:
    named = ABOUT.get(kind, f"`{_shown(TEXTS[kind])}`")
    return f"| {named} | {' | '.join(_cell(f'{agent} {way}: {kind} ', lines) for agent, way in ways)} |"


def _shown(text: str) -> str:
    return text.replace("\t", "⇥").replace("|", "\\|").replace("`", "'")


def _cell(prefix: str, lines: Sequence[Line]) -> str:
    shares = []
    for load in (False, True):
        found = Counter(line["judgement"] for line in lines if line["key"].startswith(prefix) and line["load"] is load)
        total = found.total()
        if not total:
            shares.append("-")
        elif found["refused"] == total:
            shares.append("*refused*")
        else:
            shares.append(f"{found['exact']}/{total}")
    return shares[0] if shares[0] == shares[1] == "*refused*" else " ".join(shares)


def _others(agent: str, lines: Sequence[Line]) -> str:
    dialogs = [line for line in lines if line["key"].startswith((f"{agent} dialog", f"{agent} startup"))]
    drafts = [line for line in lines if line["key"].startswith(f"{agent} drafts")]
    return f"| {agent} | {_share(dialogs)} | {_share(drafts)} |"


def _share(lines: Sequence[Line]) -> str:
    return f"{sum(bool(line['ok']) for line in lines)}/{len(lines)}" if lines else "-"
