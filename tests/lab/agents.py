"""Real agents in the lab: each in a HOME, with a model and in a tmux server of its own.

`with start(agent, version, directory) as lab:` gives a running agent at its input box. It ends by the ids of the
processes that carry its HOME in their environment: some outlive their pane.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.adapters.conftest import TmuxServer, free_port
from tests.lab.model import Model
from tests.lab.recipes import CACHE, RECIPES, Recipe, pins

LAUNCHERS = ("bash", "sh", "env")  # these become the agent
STARTS = 180.0  # seconds; a cold start on a loaded machine takes a sixth of it
SHOWS = 90.0
GROUP = "PANEWARD_LAB_GROUP"  # names a control group that agents join: prove/slow.py
LOOK = 0.02
FACTS = (
    "pane_width",
    "pane_height",
    "cursor_x",
    "cursor_y",
    "cursor_flag",
    "alternate_on",
    "pane_title",
    "pane_current_command",
    "pane_pid",
    "pane_tty",
)


class NotSeen(AssertionError):
    """The evidence that was waited for did not come."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the pane: what tmux knows and what the screen shows."""

    rows: tuple[str, ...]  # with SGR
    text: str  # without
    facts: Mapping[str, str]

    @property
    def title(self) -> str:
        return self.facts["pane_title"]


@dataclass(frozen=True, slots=True)
class LabAgent:
    """A running agent, its model and its pane."""

    recipe: Recipe
    version: str
    server: TmuxServer
    pane: str
    model: Model
    home: Path
    work: Path
    api: int  # port of the agent's own server, where it has one
    output: Path | None = field(default=None)  # all bytes it wrote, when asked for

    def look(self) -> Look:
        """Screen and facts of one moment."""
        facts = "\x1f".join(f"#{{{name}}}" for name in FACTS)
        both = ("display-message", "-p", "-t", self.pane, facts, ";", "capture-pane", "-p", "-e", "-t", self.pane)
        first, _, screen = self.server.run(*both).partition("\n")
        values = dict(zip(FACTS, first.split("\x1f"), strict=True))
        rows = screen.split("\n")
        rows += [""] * (int(values["pane_height"]) - len(rows))
        return Look(tuple(rows), self.server.screen(self.pane), values)

    def wait_screen(self, pattern: str, seconds: float = SHOWS, still: float = 0.0) -> Look:
        """Until the screen matches, and has then not moved for `still` seconds."""
        until, since, before = time.monotonic() + seconds, time.monotonic(), ""
        while True:
            look, now = self.look(), time.monotonic()
            shown = "\n".join(look.rows)
            since, before = (since, before) if shown == before else (now, shown)
            if re.search(pattern, look.text) and now - since >= still:
                return look
            if now > until:
                raise NotSeen(f"{self.recipe.name} {self.version} never showed {pattern!r}, but:\n{look.text}")
            time.sleep(LOOK)

    def wait_composer(self, seconds: float = STARTS) -> Look:
        """Until the empty input box is there and the screen has come to rest."""
        return self.wait_screen(self.recipe.composer, seconds, still=0.3)

    def wait_started(self) -> Look:
        """Until the agent is through with its start, not only drawn; a low pane may have scrolled its words away."""
        until = time.monotonic() + STARTS
        while not re.search(self.recipe.started, self.server.run("capture-pane", "-p", "-S", "-", "-t", self.pane)):
            if time.monotonic() > until:
                raise NotSeen(f"{self.recipe.name} {self.version} never started:\n{self.look().text}")
            time.sleep(LOOK)
        return self.wait_composer()

    def keys(self, *names: str) -> None:
        self.server.run("send-keys", "-t", self.pane, *names)

    def type(self, text: str) -> None:
        self.server.run("send-keys", "-t", self.pane, "-l", "--", text)

    def paste(self, text: str) -> None:
        """A bracketed paste; a buffer from a file knows no limit of length and no special characters."""
        source = self.home / "paste"
        source.write_text(text)
        self.server.run("load-buffer", "-b", "lab", str(source))
        self.server.run("paste-buffer", "-p", "-r", "-d", "-b", "lab", "-t", self.pane)

    def say(self, text: str, shown: str | None = None, settle: float = 0.4) -> None:
        """Paste a text, wait until it stands there, and press Enter."""
        self.paste(text)
        self.wait_screen(re.escape(text[:20]) if shown is None else shown, still=settle)
        self.keys("Enter")

    def resume(self) -> None:
        """Leave it, and take up its conversation again, from the shell that it was started from."""
        self.type(self.recipe.leave)
        self.wait_screen(re.escape(self.recipe.leave), still=0.5)
        self.keys("Enter")
        self.wait_screen(r"(?m)bash-\S*[#$] *$", STARTS)
        self.type(f"sh {self.home}/resume")
        self.keys("Enter")
        until = time.monotonic() + STARTS
        while self.look().facts["pane_current_command"] in LAUNCHERS:
            if time.monotonic() > until:
                raise NotSeen(f"{self.recipe.name} was not started again:\n{self.look().text}")
            time.sleep(LOOK)

    def arrived(self, count: int, seconds: float = SHOWS) -> None:
        """Until so many prompts arrived at the model."""
        if not self.model.wait(lambda: len(self.model.prompts()) >= count, seconds):
            raise NotSeen(f"{count} prompts awaited, arrived: {self.model.prompts()}; screen:\n{self.look().text}")


