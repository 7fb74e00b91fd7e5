"""What a person would press in each agent, and what its dialogs say: data for plays in the lab.

The words of the dialogs were read by eye from the screens, never by Paneward's own reader: they are what it is held to.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.lab.agents import LabAgent
from tests.lab.dialects import Json
from tests.lab.recipes import CLAUDE, KEY, pins
from tests.lab.replies import Reply, Tool

WAIT_FOR_FILE = "until [ -e go ]; do sleep 0.1; done; rm go"
QUESTION = "Which colour do you want?"
COLOURS = (("Red", "like fire"), ("Green", "like grass"), ("Blue", "like the sky"))
LABELS = tuple(label for label, _ in COLOURS)


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog as a person reads it; without options it is a line that asks."""

    seen: str  # pattern of a screen that shows it
    question: str
    options: tuple[str, ...] = ()
    free_text: int | None = None  # the option that takes words
    selected: int = 0
    next: str = "Down"  # the key that goes to the next option
    leave: tuple[str, ...] = ("Escape",)


@dataclass(frozen=True, slots=True)
class Moves:
    run: Callable[[str], Reply]  # the model wants to run a command
    permission: Dialog
    approve: tuple[str, ...]
    busy: str  # pattern of a screen that works
    collapsed: Callable[[str], str]  # what the box shows instead of a long paste; "" where it shows the text
    clear: tuple[str, ...] = ("C-c",)  # empties the input box
    queue: tuple[str, ...] = ()  # submits while busy, to be taken later
    queued: str = "next thing"  # pattern of a screen with a queued text
    interrupt: tuple[str, ...] = ("Escape",)
    ask: Callable[[bool], Reply] | None = None  # the model asks: for one, or for several
    question: Dialog | None = None
    several: Dialog | None = None
    to_ask: tuple[str, ...] = ()  # keys to press before the model may ask
    runs: bool = True  # approved commands can be watched running
    drafts_busy: bool = True  # what is typed while it works stands in its box
    modes: Mapping[str, str] = field(default_factory=dict)  # a lone character that is no text: the mode it opens
    make: Callable[[str], Reply] = lambda name: Reply(name)  # the model wants to make a file
    yes: str = "Yes"  # the options of a permission dialog, by label or by how it begins
    no: str = "No"
    always: str = ""
    amends: bool = False  # words can go with a yes
    plans: str = ""  # pattern of a screen in the mode that plans
    approves_plan: str = ""
    plan_approved: str = ""  # what the model is then told


@dataclass(frozen=True, slots=True)
class Startup:
    """A dialog that an agent opens with, when its home lacks an answer."""

    agent: str
    case: str
    dialog: Dialog
    files: Mapping[str, str] = field(default_factory=dict)
    version: str = ""  # of this version only
    environment: Mapping[str, str] = field(default_factory=dict)
    proceed: str = ""  # the option that lets the agent start


def _colours() -> list[Json]:
    return [{"label": label, "description": about} for label, about in COLOURS]


def _call(name: str, **given: object) -> Reply:
    return Reply("Let me see.", tools=(Tool(name, given),))


def _claude_collapsed(text: str, seen: int = 1) -> str:
    lines = text.count("\n")
    if len(text) <= 800 and lines < 3:
        return ""
    return f"[Pasted text #{seen}{f' +{lines} lines' if lines else ''}]"


def _gemini_collapsed(text: str) -> str:
    lines = text.count("\n") + 1
    if lines > 5:
        return f"[Pasted Text: {lines} lines]"
    return f"[Pasted Text: {len(text)} chars]" if len(text) > 500 else ""


def _opencode_collapsed(text: str) -> str:
    lines = text.count("\n") + 1
    return f"[Pasted ~{lines} lines]" if lines >= 3 or len(text) > 150 else ""


