"""What can be known of a kind of program: data.

A profile is a row. If a new program needs code, the row lacks a field. Rows are hashable, since what was read by
one is remembered by it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PROMPT = r"[$#>%]\s*$"
RULE = r"^\s*[─━═╌╭╰╮╯┌└┐┘-]{3,}.*[─━═╌╭╰╮╯┌└┐┘-]\s*$"


class Typing(StrEnum):
    """How text is put into the program."""

    KEYS = "keys"  # literal keys, as a person would type
    PASTE = "paste"  # a buffer and bracketed paste: the text arrives whole
    AUTO = "auto"  # one short line as keys, anything else pasted


class Frame(StrEnum):
    """Where the input stands on the screen."""

    CURSOR = "cursor"  # on the cursor's line, after whatever stood left of the cursor before typing
    RULES = "rules"  # between the two horizontal rules around the cursor
    BAR = "bar"  # behind a vertical bar that is closed below; its last row names the mode
    GLYPH = "glyph"  # from a glyph at the left edge down to the blank row above the footer
    LINES = "lines"  # the cursor's line and those around it that begin with the prompt


class Where(StrEnum):
    """Where a mark is looked for."""

    SCREEN = "screen"  # in any row
    ABOVE = "above"  # in the rows above the composer
    BELOW = "below"  # in the rows below the composer, and in the last one inside a bar
    GLYPH = "glyph"  # the prompt of the composer
    DRAFT = "draft"  # the text in the composer
    TITLE = "title"  # the title of the pane
    CURSOR = "cursor"  # the word `hidden` or `shown`
    TERMINAL = "terminal"  # the word `canonical` or `raw`


class Edit(StrEnum):
    """What a program itself changes in a text it is given."""

    TRIMS_START = "trims_start"  # blanks and newlines at the beginning are cut
    TRIMS_END = "trims_end"  # blanks and newlines at the end are cut
    TABS = "tabs"  # a tab becomes four blanks
    NFC = "nfc"  # letters and their marks are composed
    BLANK_AFTER_PASTE = "blank_after_paste"  # a paste that is shown as a placeholder gets a blank at its end


@dataclass(frozen=True, slots=True)
class Mark:
    """Something on the screen that tells a state."""

    where: Where = Where.SCREEN
    pattern: str = ""  # pattern of what stands there; anything where it is left out
    style: str = ""  # how its first cell is drawn: `bold`, `dim`, `reverse`, `fg=174`, `bg=28`, `fg!=default`
    lasting: bool = False  # it is true also while nothing moves
    colourless: bool = False  # it counts only where the rules of the composer are drawn without colours


@dataclass(frozen=True, slots=True)
class Mode:
    """A state of the composer in which a text would not be taken as text."""

    name: str  # `commands`, `shell`, `help`
    mark: Mark


@dataclass(frozen=True, slots=True)
class Activity:
    """What an agent that works does just now."""

    name: str  # `thinking`, `streaming`, `tool`
    mark: Mark


@dataclass(frozen=True, slots=True)
class Listing:
    """How texts that wait their turn are shown above the composer."""

    item: str  # pattern of a row, with the text as its first group
    after: str = ""  # pattern of the heading
    before: str = ""  # pattern of the hint that follows them
    style: str = ""  # how the text's first cell is drawn


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that can be told by its words."""

    kind: str  # `permission`, `question`, `plan`, `review`, or one of the start: `trust`, `key`, `sign_in`, ...
    pattern: str  # pattern of the question, blanks and line ends taken as one blank
    startup: bool = False  # it stands before the program works at all: answered only when that is asked for
    keys: tuple[tuple[str, str], ...] = ()  # without a list of options: what can be chosen, and the key that does
    field: bool = False  # without a list of options: words are typed where the cursor stands


@dataclass(frozen=True, slots=True)
class Guard:
    """A text that the program would not take as text, and what can be done about it."""

    pattern: str  # pattern of the text
    means: str  # what it would do: `command`, `shell`, `quit`, `newline`
    before: str = ""  # put in front of the text, it makes it one
    after: str = ""  # the same behind it
    times: int = 1  # how often that is put behind it: a long paste is not looked into
    exact: bool = False  # the program cuts off what was added

    @property
    def defused(self) -> bool:
        """Something can be done about it."""
        return bool(self.before or self.after)

    def apply(self, text: str) -> str:
        """The text with what makes it one."""
        return self.before + text + self.after * self.times