def installed(agent: str, version: str) -> Path | None:
    """The program of an agent, or None where scripts/lab-install did not put it."""
    program = CACHE / f"{agent}-{version}" / RECIPES[agent].program
    return program if program.exists() else None


def newest(agent: str) -> str:
    return next(version for kind, version in pins() if kind == agent)


def _fill(text: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def write_home(recipe: Recipe, places: Mapping[str, str], files: Mapping[str, str]) -> None:
    """HOME and work folder of one agent; `files` replaces or adds, and an empty text leaves a file out."""
    home, work = Path(places["home"]), Path(places["work"])
    work.mkdir(parents=True)
    (home / "tmp").mkdir()
    for name, text in {**dict(recipe.files), **files}.items():
        if text:
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_fill(text, places))
    if recipe.repository:
        quiet = {"HOME": str(home), "PATH": os.environ["PATH"]}
        subprocess.run(["git", "init", "-q", str(work)], env=quiet, check=True)


def write_launcher(
    recipe: Recipe, program: Path, places: Mapping[str, str], extra: Mapping[str, str], name: str = "launch"
) -> Path:
    """A script that becomes the agent: with a clean environment, and no shell left between tmux and it."""
    home = Path(places["home"])
    environment = {
        "HOME": str(home),
        "PATH": f"{CACHE / 'node'}:/usr/local/bin:/usr/bin:/bin",
        "TERM": "tmux-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TMPDIR": str(home / "tmp"),  # Codex distrusts a home below the system's own
        **{name: _fill(value, places) for name, value in recipe.environment},
        **extra,
    }
    words = [f"{name}={shlex.quote(value)}" for name, value in environment.items() if value]
    inherited = ['TMUX="$TMUX"', 'TMUX_PANE="$TMUX_PANE"']
    command = shlex.join([str(program), *(_fill(word, places) for word in recipe.arguments)])
    script = home / name
    group = os.environ.get(GROUP)
    joins = f"echo $$ >{shlex.quote(group)}/cgroup.procs || exit\n" if group else ""
    runs = f"exec env -i {' '.join(inherited + words)} {command}\n"
    script.write_text(f"#!/bin/sh\n{joins}cd {shlex.quote(places['work'])} || exit\n{runs}")
    script.chmod(0o755)
    return script


def processes_of(home: Path) -> list[int]:
    """The processes that were started with this HOME."""
    mark = b"HOME=" + os.fsencode(home)
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            if mark in Path(f"/proc/{int(entry)}/environ").read_bytes().split(b"\0"):
                found.append(int(entry))
    return found


def end_processes(home: Path, patience: float = 5.0) -> None:
    """End what still runs with this HOME: asked first, then made to."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in processes_of(home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        until = time.monotonic() + patience
        while processes_of(home) and time.monotonic() < until:
            time.sleep(LOOK)


@contextlib.contextmanager
def start(
    agent: str,
    version: str,
    directory: Path,
    *,
    width: int = 100,
    height: int = 34,
    environment: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    arguments: tuple[str, ...] | None = None,
    name: str = "",
    wait: bool = True,
    keep_output: bool = False,
    server: TmuxServer | None = None,
    shell: bool = False,
) -> Iterator[LabAgent]:
    """A real agent, ready at its input box (or just started, without `wait`), and gone afterwards.

    `arguments` replace those of the recipe. An empty text in `files` or `environment` leaves that one out. A `server`
    that is given is not ended. With `shell` it is started from one, as people do, and can be left and resumed.
    """
    recipe, program = RECIPES[agent], installed(agent, version)
    recipe = recipe if arguments is None else replace(recipe, arguments=arguments)
    if program is None:
        raise FileNotFoundError(f"{agent} {version} is not installed; run scripts/lab-install")
    home = directory / (name or f"{agent}-{uuid.uuid4().hex[:8]}")
    own = server or TmuxServer(f"paneward-lab-{uuid.uuid4().hex[:12]}", directory)
    with Model(recipe.toolless, directory / f"{home.name}.jsonl") as model:
        api = free_port()
        places = {"home": str(home), "work": str(home / "work"), "port": str(model.port), "api": str(api)}
        write_home(recipe, places, files or {})
        launcher = write_launcher(recipe, program, places, environment or {})
        resuming = replace(recipe, arguments=(*recipe.arguments, *recipe.resume))
        write_launcher(resuming, program, places, environment or {}, "resume")
        output = directory / f"{home.name}.raw" if keep_output else None
        try:
            words = ["bash", "--norc", "--noprofile"] if shell else ["/bin/sh", str(launcher)]
            pane = own.new_pane(words, width=width, height=height, remain=True)
            if shell:
                own.run("send-keys", "-t", pane, f"clear; sh {shlex.quote(str(launcher))}", "Enter")
            if output:
                own.run("pipe-pane", "-t", pane, f"cat >> {shlex.quote(str(output))}")
            running = LabAgent(recipe, version, own, pane, model, home, home / "work", api, output)
            if wait:
                running.wait_started()
            yield running
        finally:
            if server is None:
                own.end()
            end_processes(home)
            shutil.rmtree(home, ignore_errors=True)
