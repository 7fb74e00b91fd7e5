r"""The rows of the coding agents, as they were measured on the real programs (docs/guide/lab.md).

What surprised us:
- Claude Code's prompt turns grey while it works; in 2.1.325 that is all that tells streaming from idle.
- Codex tells its state in its title; what it says on the screen goes away while text streams.
- Gemini CLI says `Ready` in its title while it asks for trust or sign-in. Its box, and where there are no colours its
  hint, look different in each kind of terminal.
- Claude Code without colours tells work by its spinner and its footer; a draft takes the footer's words away, so that
  of text that streams beside a draft nothing tells.
- A leading blank makes `/word` a text in one version of Claude Code and is ignored by the next.
- All but aider read their terminal by events at all times, so that they "read" means nothing. aider hides the
  cursor and gives the terminal back its line mode while it works.
"""

from paneward.core.profiles.row import (
    Activity,
    Dialog,
    Edit,
    Frame,
    Guard,
    Listing,
    Mark,
    Menus,
    Mode,
    Profile,
    Trouble,
    Typing,
    Variant,
    Where,
)

SPINS = r"^[\u2801-\u28ff] "  # braille, in a title


def _program(name: str, interpreter: str = "node") -> tuple[str, ...]:
    """Patterns of a command line that runs it, by itself or as a script; not of one that names it as a file."""
    return rf"^(?:\S*/)?{name}(?:\s|$)", rf"^(?:\S*/)?{interpreter}(?: -\S+)* \S*/{name}(?:\.[cm]?js)?(?:\s|$)"


STREAMING = Activity("streaming", Mark())  # where nothing says that it does something else
PATH = r"(?![^\s/]+/)"  # `/etc/hosts` is the name of no command
COMMANDS = Mode("commands", Mark(Where.DRAFT, rf"^/{PATH}"))
SHOWN = r"(?=[\s\S]{0,800}\Z)(?!(?:.*\n){3})"  # Claude Code shows it; of a paste it collapses it sees no command
NEWLINES = 3  # behind a text make Claude Code collapse it
LEAVE = r"(?:exit|quit|:wq?!?)"
WAIT = 120.0
SETTLES = 0.06