@dataclass(frozen=True, slots=True)
class Menus:
    """How dialogs are answered."""

    settle: float = 0.05  # seconds a dialog must have stood before a key is pressed
    digits: bool = False  # a digit chooses at once
    letters: bool = False  # letters choose at once
    buttons: bool = False  # options can stand side by side, the chosen one on a ground of its own
    field: tuple[str, ...] = ()  # keys that open the field of the free-text option, once it is highlighted
    amend: tuple[str, ...] = ()  # keys that add words to the highlighted option of a permission or plan dialog
    refuse: str = ""  # pattern of the option that refuses; words go with it, or follow it as the next message
    toggle: tuple[str, ...] = ("Space",)  # keys that tick the highlighted option
    keep: tuple[str, ...] = ()  # keys that leave the field of the free-text option with the words ticked
    done: str = ""  # pattern of the row below the options that hands in what is ticked
    hand_in: tuple[str, ...] = ()  # keys that hand in what is ticked; Enter on the highlighted row where there are none
    leave: tuple[str, ...] = ("Escape",)  # keys that close the dialog without an answer
    unfolds: bool = False  # in a low pane a dialog shows all that it is about only after a key
    answered: str = ""  # pattern of a row that says so while the dialog that was answered still stands


@dataclass(frozen=True, slots=True)
class Trouble:
    """Words by which a program says that it cannot work, though it takes input."""

    name: str  # `sign_in`, `limit`, `network`, `refused`
    pattern: str  # pattern of a row above the composer, or anywhere where there is none


@dataclass(frozen=True, slots=True)
class Variant:
    """What is different in some versions."""

    versions: tuple[str, ...]  # those it was proven on
    changes: tuple[tuple[str, Any], ...]  # fields of the profile with their other values


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    about: str = ""
    match: tuple[str, ...] = ()  # patterns over the foreground command line
    launch: str = ""  # command that starts it
    resume: str = ""  # command that goes on with `{conversation}`
    versions: tuple[str, ...] = ()  # those it was proven on
    version: str = ""  # pattern of the version on its screen, as the first group
    variants: tuple[Variant, ...] = ()  # what is different in some of the versions
    frame: Frame = Frame.CURSOR
    rule: str = RULE  # pattern of the rows above and below a composer between rules
    ground: bool = False  # where it draws no rules, its composer stands on a background of its own
    glyph: str = ""  # pattern of the prompt at the start of a framed composer
    glyph_style: str = ""  # how that prompt is drawn, always
    panel: bool = False  # a panel of its own can stand at the right of the screen
    reads: bool = True  # that it is blocked reading its terminal means that it waits for input
    prompt: str = PROMPT  # pattern of a prompt on the cursor's line
    typing: Typing = Typing.AUTO
    settle: float = 0.0  # seconds the composer must stand still before submit
    takes: float = 0.0  # seconds for which a submitted text can stand in the composer before it is taken
    floor: bool = False  # wait the adaptive delay before submit, whatever is seen
    submit: tuple[str, ...] = ("Enter", "CR")  # pressed in turn; the last one repeats
    escape_dismisses: bool = False  # Escape takes away ghost text and does nothing else
    ghosts: tuple[str, ...] = ()  # patterns of what an empty composer shows, where no style tells it from a draft
    placeholders: tuple[str, ...] = ()  # patterns of what the composer shows instead of a long paste
    guards: tuple[Guard, ...] = ()  # texts that are not taken as text
    edits: tuple[Edit, ...] = ()  # what it changes in every text
    busy: tuple[Mark, ...] = ()  # marks of a screen that works; they veto readiness
    started: str = ""  # what the screen shows once it has loaded; before, it may forget what it took
    first_work: float = 0.0  # seconds that its first work after a start may take to show, on a loaded machine
    stirs: bool = False  # it tells of work, by its title or by OSC 7501, while it only starts
    activities: tuple[Activity, ...] = ()  # marks of what it does while it works; the first that is there counts
    interrupted: tuple[Mark, ...] = ()  # marks, right above the composer, of work that was broken off
    dialog: tuple[Mark, ...] = ()  # marks of a screen that asks, beside a menu in the place of the composer
    dialogs: tuple[Dialog, ...] = ()  # dialogs that are known by their words
    menus: Menus = Menus()  # how dialogs are answered
    modes: tuple[Mode, ...] = ()  # marks of a composer that takes something else than text
    queued: tuple[Listing, ...] = ()  # how texts that wait their turn are shown
    queue: tuple[str, ...] = ()  # keys that submit while busy so that the text waits its turn
    steer: tuple[str, ...] = ()  # keys that submit while busy so that the text joins the work
    interrupt: tuple[str, ...] = ()  # keys that stop the work
    cut: tuple[str, ...] = ()  # keys that take the draft out of the composer
    quits: tuple[str, ...] = ()  # patterns of texts at which the program ends
    prose: str = ""  # how its own words are drawn, where other text is drawn otherwise: `fg=default`
    quotes: tuple[str, ...] = ()  # patterns of rows with which something begins that it only shows: what a tool printed
    troubles: tuple[Trouble, ...] = ()  # marks of why it cannot work; the lowest one on the screen counts
    closed: str = ""  # why nothing is typed into it, whatever it shows
    wait_timeout: float = 10.0

    def __hash__(self) -> int:
        """Quick, since every look is remembered by it."""
        return hash(self.name)

    @property
    def framed(self) -> bool:
        """Its composer can be told from the rest of the screen."""
        return self.frame is not Frame.CURSOR