MODES = {"/": "commands", "!": "shell", "?": "help"}
MOVES: dict[str, Moves] = {
    "claude": Moves(
        run=lambda command: _call("Bash", command=command, description="Wait for the file"),
        permission=Dialog(r"Do you want to proceed\?", "Do you want to proceed?"),
        approve=("Enter",),
        busy=r"(?m)^[·✢✳✶✻✽] \S+…",
        collapsed=_claude_collapsed,
        queue=("Enter",),
        queued="Press up to edit queued messages",
        ask=lambda several: _call(
            "AskUserQuestion",
            questions=[{"question": QUESTION, "header": "Colour", "multiSelect": several, "options": _colours()}],
        ),
        question=Dialog(r"Enter to select", QUESTION, (*LABELS, "Type something.", "Chat about this"), 3),
        several=Dialog(r"Enter to select", QUESTION, (*LABELS, "Type something", "Chat about this"), 3),
        modes=MODES,
        make=lambda name: _call("Bash", command=f"touch {name}", description="Make a file"),
        always="Yes, and always",
        amends=True,
        plans="plan mode on",
        approves_plan="Yes, manually approve edits",
        plan_approved="User has approved your plan",
    ),
    "codex": Moves(
        run=lambda command: _call(
            "exec_command", cmd=command, sandbox_permissions="require_escalated", justification="Wait for the file?"
        ),
        permission=Dialog(
            r"Press enter to confirm",
            "Would you like to run the following command?",
            (
                "Yes, proceed (y)",
                f"Yes, and don't ask again for commands that start with `{WAIT_FOR_FILE}` (p)",
                "No, and tell Codex what to do differently (esc)",
            ),
            2,
        ),
        approve=("y",),
        busy=r"esc to interrupt\)",
        collapsed=lambda text: f"[Pasted Content {len(text)} chars]" if len(text) > 1000 else "",
        queue=("Tab",),
        queued="Queued follow-up inputs",
        ask=lambda several: _call(
            "request_user_input",
            questions=[{"id": "colour", "header": "Colour", "question": QUESTION, "options": _colours()}],
        ),
        question=Dialog(r"enter to submit answer", QUESTION, (*LABELS, "None of the above"), 3),
        to_ask=("BTab",),
        modes=MODES,
        make=lambda name: _call(
            "exec_command", cmd=f"touch {name}", sandbox_permissions="require_escalated", justification="Make it?"
        ),
        yes="Yes, proceed",
        always="Yes, and don't ask again",
        plans="Plan mode",
        approves_plan="Yes, implement this plan",
        plan_approved="Implement the plan",
    ),
    "opencode": Moves(
        run=lambda command: _call("bash", command=command, description="Wait for the file"),
        permission=Dialog(
            r"enter confirm", "Permission required", ("Allow once", "Allow always", "Reject"), 2, next="Right"
        ),
        approve=("Enter",),
        busy=r"esc interrupt",
        collapsed=_opencode_collapsed,
        queue=("Enter",),
        interrupt=("Escape", "Escape"),
        ask=lambda several: _call(
            "question",
            questions=[{"question": QUESTION, "header": "Colour", "multiple": several, "options": _colours()}],
        ),
        question=Dialog(r"esc dismiss", QUESTION, (*LABELS, "Type your own answer"), 3),
        several=Dialog(r"esc dismiss", f"{QUESTION} (select all that apply)", (*LABELS, "Type your own answer"), 3),
        modes={"/": "commands", "!": "shell"},
        make=lambda name: _call("bash", command=f"touch {name}", description="Make a file"),
        yes="Allow once",
        no="Reject",
        always="Allow always",
    ),
    "gemini": Moves(
        run=lambda command: _call("run_shell_command", command=command, description="Wait for the file"),
        permission=Dialog(
            r"Allow execution of",
            "Allow execution of [Shell]?",
            ("Allow once", "Allow for this session", "No, suggest changes (esc)"),
            2,
        ),
        approve=("Enter",),
        busy=r"esc to cancel, ",
        collapsed=_gemini_collapsed,
        queue=("Enter",),
        queued=r"Queued \(press",
        ask=lambda several: _call(
            "ask_user",
            questions=[
                {
                    "question": QUESTION,
                    "header": "Colour",
                    "type": "choice",
                    "multiSelect": several,
                    "options": _colours(),
                }
            ],
        ),
        question=Dialog(r"Enter to select", QUESTION, (*LABELS, "Enter a custom value"), 3),
        several=Dialog(r"Enter to select", QUESTION, (*LABELS, "All of the above", "Enter a custom value"), 4),
        modes=MODES,
        make=lambda name: _call("run_shell_command", command=f"touch {name}", description="Make a file"),
        yes="Allow once",
        always="Allow for this session",
    ),
    "aider": Moves(
        run=lambda _: Reply("foo.txt\n```\nhello\n```\n"),
        permission=Dialog(r"(?m)\(Y\)es/\(N\)o \[Yes\]: *$", "Create new file? (Y)es/(N)o [Yes]:"),
        approve=("y", "Enter"),
        busy=r"Waiting for openai",
        collapsed=lambda _: "",
        interrupt=("C-c",),
        runs=False,
        drafts_busy=False,
        modes={"/": "commands"},
        make=lambda name: Reply(f"{name}\n```\nhello\n```\n"),
    ),
}
CLAUDE_PERMISSION = {
    "2.1.197": ("Yes", "Yes, and always allow access to work/ from this project", "No"),
    "2.1.325": (
        "Yes",
        "Yes, and always allow access to {work} from this project",
        "Yes, and switch to auto mode · auto mode handles these prompts for you",
        "No",
    ),
}
_HOME = dict(CLAUDE.files)[".claude.json"]
TRUST = "Quick safety check: Is this a project you created or one you trust?"
UNTRUSTED = {".claude.json": _HOME.replace("hasTrustDialogAccepted", "other")}
STARTUPS = (
    Startup(
        "claude",
        "trust",
        Dialog(r"Yes, I trust", TRUST, ("Yes, I trust this folder", "No, exit")),
        UNTRUSTED,
        "2.1.197",
        proceed="Yes, I trust this folder",
    ),
    Startup(
        "claude",
        "trust",
        Dialog(r"Yes, I trust", TRUST, ("No, exit", "Yes, I trust this folder")),
        UNTRUSTED,
        "2.1.325",
        proceed="Yes, I trust this folder",
    ),
    Startup(
        "claude",
        "key",
        Dialog(
            r"Do you want to use this API key\?",
            "Do you want to use this API key?",
            ("Yes", "No (recommended)"),
            selected=1,
        ),
        files={".claude.json": _HOME.replace(KEY[-20:], "other")},
        proceed="Yes",
    ),
    Startup(
        "gemini",
        "trust",
        Dialog(
            r"Do you trust",
            "Do you trust the files in this folder?",
            ("Trust folder (work)", "Trust parent folder (home)", "Don't trust"),
        ),
        files={
            ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}, '
            '"folderTrust": {"enabled": true}}, "general": {"enableAutoUpdate": false}}'
        },
        environment={"GEMINI_CLI_TRUST_WORKSPACE": ""},
        proceed="Trust folder",
    ),
    Startup(
        "gemini",
        "sign_in",
        Dialog(
            r"Get started",
            "How would you like to authenticate for this project?",
            ("Sign in with Google", "Use Gemini API Key", "Vertex AI"),
        ),
        files={".gemini/settings.json": '{"security": {"folderTrust": {"enabled": false}}}'},
        environment={"GEMINI_API_KEY": ""},
    ),
    Startup(
        "aider",
        "gitignore",
        Dialog(r"\(Y\)es/\(N\)o", "Add .aider* to .gitignore (recommended)? (Y)es/(N)o [Yes]:"),
        environment={"AIDER_GITIGNORE": ""},
        proceed="Yes",
    ),
)


