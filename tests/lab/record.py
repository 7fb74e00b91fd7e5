"""Records what real agents draw: `python -m tests.lab.record [agent ...] [--form FORM] [--into FOLDER]`.

One play per agent, version and form of terminal (`FORMS`): the script makes the agent do something, waits until it can
be seen, and keeps the screen as `tests/corpus/<agent>/<version>/<case>_<form>.json`, with what is true of it, as the
script knows it, in `<case>_<form>.expected.json` beside it. Nothing here asks Paneward's own reader.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.adapters.conftest import TmuxServer
from tests.lab.agents import LabAgent, NotSeen, installed, start
from tests.lab.moves import STARTUPS, WAIT_FOR_FILE, Dialog, Moves, Startup, moves_of
from tests.lab.recipes import RECIPES, pins
from tests.lab.replies import Hold, Reply
from tests.lab.terminals import FORMS

CORPUS = Path(__file__).parent.parent / "corpus"
STAGE = Path(os.environ.get("PANEWARD_LAB_STAGE", "/tmp/paneward-lab"))  # a short name, as screens show it
LIGHT_ENVIRONMENT = {"aider": {"AIDER_LIGHT_MODE": "true"}}
SETTLES = 0.8  # seconds for the agent to finish drawing
UNICODE = "Grüße, 你好 🎉 naïve Ωμέγα"
LINES = "line one\nline two\n  line three, indented"
ANSWER = (
    "Here is the first half of the answer.\n\n- one\n- two\n\nAnd here is the rest of it, with a list:\n\n1. a\n2. b\n"
)
MANY_LINES = "\n".join(f"pasted row {number}" for number in range(1, 41))
LONG = " ".join(f"word{number}" for number in range(1, 301))


@dataclass(frozen=True, slots=True)
class Play:
    """A running agent and where its screens go."""

    agent: LabAgent
    moves: Moves
    folder: Path
    form: str  # of the terminal

    def keep(self, case: str, state: str, draft: str = "", **more: object) -> None:
        """The screen of this moment, and what is true of it."""
        time.sleep(SETTLES)
        look = self.agent.look()
        facts = look.facts
        taken = {
            "rows": list(look.rows),
            "width": int(facts["pane_width"]),
            "height": int(facts["pane_height"]),
            "cursor_x": int(facts["cursor_x"]),
            "cursor_y": int(facts["cursor_y"]),
            "cursor_visible": facts["cursor_flag"] == "1",
            "alternate": facts["alternate_on"] == "1",
            "command": facts["pane_current_command"],
            "title": look.title,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        truth = {"state": state, "draft": draft, "placeholder": "", "ghost": None, "menu": None, "queued": [], **more}
        for name, value in ((f"{case}_{self.form}.json", taken), (f"{case}_{self.form}.expected.json", truth)):
            (self.folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
        print(f"  {self.folder.name} {case}_{self.form}", flush=True)

    def clear(self, shown: str) -> None:
        """Empty the input box, and see that it is."""
        self.agent.keys(*self.moves.clear)
        until = time.monotonic() + 10
        while shown in self.agent.look().text and time.monotonic() < until:
            time.sleep(0.05)

    def turn(self, text: str, *replies: Reply) -> None:
        """Say something; the model answers by script."""
        self.agent.model.script(*replies)
        count = len(self.agent.model.prompts())
        self.agent.say(text)
        self.agent.arrived(count + 1)

    def held(self) -> None:
        if not self.agent.model.wait(lambda: self.agent.model.holding):
            raise NotSeen("the model was never asked")

    def rest(self, gone: str = "") -> None:
        """Until the turn is over: nothing moves any more, and what is to go is gone."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            before = self.agent.look()
            time.sleep(SETTLES)
            after = self.agent.look()
            if before.text == after.text and before.title == after.title and not (gone and re.search(gone, after.text)):
                return
        raise NotSeen(f"no rest after a turn:\n{self.agent.look().text}")

    def ask(self, case: str, dialog: Dialog, selected: int | None = None, multi: bool = False) -> None:
        """A dialog, once it is there."""
        self.agent.wait_screen(dialog.seen)
        time.sleep(SETTLES)
        chosen = dialog.selected if selected is None else selected
        text = " ".join(self.agent.look().text.split())
        hidden = [label for label in dialog.options if label[:10] not in text]
        menu = {
            "question": dialog.question,
            "options": list(dialog.options),
            "selected": chosen,
            "free_text": dialog.free_text,
            "multi": multi,
            "hidden": hidden,
        }
        self.keep(case, "dialog", menu=menu if dialog.options else None, question=dialog.question)