SPINNER = r"^[·✢✳✶✻✽*] \S+…"  # of Claude Code
SLASHED = rf"^{SHOWN}\s*/{PATH}"
CLAUDE_GUARDS = (
    Guard(r"^!", "shell", before=" "),
    Guard(rf"^{SHOWN}\s*{LEAVE}\s*$", "quit", after="\n", times=NEWLINES),
    Guard(r"\\\Z", "newline", after=" ", exact=True),
)
CLAUDE = Profile(
    name="claude",
    about="Claude Code",
    match=_program("claude"),
    launch="claude",
    resume="claude --resume {conversation}",
    versions=("2.1.197", "2.1.325"),
    version=r"\bClaude Code v(\d+\.\d+\.\d+)",
    variants=(
        Variant(("2.1.197",), (("guards", (Guard(rf"^/{PATH}", "command", before=" "), *CLAUDE_GUARDS)),)),
        Variant(
            ("2.1.325",),
            (("guards", (Guard(SLASHED, "command", after="\n", times=NEWLINES), *CLAUDE_GUARDS)),),
        ),
    ),
    frame=Frame.RULES,
    rule=r"^─{10}",
    glyph=r"[❯!]\u00a0",
    reads=False,
    typing=Typing.PASTE,
    settle=SETTLES,
    ghosts=(r"Press up to edit queued messages",),
    placeholders=(r"\[Pasted text #\d+(?: \+\d+ lines)?\]",),
    guards=(  # true of either version, since most screens do not tell it
        Guard(SLASHED, "command", before=" ", after="\n", times=NEWLINES),
        Guard(rf"^(?!{SHOWN})/{PATH}", "command", before=" "),
        *CLAUDE_GUARDS,
    ),
    edits=(Edit.TRIMS_END, Edit.TABS, Edit.NFC),
    first_work=10.0,
    busy=(
        Mark(Where.TITLE, SPINS, lasting=True),
        Mark(Where.GLYPH, r"❯", "fg!=default", lasting=True),
        Mark(Where.ABOVE, SPINNER, "fg!=default", lasting=True),
        Mark(Where.ABOVE, SPINNER, lasting=True, colourless=True),
        Mark(Where.BELOW, r"\besc to interrupt\b", lasting=True),
    ),
    activities=(
        Activity("tool", Mark(Where.ABOVE, r"^\s+⎿\s+(?:Running…|\$ )")),
        Activity("thinking", Mark(Where.ABOVE, SPINNER, "fg!=default")),
        Activity("thinking", Mark(Where.ABOVE, SPINNER, colourless=True)),
        STREAMING,
    ),
    interrupted=(Mark(Where.ABOVE, r"^\s+⎿\s+Interrupted\b"),),
    dialogs=(
        Dialog("trust", r"Quick safety check: Is this a project you created or one you trust\?", startup=True),
        Dialog("key", r"Do you want to use this API key\?", startup=True),
        Dialog("permission", r"Do you want to (?:proceed|make this edit|create|overwrite|allow|run)\b[^?]*\?"),
        Dialog("plan", r"Claude has written up a plan and is ready to execute\. Would you like to proceed\?"),
        Dialog("plan", r"Exit plan mode\? Claude wants to exit plan mode"),
        Dialog("review", r"Ready to submit your answers\?"),
    ),
    menus=Menus(
        settle=0.3,  # it draws a dialog twice, and keys in between are lost
        digits=True,
        amend=("Tab",),
        refuse=r"no",
        toggle=("Enter",),
        keep=("Tab",),
        done=r"Submit",
    ),
    modes=(
        Mode("shell", Mark(Where.GLYPH, r"!")),
        COMMANDS,
        Mode("help", Mark(Where.BELOW, r"^\s*! for (?:shell|bash)\b")),
    ),
    queued=(
        Listing(r"^  ❯ (.+)", style="bg!=default"),
        Listing(r"^❯ (.+)", before=r"^  ctrl\+x ctrl\+s to send now"),
    ),
    queue=("Enter",),
    interrupt=("Escape",),
    cut=("C-c",),
    quits=(r"^\s*(?:/?exit|/?quit|:wq?)\s*$",),
    prose="fg=default",
    quotes=(r"\s+⎿ ",),
    troubles=(
        Trouble("sign_in", r"\bNot logged in\b|\bPlease run /login\b|\bInvalid API key\b"),
        Trouble("limit", r"\b429\b|\b(?:usage )?limit reached\b|\busage limit\b"),
        Trouble("network", r"\bConnection (?:refused|error)\b|\bUnable to connect\b|· Retrying in \d+s"),
    ),
    wait_timeout=WAIT,
)
CODEX = Profile(
    name="codex",
    about="Codex",
    match=_program("codex"),
    launch="codex",
    resume="codex resume {conversation}",
    versions=("0.166.0",),
    version=r"\bOpenAI Codex \(v(\d+\.\d+\.\d+)\)",
    frame=Frame.GLYPH,
    glyph=r"[›!] ",
    glyph_style="bold !dim !reverse",
    reads=False,
    typing=Typing.PASTE,
    settle=SETTLES,
    placeholders=(r"\[Pasted Content \d+ chars\]",),
    guards=(
        Guard(r"^(?! )\s*/", "command", before=" ", exact=True),
        Guard(r"^(?=[\s\S]{0,1000}\Z)\s*!", "shell", after=" ", times=1000),
    ),
    edits=(Edit.TRIMS_START, Edit.TRIMS_END),
    first_work=10.0,
    busy=(
        Mark(Where.TITLE, SPINS, lasting=True),
        Mark(Where.ABOVE, r"(?<=esc) to interrupt\)$", "dim", lasting=True),
    ),
    activities=(
        Activity("tool", Mark(Where.ABOVE, r"(?<=^• )Running ", "bold")),
        Activity("thinking", Mark(Where.ABOVE, r"(?<=esc) to interrupt\)$", "dim")),
        STREAMING,
    ),
    stirs=True,
    interrupted=(Mark(Where.ABOVE, r"^■ Conversation interrupted\b"),),
    dialog=(Mark(Where.TITLE, r"^\[ [!.] \] Action Required", lasting=True),),
    dialogs=(
        Dialog("permission", r"Would you like to [^?]*\?"),
        Dialog("plan", r"Implement this plan\?"),
        Dialog("question", r"Question \d+/\d+ \(\d+ unanswered\) (?P<question>.+?)(?= › 1\. | 1\. |$)"),
        Dialog("sign_in", r"Choose how you want to use Codex\.", startup=True),
        Dialog("update", r"Update available · \S+ → \S+", startup=True),
    ),
    menus=Menus(digits=True, letters=True, field=("Tab",), refuse=r"no\b"),
    modes=(
        Mode("shell", Mark(Where.GLYPH, r"!")),
        COMMANDS,
        Mode("help", Mark(Where.BELOW, r"\? / esc close")),
    ),
    queued=(Listing(r"^  ↳ (.+)", after=r"^• Queued follow-up inputs"),),
    queue=("Tab",),
    steer=("Enter",),
    interrupt=("Escape",),
    cut=("C-c",),
    quits=(r"^/(?:quit|exit)\s*$",),
    prose="fg=default",
    quotes=(r"\s+[└│] ", r"• (?:Ran|Running|Explored|Edited|Added|Deleted)\b"),
    troubles=(
        Trouble("limit", r"\b429 Too Many Requests\b|\busage limit\b"),
        Trouble("network", r"^[•◦] Reconnecting\b|\bConnection failed:|\bstream disconnected\b"),
        Trouble("sign_in", r"\b401 Unauthorized\b"),
    ),
    wait_timeout=WAIT,
)
OPENCODE = Profile(
    name="opencode",
    about="OpenCode",
    match=_program("opencode"),
    launch="opencode",
    resume="opencode --session {conversation}",
    versions=("1.18.33",),
    version=r"(?:\bOpenCode | {3})(\d+\.\d+\.\d+)$",
    frame=Frame.BAR,
    panel=True,
    reads=False,
    typing=Typing.PASTE,
    settle=SETTLES,
    takes=10.0,  # the first text waits for its session; what is submitted twice meanwhile might be sent twice
    placeholders=(r"\[Pasted ~\d+ lines\]",),
    guards=(
        Guard(rf"^/{PATH}", "command", before=" "),
        Guard(r"^!", "shell", before=" "),
        Guard(r"^\s*(?:exit|quit|:q)\s*$", "quit"),
    ),
    edits=(Edit.BLANK_AFTER_PASTE,),
    first_work=30.0,
    busy=(
        Mark(Where.BELOW, r"\besc (?:again to )?interrupt\b", lasting=True),
        Mark(Where.BELOW, r"^\s*[■⬝]", lasting=True),  # where a failure stands over the other
    ),
    activities=(Activity("tool", Mark(Where.ABOVE, r"^\s*┃  [\u2801-\u28ff] ")),),
    interrupted=(Mark(Where.ABOVE, r"▣ .* · interrupted$"),),
    dialog=(
        Mark(Where.SCREEN, r"^\s*┃  △ Permission required", lasting=True),
        Mark(Where.SCREEN, r"┃(?=.* esc dismiss\b)", "fg=140", lasting=True),
    ),
    dialogs=(
        Dialog("permission", r"(?<=△ )(?:Permission required|Always allow)"),
        Dialog(
            "review",
            r"(?<= Confirm )Review (?:\S.*?: .*?)?(?=⇆ tab enter submit esc dismiss)",
            keys=(("Submit", "Enter"), ("Dismiss", "Escape")),
        ),
    ),
    menus=Menus(
        digits=True,
        letters=True,
        buttons=True,
        field=("Enter",),
        refuse=r"(?:reject|cancel)\b",
        toggle=("Enter",),
        keep=("Enter",),
        hand_in=("Tab",),
    ),
    modes=(Mode("shell", Mark(Where.BELOW, r"\besc exit shell mode\b")), COMMANDS),
    queue=("Enter",),
    interrupt=("Escape", "Escape"),
    cut=("C-c",),
    quits=(r"^\s*(?:/?exit|/?quit|:q)\s*$",),
    troubles=(  # it shows the words of the provider
        Trouble("sign_in", r"\b(?:Incorrect|[Ii]nvalid) (?:API|api|x-api)[ -]key\b|\bUnauthorized\b"),
        Trouble("limit", r"\b[Rr]ate limit (?:reached|exceeded)\b|\bToo Many Requests\b|\busage limit\b"),
        Trouble("network", r"\bUnable to connect\b|\bConnection refused\b|\bECONNREFUSED\b"),
    ),
    wait_timeout=WAIT,
)
GEMINI = Profile(
    name="gemini",
    about="Gemini CLI",
    match=_program("gemini"),
    launch="gemini",
    resume="gemini --resume {conversation}",
    versions=("0.61.0",),
    version=r"\bGemini CLI v(\d+\.\d+\.\d+)",
    frame=Frame.RULES,
    rule=r"^(?:[▄▀]{10}|─{10})",
    ground=True,
    glyph=r" [>!*] ",
    reads=False,
    typing=Typing.PASTE,
    settle=0.15,  # an Enter that comes sooner is taken for a part of the paste, on purpose
    ghosts=(r"Type your (?:message or (?:@path/to/file|.+ \(Esc to exit\))|shell command)",),
    placeholders=(r"\[Pasted Text: \d+ (?:lines|chars)\]",),
    guards=(
        Guard(r"^\s*/(?![/*])[^\S\n]*[^\s/]*(?:\s|\Z)", "command"),
        Guard(r"^!", "shell", before=" ", exact=True),
        Guard(r"\\\Z", "newline", after=" ", exact=True),
    ),
    edits=(Edit.TRIMS_START, Edit.TRIMS_END),
    started=r"(?s)\bGemini CLI v\d(?!.*Agent powering down)",
    first_work=10.0,
    busy=(
        Mark(Where.TITLE, r"^✦", lasting=True),
        Mark(Where.ABOVE, r"\(esc to cancel, \d", lasting=True),
    ),
    activities=(Activity("tool", Mark(Where.ABOVE, r"^│ [⊶⊷] ")),),
    interrupted=(Mark(Where.ABOVE, r"^ℹ Request cancelled"),),
    dialog=(Mark(Where.TITLE, r"^✋", lasting=True),),
    dialogs=(
        Dialog("trust", r"Do you trust the files in this folder\?", startup=True),
        Dialog("sign_in", r"How would you like to authenticate for this project\?", startup=True),
        Dialog("permission", r"Allow execution of [^?]*\?|Apply this change\?|Do you want to proceed\?"),
        Dialog(
            "review",
            r"Review your answers: .*?(?= Enter to submit · Tab/Shift\+Tab to edit answers)",
            keys=(("Submit", "Enter"), ("Cancel", "Escape")),
        ),
        Dialog(
            "question",
            r"Answer Questions (?:← [^→]*→ )?(?P<question>[^●]*?) > [^●]*(?=Enter to submit · )",
            field=True,
        ),
    ),
    menus=Menus(
        digits=True,
        refuse=r"no\b",
        toggle=("Enter",),
        keep=("Down",),
        done=r"Done",
        unfolds=True,
        answered=r"^Gemini CLI is restarting\b",
    ),
    modes=(
        Mode("shell", Mark(Where.GLYPH, r"!")),
        COMMANDS,
        Mode("help", Mark(Where.ABOVE, r"^\s*Shortcuts See /help for more")),
    ),
    queued=(Listing(r"^    (\S.*)", after=r"^  Queued \(press ↑ to edit\):", style="dim"),),
    queue=("Enter",),
    interrupt=("Escape",),
    cut=("C-c",),
    quits=(r"^\s*/(?:quit|exit)\s*$",),
    quotes=(r"\s*[│╭]",),
    troubles=(
        Trouble("limit", r"\bRESOURCE_EXHAUSTED\b|\b[Qq]uota exceeded\b|\busage limit\b"),
        Trouble("network", r"\bfetch failed\b|\bECONNREFUSED\b"),
    ),
    wait_timeout=WAIT,
)
AIDER = Profile(
    name="aider",
    about="aider",
    match=_program("aider", r"python[\d.]*"),
    launch="aider",
    resume="aider --restore-chat-history",
    versions=("0.86.2",),
    version=r"^Aider v(\d+\.\d+\.\d+)",
    frame=Frame.LINES,
    glyph=r"(?:[\w-]+(?: multi)?|multi)?> ",
    typing=Typing.PASTE,
    guards=(
        Guard(r"^/", "command", before=" "),
        Guard(r"^!", "shell", before=" "),
        Guard(r"^\n*\{[^\W_]*\n*\Z", "lines", before=" "),
    ),
    first_work=10.0,
    busy=(
        Mark(Where.CURSOR, "hidden", lasting=True),
        Mark(Where.TERMINAL, "canonical", lasting=True),
    ),
    activities=(Activity("thinking", Mark(pattern=r"\bWaiting for \S+/")), STREAMING),
    interrupted=(Mark(Where.ABOVE, r"^\^C again to exit"),),
    dialogs=(
        Dialog("gitignore", r"Add .* to \.gitignore.*", startup=True),
        Dialog("permission", r".*\(Y\)es/\(N\)o.*"),
    ),
    menus=Menus(refuse=r"no\b", leave=()),
    modes=(COMMANDS,),
    interrupt=("C-c",),
    quits=(r"^/(?:quit|exit)\s*$",),
    troubles=(
        Trouble("sign_in", r"\bAuthenticationError\b|\bnot able to authenticate you\b"),
        Trouble("limit", r"\bRateLimitError\b"),
        Trouble("network", r"\bConnection error\.|\bservers are down or overloaded\b"),
    ),
    wait_timeout=WAIT,
)
