"""One shape of JSON per thing: a document that speaks of a pane names it by its id, however the pane was asked for."""

from typing import Any

from tests.surfaces.conftest import DEMO_AGENT, Machine
from tests.surfaces.serving import Up


def panes_named(machine: Machine, *lines: str) -> dict[str, Any]:
    """What each command says of the pane."""
    return {line: machine.paneward("--json", *line.split(",")).document.get("pane") for line in lines}


def test_every_document_names_the_pane_by_its_id(machine: Machine) -> None:
    pane = machine.pane(f"{DEMO_AGENT} --busy 0", name="here")
    lines = ("wait,here", "read,here", "menu,here", "explain,here", "send,here,say hello", "keys,here,Escape")
    assert panes_named(machine, *lines) == dict.fromkeys(lines, pane)
    assert machine.answer("wait", "here", "--all")["outcomes"][0]["pane"] == pane
    assert [row["pane"] for row in machine.answer("deliveries", "here")["deliveries"]] == [pane]


def test_so_does_every_document_about_an_agent(server: Up) -> None:
    machine, pane = server.machine, server.agent("bob", busy=0)
    lines = ("wait,bob", "read,bob", "menu,bob", "explain,bob", "send,bob,ask which colour", "read,window-bob")
    assert panes_named(machine, *lines) == dict.fromkeys(lines, pane)
    server.until("AWAITING_INPUT", "bob")
    asking = ("menu,bob", "menu,window-bob", "wait,window-bob", "respond,bob,--select,1")
    assert panes_named(machine, *asking) == dict.fromkeys(asking, pane)
    assert {row["pane"] for row in machine.answer("deliveries", "window-bob")["deliveries"]} == {pane}
    assert machine.answer("wait", "--to", "all")["outcomes"][0]["pane"] == pane
