"""The account of one agent: a machine, fed with the bytes of its transcripts, which it remembers the places of.

What it has counted and how far it has read are written down together (`written`), so nothing is counted twice and
nothing left out, whenever it is killed. What was in a transcript before the agent was started was somebody else's: a
conversation that is resumed. What a transcript begins with that was told in another one before is a copy: a fork.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final
from zlib import crc32

from paneward.core.usage.readers import read
from paneward.core.usage.told import MalformedTranscript, Tally, TranscriptLine, Usage, left

LONGEST: Final = 8_000_000  # bytes of a line: a longer one tells nothing of what is used
TAIL: Final = 64  # bytes by which it is told whether a file is still the one that was read
REMEMBERED: Final = 64  # answers that can be told again with more tokens
MOST: Final = 200  # transcripts whose places are kept
NONE: Final = Tally()


@dataclass(slots=True)
class TranscriptFile:
    """One transcript: how far it was read, and what its later lines are understood by."""

    inode: int = 0
    offset: int = 0  # behind the last whole line
    tail: int = 0  # bytes before that, by
    check: int = 0  # their sum
    after: str = ""  # what is not later than this does not count
    mark: str = ""  # the same, of a conversation and not of a sub-agent
    at: str = ""  # of the last line with a time
    newest: str = ""  # of the last line that counted
    sub: bool = False
    model: str = ""
    records: bool = False  # each answer has a line of its own
    total: int | None = None
    paid: float | None = None
    before: float = 0.0  # paid by somebody else
    pending: bytearray = field(default_factory=bytearray, repr=False)  # the beginning of a line
    skipped: int = 0  # bytes of a line that is too long

    @property
    def read_to(self) -> int:
        return self.offset + self.skipped + len(self.pending)

    def counts(self, at: str) -> bool:
        return at > self.after and (self.sub or at > self.mark)


@dataclass(slots=True)
class ApiSession:
    """A conversation whose sums an agent's API tells."""

    base: Tally = NONE
    now: Tally = NONE
    paid: float | None = None
    before: float = 0.0