# --- the acts


def drafts(play: Play) -> None:
    agent = play.agent
    play.keep("idle", "idle")
    agent.type("a typed draft")
    agent.wait_screen("a typed draft")
    play.keep("draft", "idle", "a typed draft")
    play.clear("a typed draft")
    agent.paste(UNICODE)
    agent.wait_screen("Grüße")
    play.keep("draft_unicode", "idle", UNICODE)
    play.clear("Grüße")
    agent.paste(LINES)
    agent.wait_screen("indented|[Pp]asted")
    play.keep("draft_lines", "idle", LINES, placeholder=play.moves.collapsed(LINES))
    play.clear("indented")


def pastes(play: Play) -> None:
    for number, (case, text) in enumerate((("paste_lines", MANY_LINES), ("paste_long", LONG)), 1):
        play.agent.paste(text)
        play.agent.wait_screen(r"[Pp]asted [TtC~]|row 40|word300")
        placeholder = play.moves.collapsed(text).replace("#1", f"#{number}")
        play.keep(case, "idle", text, placeholder=placeholder)
        play.agent.keys(*play.moves.clear)
        play.rest()


def symbols(play: Play) -> None:
    """What a person sees after a character that means a command."""
    for case, text in (("slash", "/"), ("bang", "!"), ("help", "?")):
        mode = play.moves.modes.get(text, "")
        play.agent.type(text)
        play.keep(case, "idle", "" if mode in ("shell", "help") else text, mode=mode)
        play.agent.keys("BSpace")
        time.sleep(SETTLES)
        play.agent.keys("Escape")
        play.rest()


def work(play: Play) -> None:
    agent, moves = play.agent, play.moves
    play.turn("think about it", Reply(ANSWER, hold=Hold.BEFORE))
    play.held()
    agent.wait_screen(moves.busy)
    time.sleep(2)
    play.keep("thinking", "busy", activity="thinking")
    if moves.drafts_busy:
        agent.type("next thing")
        agent.wait_screen("next thing")
        play.keep("thinking_draft", "busy", "next thing", activity="thinking")
    if moves.queue:
        agent.model.script(Reply(ANSWER, hold=Hold.WITHIN))
        count = len(agent.model.prompts())
        agent.keys(*moves.queue)
        agent.wait_screen(moves.queued)
        play.keep("queued", "busy", activity="thinking", queued=["next thing"])
        agent.model.release()
        agent.arrived(count + 1, 60)
    else:
        agent.model.release()
        play.rest()
        play.turn("stream it", Reply(ANSWER, hold=Hold.WITHIN))
    play.held()
    play.keep("streaming", "busy", activity="streaming")
    agent.model.release()
    agent.wait_screen("rest of it")
    play.rest(moves.busy)
    play.keep("done", "idle")


def permission(play: Play) -> None:
    agent, moves, dialog = play.agent, play.moves, play.moves.permission
    play.turn("run it", moves.run(WAIT_FOR_FILE))
    play.ask("permission", dialog)
    if dialog.options:
        agent.keys(dialog.next)
        play.ask("permission_second", dialog, 1)
        agent.keys({"Down": "Up", "Right": "Left"}[dialog.next])
        time.sleep(SETTLES)
    agent.keys(*moves.approve)
    if moves.runs:
        agent.wait_screen(moves.busy)
        time.sleep(2)
        play.keep("tool", "busy", activity="tool")
        (agent.work / "go").touch()
    play.rest(moves.busy)
    play.keep("tool_done", "idle")


def failure(play: Play) -> None:
    play.turn("fail", Reply(status=400, error="the lab says no"))
    play.rest(play.moves.busy)
    play.keep("error", "idle")


def interruption(play: Play) -> None:
    play.turn("to be interrupted", Reply(ANSWER, hold=Hold.WITHIN))
    play.held()
    time.sleep(SETTLES)
    for key in play.moves.interrupt:
        play.agent.keys(key)
        time.sleep(0.3)
    play.rest(play.moves.busy)
    play.keep("interrupted", "idle")
    play.agent.model.release()


