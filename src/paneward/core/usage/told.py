"""What an agent tells of what it uses, and what that comes to: data, and functions that put it into words."""

from dataclasses import dataclass


class MalformedTranscript(ValueError):
    """A line of a transcript that could have told something, and cannot be read."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Tokens, each counted in one place only."""

    fresh: int = 0  # that the model read anew
    out: int = 0  # that it wrote
    cached: int = 0  # that it had in its cache
    kept: int = 0  # of the fresh ones: that it put into its cache

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def beyond(self, other: "Tally") -> "Tally":
        """What of this is more than in the other."""
        return Tally(*(max(a - b, 0) for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def parts(self) -> tuple[int, int, int, int]:
        return self.fresh, self.out, self.cached, self.kept

    def __bool__(self) -> bool:
        return any(self.parts)


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """What one line of a transcript tells."""

    at: str = ""  # as `moment` writes it; empty: that of the line before
    id: str = ""  # of the model's answer: told again, it is the same answer, perhaps with more tokens
    tally: Tally | None = None  # what that answer took
    total: int | None = None  # the sum of the conversation by then: told again unchanged, it tells of no answer
    model: str = ""
    context: int | None = None  # tokens that the conversation takes by now
    emptied: bool = False  # the context was made smaller, by how much is not known
    window: int | None = None  # tokens that there is room for
    cost: float | None = None  # of this answer
    paid: float | None = None  # of the conversation by then
    sub: bool | None = None  # whether this is the transcript of a sub-agent


@dataclass(frozen=True, slots=True)
class Usage:
    """What an agent has used since it was started, as far as it tells."""

    tokens_in: int = 0  # that its model read anew
    tokens_out: int = 0  # that its model wrote
    tokens_cached: int = 0  # that its model had in its cache
    cost: float | None = None  # US dollars, as the agent says or by `usage.prices`; none where neither tells
    context_used: int | None = None  # tokens that its conversation takes now
    context_window: int | None = None  # tokens that there is room for
    context_left: int | None = None  # per cent of the window
    model: str = ""
    source: str = ""  # `transcript`, `api`
    at: float = 0.0  # seconds since the epoch

    @property
    def tokens(self) -> int:
        """Without those from a cache, which cost next to nothing and are counted again with each answer."""
        return self.tokens_in + self.tokens_out

    @property
    def summary(self) -> str:
        """`12.3k tokens · $0.12 · 64% context left`."""
        parts = [
            f"{many(self.tokens)} tokens",
            "" if self.cost is None else money(self.cost),
            "" if self.context_left is None else f"{self.context_left}% context left",
        ]
        return " · ".join(part for part in parts if part)


def left(used: int | None, room: int | None) -> int | None:
    """Per cent of a context window that are left."""
    return None if used is None or not room else max(100 * (room - used) // room, 0)


def many(tokens: int) -> str:
    """`940`, `12.3k`, `1.2M`."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f}".removesuffix(".0") + letter
    return str(tokens)


def money(dollars: float) -> str:
    return f"${dollars:.2f}" if dollars >= 0.005 or not dollars else f"${dollars:.4f}"