class Account:
    def __init__(self, kind: str, since: str) -> None:
        """`since`: when the agent was started, as `moment` writes it."""
        self.kind = kind
        self.since = since
        self.files: dict[str, TranscriptFile] = {}
        self.sessions: dict[str, ApiSession] = {}
        self.malformed = 0
        self.told: dict[str, Any] = {}  # which budgets were said to be crossed
        self._floor = ""  # what is not later was in transcripts whose places are no longer kept
        self._tallies: dict[str, Tally] = {}  # by model
        self._recent: dict[str, Tally] = {}  # by the ids of answers
        self._spent: float | None = None  # told answer by answer, and of conversations that are no longer kept
        self._context: int | None = None
        self._context_at = ""
        self._window: int | None = None
        self._model = ""

    # --- files

    def begin(self, path: str, inode: int, sub: bool = False) -> TranscriptFile:
        """A transcript is to be read; from its beginning, if it is another one than before in that place."""
        known = self.files.get(path)
        if known is not None and known.inode in (0, inode):
            known.inode = inode
            return known
        after = max(self.since, self._floor, known.newest if known else "", self._copied(path) if sub else "")
        others = (file.newest for name, file in self.files.items() if name != path and not file.sub)
        self.files[path] = file = TranscriptFile(
            inode, after=after, mark="" if sub else max(others, default=""), sub=sub
        )
        self._let_go()
        return file

    def restart(self, path: str) -> TranscriptFile:
        """It was cut short, or written anew: what it holds now may have been counted."""
        file = self.files[path]
        self.files[path] = fresh = TranscriptFile(
            file.inode, after=max(file.after, file.newest), mark=file.mark, sub=file.sub, paid=file.paid,
            before=file.before, newest=file.newest,
        )  # fmt: skip
        return fresh

    def _copied(self, path: str) -> str:
        """A sub-agent's transcript of the same name, in the conversation that this one was forked from."""
        name = path.rpartition("/")[2]
        return max((file.newest for other, file in self.files.items() if other.endswith(f"/{name}")), default="")

    def _let_go(self) -> None:
        """Of the oldest ones only what they came to is kept."""
        while len(self.files) > MOST:
            oldest = min(self.files, key=lambda path: self.files[path].newest or "~")
            file = self.files.pop(oldest)
            self._floor = max(self._floor, file.newest)
            if file.paid is not None:
                self._spent = (self._spent or 0.0) + file.paid - file.before

    def goes_on(self, path: str, size: int, end: bytes) -> bool:
        """Whether a file of this size, with `end` before the place that was read to, still holds what was read."""
        file = self.files[path]
        return size >= file.read_to and crc32(end) == file.check

    def feed(self, path: str, data: bytes) -> bool:
        """What follows in a transcript; whether that tells anything."""
        file, told = self.files[path], False
        *whole, rest = data.split(b"\n")
        for line in whole:
            told = self._end(file, bytes(file.pending) + line) or told
        file.pending += rest
        if len(file.pending) > LONGEST:
            file.skipped, file.pending = file.skipped + len(file.pending), bytearray()
        return told

    def _end(self, file: TranscriptFile, line: bytes) -> bool:
        """A line is whole."""
        file.offset += file.skipped + len(line) + 1
        ending = line[-(TAIL - 1) :] + b"\n"
        file.tail, file.check = len(ending), crc32(ending)
        overlong, file.skipped, file.pending = file.skipped > 0 or len(line) > LONGEST, 0, bytearray()
        try:
            if overlong:
                raise MalformedTranscript("longer than any that tells something")
            told = read(self.kind, line)
        except MalformedTranscript:
            self.malformed += 1
            return False
        return told is not None and self._take(file, told)

    # --- what they tell

    def _take(self, file: TranscriptFile, told: TranscriptLine) -> bool:
        file.at = told.at or file.at
        file.sub = file.sub if told.sub is None else told.sub
        if told.tally is None:
            file.model = told.model or file.model
        counts = file.counts(file.at)
        paid = told.paid is not None and self._pay(file, told.paid, counts)
        stood = not file.sub and self._stand(file, told)
        if not self._is_answer(file, told) or told.tally is None or not counts:
            return paid or stood
        file.newest = max(file.newest, file.at)
        self._count(told.id, told.model or file.model, told.tally)
        if told.cost is not None:
            self._spent = (self._spent or 0.0) + told.cost
        return True

    def _is_answer(self, file: TranscriptFile, told: TranscriptLine) -> bool:
        """Whether it tells of an answer, and not only of the sum again."""
        if told.total is None:
            file.records = file.records or (told.tally is not None and self.kind == "codex")
            return told.tally is not None
        before, file.total = file.total, told.total
        return not file.records and told.total != before and bool(told.tally)

    def _count(self, answer: str, model: str, tally: Tally) -> None:
        before = self._recent.pop(answer, NONE) if answer else NONE
        more = tally.beyond(before)
        self._tallies[model] = self._tallies.get(model, NONE) + more
        if answer:
            self._recent[answer] = before + more
            while len(self._recent) > REMEMBERED:
                del self._recent[next(iter(self._recent))]

    def _pay(self, file: TranscriptFile, paid: float, counts: bool) -> bool:
        changed = paid != file.paid
        file.paid = paid
        file.before = min(file.before, paid) if counts else paid
        return changed

    def _stand(self, file: TranscriptFile, told: TranscriptLine) -> bool:
        """How full the context is: the newest conversation tells."""
        if file.at < self._context_at:
            return False
        before = self._context, self._window, self._model
        self._window = told.window or self._window
        if told.tally is not None or told.context is not None:
            self._model = told.model or file.model or self._model
        if told.context is not None or told.emptied:
            self._context, self._context_at = told.context, file.at
        return before != (self._context, self._window, self._model)

    # --- sums that an API tells

    def sum(self, session: str, now: Tally, paid: float | None, model: str, own: bool) -> bool:
        """A conversation's sums; `own`: it began with this agent, else only what is added from now on counts."""
        known = self.sessions.get(session)
        if known is None:
            known = self.sessions[session] = ApiSession() if own else ApiSession(now, now, paid, paid or 0.0)
        changed = (known.now, known.paid) != (now, paid)
        more = now.beyond(known.base).beyond(known.now.beyond(known.base))
        known.now, known.paid = now, paid
        self._tallies[model] = self._tallies.get(model, NONE) + more
        return changed

    def stand(self, context: int | None, window: int | None, model: str) -> bool:
        """How full the context is, as an API tells it."""
        before = self._context, self._window, self._model
        self._context, self._window, self._model = context, window, model
        return before != (context, window, model)

    # --- the sum

    @property
    def tallies(self) -> Mapping[str, Tally]:
        return self._tallies

    def paid(self) -> float | None:
        """What the agent says it has cost."""
        told: Iterable[TranscriptFile | ApiSession] = [*self.files.values(), *self.sessions.values()]
        sums = [one.paid - one.before for one in told if one.paid is not None]
        if not sums and self._spent is None:
            return None
        return round(sum(sums) + (self._spent or 0.0), 6)

    def usage(self, at: float) -> Usage:
        """As far as the agent tells it itself."""
        all_ = sum(self._tallies.values(), NONE)
        source = "api" if self.sessions else "transcript"
        context = self._context, self._window, left(self._context, self._window)
        return Usage(all_.fresh, all_.out, all_.cached, self.paid(), *context, self._model, source, at)

    # --- over a restart

    def written(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "since": self.since,
            "floor": self._floor,
            "files": {path: _written(file) for path, file in self.files.items()},
            "sessions": {
                name: [one.base.parts, one.now.parts, one.paid, one.before] for name, one in self.sessions.items()
            },
            "models": {model: tally.parts for model, tally in self._tallies.items()},
            "recent": {answer: tally.parts for answer, tally in self._recent.items()},
            "spent": self._spent,
            "context": [self._context, self._context_at, self._window, self._model],
            "malformed": self.malformed,
            "told": self.told,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Account":
        account = cls(data["kind"], data["since"])
        account._floor = data["floor"]
        account.files = {path: TranscriptFile(**file) for path, file in data["files"].items()}
        account.sessions = {
            name: ApiSession(Tally(*base), Tally(*now), paid, before)
            for name, (base, now, paid, before) in data["sessions"].items()
        }
        account._tallies = {model: Tally(*parts) for model, parts in data["models"].items()}
        account._recent = {answer: Tally(*parts) for answer, parts in data["recent"].items()}
        account._spent, account.malformed, account.told = data["spent"], data["malformed"], dict(data["told"])
        account._context, account._context_at, account._window, account._model = data["context"]
        return account


def _written(file: TranscriptFile) -> dict[str, Any]:
    """Without the beginning of a line: it is read again."""
    return {one.name: getattr(file, one.name) for one in fields(file) if one.name not in ("pending", "skipped")}