def questions(play: Play) -> None:
    moves = play.moves
    if moves.ask is None or moves.question is None:
        return
    if moves.to_ask:
        play.agent.keys(*moves.to_ask)
        time.sleep(SETTLES)
    play.turn("ask me", moves.ask(False))
    play.ask("question", moves.question)
    play.agent.keys(moves.question.next)
    play.ask("question_second", moves.question, 1)
    play.agent.keys(*moves.question.leave)
    play.rest(moves.question.seen)
    play.keep("question_left", "idle")
    if moves.several:
        play.turn("ask for several", moves.ask(True))
        play.ask("several", moves.several, multi=True)


ACTS: tuple[Callable[[Play], None], ...] = (
    drafts,
    pastes,
    symbols,
    work,
    permission,
    failure,
    interruption,
    questions,
)


@contextlib.contextmanager
def light_server(place: Path) -> Iterator[TmuxServer]:
    """A tmux that says of its terminal, to who asks, that it is light."""
    server = TmuxServer(f"paneward-lab-{uuid.uuid4().hex[:12]}", place)
    try:
        server.new_pane()
        server.run("set-option", "-g", "window-style", "fg=black,bg=white")
        yield server
    finally:
        server.end()


@contextlib.contextmanager
def stage() -> Iterator[Path]:
    """A folder of one name for all recordings, gone afterwards."""
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir()
    try:
        yield STAGE
    finally:
        shutil.rmtree(STAGE, ignore_errors=True)


def record(agent: str, version: str, form: str, into: Path, acts: Sequence[Callable[[Play], None]] = ACTS) -> None:
    """All acts with one agent; after one that fails, the rest with a new agent."""
    left, light, terminal = list(acts), form == "light", FORMS[form]
    more = LIGHT_ENVIRONMENT.get(agent, {}) if light else {}
    while left:
        with (
            stage() as place,
            light_server(place) if light else contextlib.nullcontext() as server,
            start(
                agent,
                version,
                place,
                width=terminal.width,
                height=terminal.height,
                name="home",
                server=server,
                files=light_files(agent) if light else {},
                environment=terminal.environment | more,
            ) as running,
        ):
            time.sleep(2 * SETTLES)
            play = Play(running, moves_of(agent, version, str(running.work)), into / agent / version, form)
            try:
                while left:
                    left.pop(0)(play)
            except NotSeen as error:
                print(f"  FAILED as {form}: {error}", flush=True)


def light_files(agent: str) -> dict[str, str]:
    """The files of an agent that has to be told that its terminal is light; the others ask it."""
    told: dict[str, tuple[str, dict[str, object]]] = {
        "claude": (".claude.json", {"theme": "light"}),
        "gemini": (".gemini/settings.json", {"ui": {"theme": "Default Light"}}),
    }
    if agent not in told:
        return {}
    name, more = told[agent]
    return {name: json.dumps({**json.loads(dict(RECIPES[agent].files)[name]), **more})}


def record_startup(row: Startup, version: str, form: str, into: Path) -> None:
    """The dialog that an agent opens with."""
    terminal = FORMS[form]
    with (
        stage() as place,
        start(
            row.agent,
            version,
            place,
            width=terminal.width,
            height=terminal.height,
            files=row.files,
            environment={**terminal.environment, **row.environment},
            name="home",
            wait=False,
        ) as running,
    ):
        play = Play(running, moves_of(row.agent, version, str(running.work)), into / row.agent / version, form)
        try:
            play.ask(row.case, row.dialog)
        except NotSeen as error:
            print(f"  FAILED as {form}: {error}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*", help="all, or claude, codex@0.166.0 ...")
    parser.add_argument("--form", action="append", choices=tuple(FORMS), help="of the terminal; all of them by default")
    parser.add_argument("--act", action="append", choices=[*(act.__name__ for act in ACTS), "startups"])
    parser.add_argument("--into", type=Path, default=CORPUS)
    given = parser.parse_args()
    acts = tuple(act for act in ACTS if not given.act or act.__name__ in given.act)
    for agent, version in pins():
        if given.agents and not {agent, f"{agent}@{version}"} & set(given.agents):
            continue
        if installed(agent, version) is None:
            print(f"{agent} {version} is not installed")
            continue
        for form in given.form or FORMS:
            print(f"{agent} {version} as {form}", flush=True)
            record(agent, version, form, given.into, acts)
            if form != "light" and (not given.act or "startups" in given.act):
                for row in STARTUPS:
                    if row.agent == agent and row.version in ("", version):
                        record_startup(row, version, form, given.into)


if __name__ == "__main__":
    main()
