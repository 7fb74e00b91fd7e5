"""The rows of what is no agent: shells, other multiplexers, the unknown program, and the demo agent."""

from paneward.core.profiles.row import Dialog, Frame, Mark, Profile, Typing

SPINNER = r"[\u2801-\u28ff✻✽✶✳✢]"

SHELL = Profile(
    name="shell",
    about="bash, zsh, fish, sh and their kin at a prompt",
    match=(r"^(?:\S*/)?-?(?:ba|z|fi|da|k|mk|a|tc|c)?sh(?:\s|$)",),
    typing=Typing.AUTO,
    interrupt=("C-c",),
    quits=(r"^\s*(?:exit|logout)\b",),
)
MULTIPLEXER = Profile(
    name="multiplexer",
    about="another tmux, screen or zellij inside the pane",
    match=(r"^(?:\S*/)?(?:tmux(?:: client)?|screen|SCREEN|zellij|byobu|dvtm)(?:\s|$)",),
    frame=Frame.RULES,
    rule=r"(?!)",
    closed="another tmux or screen runs in the pane, and which program keys would reach cannot be told: "
    "name the inner server with -L, or the program with --profile",
)
GENERIC = Profile(
    name="generic",
    about="any program nobody told Paneward about",
    prompt=r"[$#>%❯›»]\s*$",
    settle=0.06,
    floor=True,
    escape_dismisses=True,
    placeholders=(r"\[(?:Pasted|Paste|pasted)[^\]]*\]",),
    # `Esc to cancel` alone is what dialogs say; with a running time it is work.
    busy=(
        Mark(pattern=rf"{SPINNER}\s+\S"),
        Mark(pattern=r"(?i)\b(?:esc|ctrl[+-]c) to (?:interrupt|stop)\b|\(esc to cancel, \d"),
    ),
)
DEMO = Profile(
    name="demo",
    about="the demo agent that ships with Paneward",
    match=(r"\bdemo-agent\b", r"\bpaneward[./]demo[./]agent\b"),
    frame=Frame.RULES,
    glyph=r"❯[\u00a0 ]?",
    typing=Typing.PASTE,
    placeholders=(r"\[Pasted text #\d+(?: \+\d+ lines)?\]",),
    busy=(Mark(pattern=r"\besc to interrupt\b"),),
    dialogs=(Dialog("permission", r"Do you want to proceed\?"),),
    queue=("Enter",),
    interrupt=("Escape",),
    cut=("C-c",),
    quits=(r"^(?:exit|crash)\b",),
    wait_timeout=120.0,
)
