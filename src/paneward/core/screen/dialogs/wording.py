"""What a dialog says above its options: functions.

What surprised us:
- Two permission dialogs in a row have the same question and the same options; only the command above differs. So the
  fingerprint covers the whole dialog where a rule or a box shows its beginning.
- That command can stand between rules of its own: dashed ones, or a box within the box. They begin no dialog.
"""

import re
import unicodedata
from hashlib import sha256
from itertools import pairwise, takewhile

from paneward.core.screen.cells import columns
from paneward.core.screen.lines import Line, LineKind

PARAGRAPHS = 3  # above the options, in which the question is looked for: what it is about may stand between
ASKED = 8  # rows that a question may take
BODY = 40  # rows above the options that may belong to the dialog
_BORDERED = re.compile(r"[│┃║] ?(.*?) *[│┃║]")
_INNER = re.compile(r"[│┃║|╌┄┈]")  # how a rule inside a dialog begins: behind the border of the dialog, or dashed
MORE = re.compile(r"[▲▼↑↓⌃⌄…. ]*(?:\d+ more.*)?[▲▼↑↓⌃⌄…. ]*", re.IGNORECASE)  # a row that points to hidden options


def joint(above: Line, line: Line) -> str:
    """What stood between the last word of a row and the first of the next: nothing where the terminal cut a word."""
    return "" if above.end >= above.edge and line.x == 0 else " "


def asks(text: str) -> bool:
    return text.endswith(("?", ":", ")")) or text.startswith(("? ", "◆"))


def question_above(page: list[Line], y: int) -> str:
    """The paragraph above the options, with those between it and one above that asks."""
    said: list[str] = []
    for _ in range(PARAGRAPHS):
        paragraph = _paragraph_above(page, y)
        if not paragraph:
            break
        said.insert(0, _spoken(paragraph))
        if asks(said[0]):
            return " ".join(said)
        y = paragraph[0].y
    return said[-1] if said else ""


def _paragraph_above(page: list[Line], y: int) -> list[Line]:
    rows = page[:y][::-1]
    while rows and (rows[0].kind is LineKind.BLANK or (rows[0].text and MORE.fullmatch(rows[0].text))):
        rows = rows[1:]
    return _loud(list(takewhile(lambda line: line.kind is LineKind.TEXT, rows))[::-1])


def _loud(paragraph: list[Line]) -> list[Line]:
    """Without the faint or slanted rows around the others: a counter above a question, a hint below it."""
    loud = [at for at, line in enumerate(paragraph) if not line.aside]
    return paragraph[loud[0] : loud[-1] + 1] if loud else paragraph


def _spoken(paragraph: list[Line]) -> str:
    """Its text; when it ends by asking, without the rows before the one in which the question began."""
    width = max(line.end for line in paragraph)
    text = paragraph[-1].text
    for above, line in reversed(list(pairwise(paragraph))):
        if asks(text) and above.end + 1 + columns(line.text.split()[0]) <= width:
            break
        text = above.text + joint(above, line) + text
    return text


def said_above(page: list[Line], y: int) -> str:
    """All that the dialog says above its options, where a rule shows its beginning; else the question."""
    said = _dialog(page[:y])
    return "\n".join(line.text for line in said) if said else question_above(page, y)


def near(above: list[Line]) -> str:
    """All text above the options, as far as no rule parts it from them."""
    rows = above[-BODY:][::-1]
    return " ".join(line.text for line in reversed(list(takewhile(lambda line: line.kind is not LineKind.RULE, rows))))


def matter(above: list[Line], question: str, ruled: bool) -> str:
    """What a dialog says above its options beside its question: the command or the file it is about.

    It begins behind a rule; one that is not `ruled` begins with its question."""
    rows = _dialog(above) if ruled else [line for line in above[-BODY:] if line.kind is LineKind.TEXT]
    first, last, more = _asked_in(rows, question)
    before = rows[:first] if ruled else []
    left = min((line.x for line in (*before, *rows[last:])), default=0)
    return "\n".join([*_indented(before, left), *more, *_indented(rows[last:], left)])


def _dialog(above: list[Line]) -> list[Line]:
    """The rows with text of the dialog that these rows end with; none where nothing shows where it begins."""
    rows = above[-BODY:][::-1]
    inside = list(takewhile(lambda line: line.kind is not LineKind.RULE or _within(line), rows))
    if len(inside) == len(rows) and not any(map(_within, inside)):
        return []
    return [line for line in reversed(inside) if line.kind is LineKind.TEXT]


def _within(line: Line) -> bool:
    """A rule inside a dialog."""
    return line.kind is LineKind.RULE and bool(_INNER.match(line.text))


def _asked_in(rows: list[Line], question: str) -> tuple[int, int, list[str]]:
    """The rows that hold the question, no more than it takes, and the lowest ones; and what else stands in them."""
    wanted = " ".join(question.split())
    for many in range(1, ASKED + 1) if wanted else ():
        for first in range(len(rows) - many, -1, -1):
            text = " ".join(" ".join(line.text for line in rows[first : first + many]).split())
            if wanted in text:
                around = (part.strip() for part in text.rsplit(wanted, 1))
                return first, first + many, [part for part in around if any(map(str.isalnum, part))]
    return len(rows), len(rows), []


def _indented(rows: list[Line], left: int) -> list[str]:
    """As they stand, without the borders of a box that is drawn around them."""
    return [" " * (line.x - left) + _BORDERED.sub(r"\1", line.text) for line in rows]


def fingerprint(texts: list[str]) -> str:
    """A short name for what a dialog says: blanks do not count, nor symbols, which blink."""
    kept = ("".join(char for char in text if not _blinks(char)) for text in texts)
    return sha256("\n".join(kept).encode(errors="replace")).hexdigest()[:16]


def _blinks(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "So"
