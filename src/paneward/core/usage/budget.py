"""Prices, windows and budgets, as the user sets them, and what crossing one is: functions.

A budget is told once: until it is raised and crossed again. How little context is left is told once as well, until
there is more again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from paneward.core.usage.told import Tally, Usage, left, many, money

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of a model."""

    model: str  # its name, with `*` for anything
    fresh: float
    out: float
    cached: float
    kept: float

    def of(self, tally: Tally) -> float:
        read = (tally.fresh - tally.kept) * self.fresh + tally.kept * self.kept + tally.cached * self.cached
        return (read + tally.out * self.out) / MILLION


def price(text: str) -> Price:
    """`MODEL IN OUT [CACHED [KEPT]]`; what is left out costs as much as IN."""
    model, *numbers = text.split()
    prices = [float(number) for number in numbers]
    if len(prices) not in (2, 3, 4) or not all(0 <= one < MILLION for one in prices):
        raise ValueError(text)
    fresh, out, *rest = prices
    cached, kept = (*rest, *[fresh] * (2 - len(rest)))
    return Price(model, fresh, out, cached, kept)


def window(text: str) -> tuple[str, int]:
    """`MODEL TOKENS`."""
    model, tokens = text.split()
    if not tokens.isascii() or not tokens.isdecimal() or not int(tokens):
        raise ValueError(text)
    return model, int(tokens)


@dataclass(frozen=True, slots=True)
class Budget:
    """What is set for every agent."""

    tokens: int | None = None
    cost: float | None = None
    context_left: int | None = None  # per cent
    prices: Sequence[Price] = ()
    windows: Sequence[tuple[str, int]] = ()

    def complete(self, usage: Usage, tallies: Mapping[str, Tally]) -> Usage:
        """With what the agent does not tell, and the user does."""
        room = usage.context_window or next((size for name, size in self.windows if _fits(usage.model, name)), None)
        priced = self._cost(tallies)
        cost = usage.cost if priced is None else priced
        return replace(usage, context_window=room, context_left=left(usage.context_used, room), cost=cost)

    def _cost(self, tallies: Mapping[str, Tally]) -> float | None:
        """By the prices, if each of the models has one."""
        total = 0.0
        for model, tally in tallies.items():
            found = next((one for one in self.prices if _fits(model, one.model)), None)
            if tally and found is None:
                return None
            total += found.of(tally) if found else 0.0
        return round(total, 6) if any(tallies.values()) else None


def _fits(model: str, name: str) -> bool:
    return fnmatchcase(model.lower(), name.lower())


def crossed(budget: Budget, usage: Usage, told: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """What there is to say of it, in words, and what was told by then."""
    words, now = list[str](), dict(told)
    if _is_new(budget.tokens, usage.tokens, told.get("tokens")):
        now["tokens"] = budget.tokens
        words.append(f"used {many(usage.tokens)} tokens of a budget of {many(budget.tokens or 0)}")
    if _is_new(budget.cost, usage.cost, told.get("cost")):
        now["cost"] = budget.cost
        words.append(f"used {money(usage.cost or 0.0)} of a budget of {money(budget.cost or 0.0)}")
    if usage.context_left is None or budget.context_left is None:
        return words, now
    low = usage.context_left < budget.context_left
    if low and not told.get("context"):
        words.append(f"{usage.context_left}% of its context left")
    return words, now | {"context": low}


def _is_new(limit: float | None, used: float | None, told: float | None) -> bool:
    return limit is not None and used is not None and used > limit and (told is None or limit > told)
