"""Writes the generated pages: docs/reference.md, docs/states.md and what docs/agents/ says of the profiles; with
--picture docs/picture.svg too.

Shape: functions from the code to Markdown. What cannot be read from the code, a sentence per rule or variable, stands
in a table here, and a test says when one is missing. The picture is a recording of the real tour, so its times differ
at each run: it is made only when it is asked for.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer.main
from rich.console import Console

from paneward import config
from paneward.core import profiles, result
from paneward.core.errors import Code
from paneward.core.profiles import row
from paneward.core.readiness import rules as readiness
from paneward.core.terminal import flow
from paneward.demo import agent, tour
from paneward.surfaces.cli import EXAMPLES, app
from paneward.surfaces.cli.exits import MEANING, OF_CODE, OF_DELIVERY, OF_READINESS
from paneward.surfaces.cli.meaning import meanings
from paneward.surfaces.cli.show.upkeep import yaml_value
from paneward.surfaces.http.errors import STATUS
from scripts.agent_pages import AGENTS, code, filled, table
from scripts.server_pages import agent_states, event_list, host_states, metrics, roles

DOCS = Path(__file__).resolve().parent.parent / "docs"
GENERATED = "<!-- Written by `make docs` from the code. Do not edit. -->\n"

RULE_MEANING = {
    "alive": "Is the pane there, and its program running? If not: `dead`.",
    "input_unread": "Typed bytes that the program has not taken yet: it is at work.",
    "dialog": "For a known agent: a dialog in the place of its input box: `awaiting_answer`, with its question.",
    "busy_mark": "A mark of work that the profile names, if it is a lasting one or the screen moves: it is at work.",
    "menu": "A dialog with options that act on keys: `awaiting_answer`, with its question.",
    "composer": "For a profile with a framed input box: `ready` when the box is on the screen.",
    "no_composer": "For a profile with a framed input box that is not on the screen: not yet, whatever else is seen.",
    "not_reading": "The program is seen not to wait for its terminal: it is at work.",
    "echo_off": "Whole lines are read and not echoed: a password, `awaiting_answer`.",
    "question": "The cursor's line asks something, such as `Continue? [y/N]`: `awaiting_answer`.",
    "shell": "A shell is editing its command line: `ready`.",
    "prompt": "The cursor's line matches the prompt pattern: `ready`. `50%` and `<html>` never do.",
    "prompt_unproven": "The same of a program that cannot be seen to read, or that took its terminal for itself and is"
    " younger than a minute: `ready`, but only the prompt says so.",
    "stable": "Nothing moved for a second and nothing proves more: `stable`, which counts only where it is accepted.",
}
READY_MEANING = {
    result.ReadyVerdict.READY: "it will take input now",
    result.ReadyVerdict.AWAITING_ANSWER: "it asks something; the question comes with the answer",
    result.ReadyVerdict.BUSY: "it was proven to be at work when the time was up",
    result.ReadyVerdict.STABLE: "nothing moves and nothing proves more; ready only with `accept_stable`",
    result.ReadyVerdict.DEAD: "the program or the pane is gone",
    result.ReadyVerdict.TIMEOUT: "none of these in time; the screen comes with it",
}
AFTER_WORDS = {
    "delivered": "It has shown no work yet: not ready.",
    "worked": "It was at work since, and is at rest: the rules above hold.",
    "reads_again": "A shell, or a program that reads whole lines, has read all that was typed, and reads on: the same.",
    "answered": "Something stands below the text, and nothing new was painted for 2 s: the same.",
    "unseen": "No sign of work for 2 s, or for `first_work` of its profile: `ready`, which rests on time alone.",
    "record": "An agent that a server follows: what `ps` says of it, whatever its screen looks like.",
}
RUNG_MEANING = {
    result.Rung.NOTHING: "nothing was typed",
    result.Rung.TYPED: "tmux took the bytes",
    result.Rung.RENDERED: "the text was seen where the program shows its input",
    result.Rung.SUBMITTED: "the program let go of it: its input is empty again, or it moved on",
    result.Rung.ACCEPTED: "the program works on it (a server sees it later and upgrades the receipt)",
    result.Rung.ACTED: "the program answered (reserved: no evidence of this version reaches it)",
}
VERDICT_MEANING = {
    result.Verdict.CONFIRMED: "proven; `success` is true",
    result.Verdict.UNCONFIRMED: "typed, but nothing seen proves or disproves that it was submitted",
    result.Verdict.FAILED: "refused or failed; `error_type` says why, and the rung whether anything was typed",
}
PHASE_MEANING = {
    flow.Phase.INTENDED: "written down before the first byte is typed",
    flow.Phase.TYPED: "the text was seen in the input",
    flow.Phase.SUBMITTING: "written down before submit is pressed",
    flow.Phase.DONE: "the receipt is stored",
}
VARIABLES = {
    "PANEWARD_<SECTION>__<KEY>": "A setting, for example `PANEWARD_TMUX__BINARY`; it goes before the file.",
    "PANEWARD_CONFIG": "The configuration file, where `--config` does not name one.",
    "PANEWARD_STATE_DIR": "The directory of locks, the store and the token; else `~/.local/state/paneward`.",
    "PANEWARD_TOKEN_FILE": "A file with the token that commands act by; else `token` in the state directory.",
    "PANEWARD_LOG": "`debug`, `info`, `warning` or `error`: what is logged to standard error; else only by `up`.",
    "PANEWARD_EVENTS": "The event file of an agent: where `paneward signal` puts what it says.",
    "XDG_CONFIG_HOME": "Where `paneward/config.yaml` and OpenCode's plugins are looked for; else `~/.config`.",
    "XDG_STATE_HOME": "Where the state directory is made; else `~/.local/state`.",
    "TMUX": "Set by tmux in its panes: the server that is meant where neither `-L` nor `-S` is given.",
    "NO_COLOR": "No colours, also on a terminal.",
}


# --- commands


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its whole name, groups before what is in them."""
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        yield whole, command
        if hasattr(command, "commands"):
            yield from commands(command, whole)


