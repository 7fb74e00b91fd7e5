"""A server with clients in it, to be killed: each client gives one demo agent commands and answers what it asks.

`python -m prove.serving SOCKET STATE STORE MESSAGES PANE...`: it says `ready` when the agents are there, `done` when
every client had all its messages taken and completed. STORE is the URL of a database, or empty for a file in STATE. A
client notes in a file of its own what it asks for before it asks, and what it was answered: killed in between, it asks
again under the same message id, as any client would.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from paneward.app.server import Server, serve
from paneward.config import Settings, StoreSettings
from paneward.core.agent.record import Actor, Agent, Answer, Intent, Sent, Turn
from paneward.core.errors import Code, PanewardError, StoreError

NAP = 0.02  # seconds between looks at what the server has stored
KINDS = ("say", "ask", "permit", "multi", "other")
LOST_PATIENCE = 3.0  # seconds after which a dialog that stands there after an unclear answer is answered anew
AGAIN = (Code.WRONG_STATE, Code.NOT_READY, Code.OPERATOR_BUSY, Code.OPERATOR_DRAFT, Code.STALE_DIALOG, Code.STORE_ERROR)
T = TypeVar("T")


def kind_of(name: str, number: int) -> str:
    return KINDS[(sum(name.encode()) + number) % len(KINDS)]


def text_of(name: str, number: int) -> str:
    """The message of this number to an agent: like no other."""
    kind = kind_of(name, number)
    return f"{'ask' if kind == 'other' else kind} {name} wants to know about number {number}"


def markers_of(name: str, number: int) -> int:
    """How many the agent prints for this message: one when it asks, one when it is done."""
    return 1 if kind_of(name, number) == "say" else 2


def answer_of(name: str, number: int) -> Answer:
    match kind_of(name, number):
        case "ask":
            return Answer("select", option_index=number % 3)
        case "permit":
            return Answer("select", option_label="Yes")
        case "multi":
            return Answer("multi_select", answers=((number % 4, (number + 1) % 4),))
    return Answer("other", f"words of my own, {number}")


class Client:
    """One client of one agent, and its notes."""

    def __init__(self, server: Server, name: str, notes: Path, messages: int) -> None:
        self._server = server
        self._name = name
        self._notes = notes
        self._messages = messages
        lines = notes.read_text().splitlines() if notes.exists() else []
        self._noted: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def _note(self, **what: Any) -> None:
        self._noted.append(what)
        with self._notes.open("a") as file:
            file.write(json.dumps(what) + "\n")

    def _over(self, step: str, number: int) -> bool:
        return any(note["got"] == step and note["number"] == number for note in self._noted if "got" in note)

    async def run(self) -> None:
        for number in range(1, self._messages + 1):
            if self._over("end", number):
                continue
            agents, text = self._server.agents, text_of(self._name, number)
            if not self._over("command", number):
                message_id = f"{self._name}-c{number}"
                await self._ask("command", number, lambda: agents.send(self._name, text, message_id=message_id))  # noqa: B023
            await self._until_completed(number, text)
            self._note(got="end", number=number)

    async def _ask(self, step: str, number: int, act: Callable[[], Awaitable[Sent]]) -> Sent:
        """Until it is taken. A refusal, of which nothing was typed, is tried again."""
        while True:
            self._note(asked=step, number=number)
            try:
                sent = await act()
            except PanewardError as error:
                if error.code not in AGAIN:
                    raise
            else:
                if sent.result.error_type is None:
                    self._note(got=step, number=number, verdict=sent.result.verdict, repeated=sent.result.repeated)
                    return sent
                if sent.result.error_type not in AGAIN:
                    raise RuntimeError(f"{self._name} {number}: {sent.result}")
            await asyncio.sleep(NAP)

    async def _until_completed(self, number: int, text: str) -> None:
        """The turns of this message: what it asks is answered, until it has completed."""
        tries = 0
        while True:
            since = await self._since(text)
            if any(turn.intent is Intent.COMPLETION for turn in since):
                return
            asks = next((turn for turn in since if turn.intent is Intent.QUESTION), None)
            if asks is not None and not self._over("answer", number):
                await self._answer(number, f"{self._name}-a{number}")
            elif asks is not None and await self._unclear():
                tries += 1
                await self._answer(number, f"{self._name}-a{number}-{tries}")
            await asyncio.sleep(NAP)

    async def _since(self, text: str) -> list[Turn]:
        turns = await answered(lambda: self._server.store.turns(self._name, 20))
        at = next((turn.id for turn in turns if turn.actor is Actor.USER and turn.text == text), None)
        return [] if at is None else [turn for turn in turns if turn.id > at]

    async def _answer(self, number: int, message_id: str) -> None:
        answer, agents = answer_of(self._name, number), self._server.agents
        await self._ask("answer", number, lambda: agents.respond(self._name, answer, message_id))

    async def _unclear(self) -> bool:
        """An answer that nobody knows the fate of, and the dialog stands."""
        if self._noted[-1].get("verdict") != "unconfirmed":
            return False
        await asyncio.sleep(LOST_PATIENCE)
        return self._server.agents.get(self._name).stage == "AWAITING_INPUT"


async def answered(ask: Callable[[], Awaitable[T]]) -> T:
    """What the store answers, asked again while its database is away."""
    while True:
        try:
            return await ask()
        except StoreError:
            await asyncio.sleep(NAP)


async def adopted(server: Server, socket: str, panes: list[str]) -> list[Agent]:
    known = {agent.pane: agent for agent in server.agents.all()}
    for number, pane in enumerate(panes, 1):
        if pane not in known:
            known[pane] = await server.agents.adopt(pane, name=f"agent-{number}", socket_name=socket)
    return [known[pane] for pane in panes]


async def main(socket: str, state: Path, store: str, messages: int, panes: list[str]) -> None:
    settings = Settings(store=StoreSettings(url=store or None))
    async with serve(settings, state, url="http://prove") as server:
        agents = await adopted(server, socket, panes)
        print("ready", flush=True)
        async with asyncio.TaskGroup() as clients:
            for agent in agents:
                notes = state.parent / f"client-{agent.id}.jsonl"
                clients.create_task(Client(server, agent.id, notes, messages).run())
        await told(server, [agent.id for agent in agents], messages)
        print("done", flush=True)


async def told(server: Server, names: list[str], messages: int) -> None:
    """Until every marker was heard, or none comes any more: what the agents printed last is drawn a moment later."""
    wanted = sum(markers_of(name, number) for name in names for number in range(1, messages + 1))
    for _ in range(int(LOST_PATIENCE / NAP)):
        seen = await answered(lambda: server.store.events(kinds=["signal_seen"], limit=100_000))
        if len(seen) >= wanted:
            return
        await asyncio.sleep(NAP)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:]))
