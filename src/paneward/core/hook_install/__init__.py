"""How hooks are put into the settings of agents, and taken out: data, and functions on the text of a file.

What is ours is told by its command. All else in a file is left as it is, byte by byte: an entry is put behind what
stands there, and taking it out again leaves the text that was there before.

What surprised us: Codex writes its own tables into the same file, at the end and before a last comment, so no mark of
ours may span several lines; each of ours carries the mark. It also writes down there which hooks its user has
reviewed; what it says of ours goes with them. A hook's output is told to the model, so ours has none.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from paneward.core.hook_install.entries import OURS as OURS
from paneward.core.hook_install.entries import EditRefused as EditRefused
from paneward.core.hook_install.entries import is_ours, listed, mapping
from paneward.core.hook_install.in_json import edit_json, root_of
from paneward.core.hook_install.in_toml import edit_toml, read_toml
from paneward.core.hook_install.plugin import edit_plugin

# One line, for every shell: what runs it may be fish or zsh, so it hands over to sh. A file for each hook, in one go:
# two at once cannot mix, however long they are. The end tells a whole one. Nothing is printed, and nothing fails; an
# agent is heard out even where nothing can be written.
_SCRIPT: Final = (
    'exec 2>/dev/null; n=0; while [ -e "$2/$$.$n" ]; do n=$((n+1)); done; '
    '{ printf "%s\\t%s\\t%s\\n" "$1" "$TMUX_PANE" "$TMUX"; cat; printf "\\n.\\n"; } >"$2/$$.$n" '
    "|| cat >/dev/null; exit 0"
)


@dataclass(frozen=True, slots=True)
class Hooking:
    """How one agent is told of hooks."""

    file: str  # below its folder
    folder: str  # below HOME
    variable: str = ""  # that names another folder
    below: str = ""  # what is added to the folder that the variable names
    events: Mapping[str, str] = field(default_factory=dict)  # each hook, with the tools it is for; none: all
    handler: Mapping[str, Any] = field(default_factory=dict)  # more of what an entry says


HOOKING: Final[Mapping[str, Hooking]] = {
    "claude": Hooking(
        "settings.json", ".claude", "CLAUDE_CONFIG_DIR",
        events={
            "SessionStart": "", "UserPromptSubmit": "", "PreToolUse": "AskUserQuestion|ExitPlanMode",
            "PermissionRequest": "", "PostToolUse": "", "Notification": "", "Stop": "", "PreCompact": "",
            "SessionEnd": "",
        },
        handler={"timeout": 10},
    ),
    "codex": Hooking(
        "config.toml", ".codex", "CODEX_HOME",
        events=dict.fromkeys(
            ("SessionStart", "UserPromptSubmit", "PermissionRequest", "PostToolUse", "Stop", "PreCompact", "Interrupt",
             "SessionEnd"), ""
        ),
        handler={"timeout": 10},
    ),
    "opencode": Hooking("plugin/paneward.js", ".config/opencode", "XDG_CONFIG_HOME", "opencode"),
    "gemini": Hooking(
        "settings.json", ".gemini",
        events={
            "SessionStart": "", "BeforeAgent": "", "BeforeTool": "ask_user|exit_plan_mode", "AfterTool": "",
            "Notification": "", "AfterAgent": "", "SessionEnd": "",
        },
        handler={"name": "paneward", "timeout": 10000},
    ),
}  # fmt: skip


def command(agent: str, spool: str) -> str:
    """What the agent runs: it writes what it is given, and where it ran, into a file of the spool."""
    return f"exec /bin/sh -c '{_SCRIPT}' {OURS} {agent} {shlex.quote(spool)}"


def edit(agent: str, text: str | None, spool: str | None) -> str | None:
    """The text of the settings with our hooks, or without them where `spool` is none; None for no file at all."""
    if agent == "opencode":
        return edit_plugin(text, spool)
    entries = {} if spool is None else {name: _group(agent, tools, spool) for name, tools in _events(agent)}
    return (edit_toml if agent == "codex" else edit_json)(text, entries)


def present(agent: str, text: str | None) -> tuple[str, ...]:
    """The hooks of ours that the settings have."""
    if text is None:
        return ()
    if agent == "opencode":
        return ("plugin",) if OURS in text.partition("\n")[0] else ()
    data = read_toml(text) if agent == "codex" else root_of(text).data()
    return tuple(name for name, groups in mapping(data.get("hooks")).items() if any(map(is_ours, listed(groups))))


def _events(agent: str) -> Iterator[tuple[str, str]]:
    yield from HOOKING[agent].events.items()


def _group(agent: str, tools: str, spool: str) -> dict[str, Any]:
    handler = {"type": "command", "command": command(agent, spool), **HOOKING[agent].handler}
    return {**({"matcher": tools} if tools else {}), "hooks": [handler]}


@dataclass(frozen=True, slots=True)
class Hooked:
    """The settings of one agent, and our hooks in them."""

    agent: str
    path: str
    state: str  # `installed`, `outdated` (of another version or for another spool), `absent`, `broken`
    hooks: tuple[str, ...] = ()
    changed: bool = False
    diff: str = ""  # what was changed, or would be
    note: str = ""  # what else there is to know or to do


NOTES: Final[Mapping[str, str]] = {
    "codex": "Codex asks its user once, at its next start, to review new hooks; until then they do not run.",
    "opencode": "OpenCode loads plugins when it is started.",
}