def parameter(param: Any) -> tuple[str, str, str]:
    """What is written, the default, the help."""
    if param.param_type_name == "argument":
        return code(param.metavar), "", param.help
    names = ", ".join(code(f"{name} {param.metavar or ''}".strip()) for name in param.opts)
    shown = param.default not in (None, False, [], ())
    return names, code(param.default) if shown else "", param.help


def arguments(params: Iterable[Any]) -> str:
    rows = [parameter(param) for param in params if param.name != "help"]
    return table(("", "default", ""), rows) if rows else ""


def command_page(name: str, command: Any) -> str:
    examples = "\n".join(EXAMPLES[name])
    words = [f"### paneward {name}\n", command.help, f"```sh\n{examples}\n```"]
    if name == "demo-agent":
        words.append(f"```\n{demo_agent_help()}```")
    elif rows := arguments(command.params):
        words.append(rows)
    return "\n\n".join(words).replace("\n\n\n", "\n\n").rstrip() + "\n"


def demo_agent_help() -> str:
    os.environ["COLUMNS"] = "100"
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        agent.options(["--help"])
    return re.sub(r"\n{2,}", "\n\n", shown.getvalue())


# --- settings, profiles, errors


def settings() -> Iterator[tuple[str, str, str, str]]:
    for section, kind in config.SECTIONS.items():
        hints = get_type_hints(kind, include_extras=True)
        for item in fields(kind):
            about = next(mark for mark in reversed(get_args(hints[item.name])) if isinstance(mark, str))
            allowed = config.allowed(hints[item.name])
            yield code(f"{section}.{item.name}"), code(yaml_value(item.default)), allowed, about


def profile_fields() -> Iterator[tuple[str, str, str]]:
    yield from fields_of(profiles.Profile, meanings(profiles.Profile))


