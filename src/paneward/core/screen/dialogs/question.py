r"""A line that asks for an answer where the cursor stands: functions.

Only the text left of the insertion point, on its row: what stands elsewhere was asked and answered before.

What surprised us: an input that ends with `?` or `:` looks like a question, be it `>>> if x:` in a REPL or
`$ echo what?` in a shell; so does the prompt `In [1]:`. A text behind a prompt is never a question.
"""

import re

from paneward.core.profiles.row import Profile
from paneward.core.screen.cells import Screen, insertion_point
from paneward.core.screen.composer import Composer, ends_with, essence, read_composer
from paneward.core.terminal.scene import Scene

_CONFIRMATION = re.compile(
    r"""(?P<question>.*(?:
        [\[(<]\s*(?:yes|no|y|n)\s*[/,|][^()\[\]]*(?:\[\w+\])?[\])>]   # [y/N]  (yes/no/[fingerprint])  [y,n,q,?]
        | \(y\)es\s*/\s*\(n\)o.*?                                     # (Y)es/(N)o/(D)on't ask again [Yes]
        | \b(?:y/n|yes/no)(?![^\s?:])
    )\s*(?:\[[^\]]*\])?\s*[?:.…>]*)\s*(?:[a-z]{1,3})?""",
    re.IGNORECASE | re.VERBOSE,
)
_OVERWRITES = re.compile(r"(?:rm|cp|mv|ln|gzip|unzip): .*\?\s*")
_KEY_WANTED = re.compile(r".*\b(?:press|hit|strike)\b.*\b(?:any key|a key|enter|return)\b.*", re.IGNORECASE)
_ANY_KEY = re.compile(r".*\b(?:press|hit|strike)\b.*\b(?:any key|a key)\b.*", re.IGNORECASE)
_PAGER = re.compile(r":|\(END\).*|.*--More--.*|lines \d+.*|Manual page .*|.*\(press h for help.*", re.IGNORECASE)
_ASKING = re.compile(r"[:?]\s*(?:[\[(][^()\[\]]{0,40}[)\]])?$")
_BEHIND_PROMPT = re.compile(
    r"(?:\S*[\w~)\]/][$#%>❯›»]|[$#%❯›»]|>{1,3}|\.\.\.|[^?]{0,60}?[@~][^?]{0,60}?[$#%❯])(?:\s.*|$)|In \[\d+\]:.*"
)
_NO_WORDS = re.compile(r"[^\w#]+|[\d:.,\s%-]+|\S*/\S*:|\S+://\S*|[A-Za-z]:(?:\\\S*)?")
_DEFAULT = re.compile(r"\s*[\[(][^\[\]()]*[\])]\s*$")  # what is offered behind a question
_BORDER = "│┃║▌▐"


def question(screen: Screen) -> str | None:
    """What the line of the cursor asks, or None."""
    text = _before_cursor(screen)
    if not text or _BEHIND_PROMPT.fullmatch(text):
        return None
    if confirm := _CONFIRMATION.fullmatch(text):
        return confirm["question"].strip()
    if _KEY_WANTED.fullmatch(text) or _PAGER.fullmatch(text):
        return text
    return text if _ASKING.search(text) and not _NO_WORDS.fullmatch(text) else None


def confirmation(screen: Screen) -> bool:
    """The question wants a yes or a no."""
    text = _before_cursor(screen)
    if question(screen) is None:
        return False
    return bool(_CONFIRMATION.fullmatch(text) or _OVERWRITES.fullmatch(text))


def key_wanted(screen: Screen) -> bool:
    """Any key is an answer."""
    return bool(_ANY_KEY.fullmatch(_before_cursor(screen)))


def pager(screen: Screen) -> bool:
    """The line is that of a pager, in which each key acts."""
    return bool(_PAGER.fullmatch(_before_cursor(screen)))


def stands(old: Composer | None, scene: Scene, typed: str, profile: Profile) -> bool:
    """The same question stands at the cursor, with what was typed behind it. Some take away their default for that."""
    now = read_composer(Screen.of(scene.snapshot), profile)
    if old is None or now is None or not now.rows[-1].strip():
        return False
    asked, text = essence(old.before), essence(typed)
    return any(ends_with(now.rows, one + text) for one in (asked, essence(_DEFAULT.sub("", old.before))))


def asks_anew(old: Composer | None, scene: Scene, profile: Profile) -> bool:
    """Another question stands at the cursor than that of `old`; or the same once more, where the terminal shows what is
    typed behind it."""
    screen = Screen.of(scene.snapshot)
    now, process = read_composer(screen, profile), scene.process
    if old is None or now is None or question(screen) is None:
        return False
    asked, line = essence(old.before), essence(now.before)
    if not line.startswith((asked, essence(_DEFAULT.sub("", old.before)))):
        return True
    return line == asked and process is not None and process.echo is True


def _before_cursor(screen: Screen) -> str:
    x, y = insertion_point(screen)
    return screen.row(y).left(x).strip(" \xa0").lstrip(_BORDER).strip(" \xa0")