def steps_of(agent: str) -> Reply:
    """The model asks two things at once."""
    asked = (
        ("colour", "Colour", "Which colour?", ("Red", "Green")),
        ("fruit", "Fruit", "Which fruit?", ("Apple", "Pear")),
    )
    questions: list[Json] = []
    for name, header, question, labels in asked:
        options = [{"label": label, "description": f"like {label}"} for label in labels]
        one: Json = {"question": question, "header": header, "options": options}
        extra: dict[str, Json] = {
            "claude": {"multiSelect": False},
            "codex": {"id": name},
            "opencode": {"multiple": False},
            "gemini": {"type": "choice", "multiSelect": False},
        }
        questions.append({**one, **extra[agent]})
    tool = {"claude": "AskUserQuestion", "codex": "request_user_input", "opencode": "question", "gemini": "ask_user"}
    return _call(tool[agent], questions=questions)


def plan_of(running: LabAgent) -> tuple[Reply, ...]:
    """The model has a plan; Claude Code wants it in the file that it names in its requests."""
    if running.recipe.name == "codex":
        return (Reply("Here it is.\n<proposed_plan>\n# The plan\n\n1. Make a file\n2. Go home\n</proposed_plan>\n"),)
    asked = json.dumps([turn.body for turn in running.model.turns()])
    path = re.findall(r"/[^\s\"\\`]*/\.claude/plans/[^\s\"\\`]*\.md", asked)[-1]
    write = _call("Write", file_path=path, content=f"# The plan\n\n1. Make a file\n2. Go home {len(asked)}\n")
    return write, _call("ExitPlanMode")


def moves_of(agent: str, version: str, work: str) -> Moves:
    """The moves in one version of an agent that works in the folder `work`."""
    moves = MOVES[agent]
    if agent != "claude":
        return moves
    newest = next(pin for kind, pin in pins() if kind == "claude")
    options = CLAUDE_PERMISSION.get(version, CLAUDE_PERMISSION[newest])
    said = tuple(option.replace("{work}", work) for option in options)
    return replace(moves, permission=replace(moves.permission, options=said, free_text=len(said) - 1))