def fields_of(kind: type[Any], meaning: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for item in fields(kind):
        if item.name != "name" or kind is not profiles.Profile:
            default = "" if item.default is MISSING else yaml_value(profiles.as_data(item.default))
            yield code(item.name), code(default), meaning[item.name]


def profile_parts() -> Iterator[str]:
    """What stands in a profile, kind by kind."""
    for kind in (
        row.Mark,
        row.Mode,
        row.Activity,
        row.Listing,
        row.Dialog,
        row.Guard,
        row.Menus,
        row.Trouble,
        row.Variant,
    ):
        yield f"#### {kind.__name__}\n"
        yield f"{kind.__doc__}\n"
        yield table(("field", "default", ""), fields_of(kind, meanings(kind)))


def troubles() -> dict[str, str]:
    """What each error code means: the first paragraph under its heading in the guide."""
    page = (DOCS / "guide" / "troubleshooting.md").read_text()
    return {name: " ".join(text.split()) for name, text in re.findall(r"^### (\w+)\n\n(.+?)\n\n", page, re.S | re.M)}


def errors() -> Iterator[tuple[str, str, str, str]]:
    meaning = troubles()
    for one in Code:
        link = f"[`{one}`](guide/troubleshooting.md#{one.lower()})"
        yield link, str(int(OF_CODE[one])), str(STATUS[one]), meaning.get(one, "")


# --- pages


def reference() -> str:
    root = typer.main.get_command(app)
    parts = [
        GENERATED,
        "# Reference\n",
        "## Commands\n",
        "`paneward [OPTIONS] COMMAND`. These options stand before the command; `--json` may also stand behind it.\n",
        arguments(root.params),
        *(command_page(name, command) for name, command in commands(root)),
        "## Exit codes\n",
        table(("exit code", "means"), ((int(one), words) for one, words in MEANING.items())),
        "## Error codes\n",
        table(("code", "exit code", "HTTP", "what was seen"), errors()),
        "## JSON\n",
        JSON,
        "## Settings\n",
        SETTINGS,
        table(("key", "default", "allowed", ""), settings()),
        "## The server\n",
        SERVER,
        "### Roles\n",
        roles(),
        "### Metrics\n",
        metrics(),
        "## Environment\n",
        table(("variable", ""), ((code(name), words) for name, words in VARIABLES.items())),
        "## Profiles\n",
        "Tried in this order on the command line of the program in the foreground; `generic` is what is left.\n",
        table(("profile", "for"), ((code(one.name), one.about) for one in profiles.BUILT_IN.values())),
        "### Fields of a profile\n",
        table(("field", "default", ""), profile_fields()),
        *profile_parts(),
    ]
    return "\n".join(parts)


JSON = """With `--json` a command prints exactly one JSON document and nothing else, also when it fails.

- `ok` is true exactly when the exit code is 0.
- A failure has `status: "error"`, `error_type` (the error code in small letters) and `error` with `code`, `message` and
  `hint`. A wrong command line has the code `USAGE`.
- `send`, `keys` and `answer` print the receipt: `status` (`ok`, `unconfirmed`, `error`), `verdict`, `rung`, `evidence`,
  `success`, `enters`, `latency_ms`, `pane`, `profile`, `message_id`, `repeated`, `notes`, `detail`, `hint`, `dump`.
- `wait` prints `verdict`, `rule`, `evidence`, `question`, `elapsed` (seconds), `is_ready`, `screen`.
- `menu` prints `menu`: null, or `question`, `options` (`number`, `label`, `key`, `checked`), `selected` and `free_text`
  (indexes into `options`), `multi`, `fingerprint`.
- `panes` prints for each pane also `profile`, `version` (what its screen shows, or null) and `version_known`.
- `profiles check` prints the reading: `profile` with `pattern` and `line`, `version`, `version_known`, `verdict`,
  `state`, `composer`, `draft`, `ghost`, `placeholder`, `mode`, `queued`, `busy` and `asks` (each mark with what was
  `seen` of it), `kind`, `question`, `menu`, `spots` (what stands on which rows) and `screen`.
- `report` prints `files` and what they contain.
- `read` prints `text`; `panes`, `deliveries`, `profiles` and `doctor` print a list under `panes`, `deliveries`,
  `profiles` and `checks`; `profiles show` prints `profile`; `config` prints `settings` with the origin of each.
- `explain` prints the verdict with `tried`, `process`, `cursor`, `screen` and `menu`, and `state`: what the agent does,
  with its `evidence`, and the `claims` of all sources.
- `up` and `status` print `url`, `pid`, `version`, `sign_in` (the address that signs a browser in, once) and `states`
  (how many agents stand where); `down` prints the `url` of what it ended, empty where no server ran.
- `ps` prints `agents`: each with its `stage` as it is stored and as it is `shown`, its `question`, `pane`, `role` and
  `labels`; `adopt` prints `agent`.
- `respond` prints `agent_id`, `new_state`, `turn_id` and the `receipt`.
- `events` prints `events`; with `--follow` one event per line. `ps --watch` prints one document per change.
- `send --to` and `wait` on several print `outcomes`: the answer for each `target`.
- `token` prints `token`, `role`, `agent` and `seconds`.

Keys may be added; none will change its meaning.
"""
SERVER = """`/openapi.json` of a running server describes every route, body and error; the [guide](guide/server.md) says
how to begin. The [states of an agent](states.md#agents) and the [events](states.md#events) have a page of their own.
"""
SETTINGS = """`config.yaml` is looked for by `--config`, then `PANEWARD_CONFIG`, then in `~/.config/paneward`.
`.paneward.yaml` of the working directory may set [a few harmless keys](guide/config.md#a-projects-own-settings). Each
key can be set by the environment as well. `paneward config show` tells what is in effect and
where it comes from.
"""


def states() -> str:
    parts = [
        GENERATED,
        "# States and rules\n",
        "What Paneward says of a pane, of a delivery and of an agent, and by which rules.\n",
        "## Readiness\n",
        table(
            ("verdict", "means", "exit code of `wait`"),
            ((code(one), READY_MEANING[one], int(OF_READINESS[one])) for one in result.ReadyVerdict),
        ),
        "### The rules, in the order in which they are tried\n",
        "The first that decides wins; a rule that finds the program at work ends the search, and only time can tell.\n"
        "`paneward explain` shows what each of them found.\n",
        table(
            ("", "rule", ""), ((n, code(name), RULE_MEANING[name]) for n, (name, _) in enumerate(readiness.RULES, 1))
        ),
        "### After words of ours\n",
        "A program that looks ready right after a delivery may not have begun. What decides then:\n",
        table(("rule", ""), ((code(name), meaning) for name, meaning in AFTER_WORDS.items())),
        "## Deliveries\n",
        table(
            ("verdict", "means", "exit code"),
            ((code(one), VERDICT_MEANING[one], _exit_of(one)) for one in result.Verdict),
        ),
        "### Rungs, lowest first\n",
        table(("rung", "proven"), ((code(one), RUNG_MEANING[one]) for one in result.Rung)),
        "### Phases, as they are stored\n",
        "After a crash, the phase tells what a call with the same `message_id` may still do.\n",
        table(("phase", "when"), ((code(one), PHASE_MEANING[one]) for one in flow.Phase)),
        *agent_states(),
        *host_states(),
        *event_list(),
    ]
    return "\n".join(parts)


def _exit_of(verdict: result.Verdict) -> str:
    return "by its error code" if verdict is result.Verdict.FAILED else str(int(OF_DELIVERY[verdict]))


PAGES: dict[str, Callable[[], str]] = {
    "reference.md": reference,
    "states.md": states,
    "agents/README.md": partial(filled, DOCS / "agents" / "README.md"),
    **{f"agents/{one.name}.md": partial(filled, DOCS / "agents" / f"{one.name}.md", one) for one in AGENTS},
}


def picture() -> str:
    """The middle of the tour, as it looks in a terminal; drawn with fonts of the reader's machine."""
    console = Console(
        record=True, width=84, force_terminal=True, color_system="truecolor", highlight=False, file=io.StringIO()
    )
    tour.STEPS, tour.NEXT = (tour.send_a_text, tour.be_asked, tour.be_refused), ""
    if tour.play(fast=True, console=console):
        sys.exit("the tour failed: no picture")
    drawn = console.export_svg(title="paneward demo", font_aspect_ratio=0.61, unique_id="paneward")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def main(arguments: list[str]) -> None:
    for name, write in PAGES.items():
        (DOCS / name).write_text(write())
        print(f"docs/{name} written")
    if "--picture" in arguments:
        (DOCS / "picture.svg").write_text(picture())
        print("docs/picture.svg written")


if __name__ == "__main__":
    main(sys.argv[1:])
