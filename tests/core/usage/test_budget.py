import pytest

from paneward.core.usage import Budget, Price, Tally, Usage, crossed, many, price, window


def test_a_price_is_written_in_a_line() -> None:
    assert price("claude-* 5 25 0.5 6.25") == Price("claude-*", 5, 25, 0.5, 6.25)
    assert price("gpt-5 1 10") == Price("gpt-5", 1, 10, 1, 1)
    assert price("gpt-5 1 10 0.1") == Price("gpt-5", 1, 10, 0.1, 1)


@pytest.mark.parametrize("text", ["", "model", "model 1", "model 1 2 3 4 5", "model 1 x", "model -1 2", "model nan 2"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        price(text)


def test_a_window_is_written_in_a_line() -> None:
    assert window("claude-* 200000") == ("claude-*", 200_000)
    for text in ("claude", "claude x", "claude 0", "claude -5", "a b 5", "m ²"):
        with pytest.raises(ValueError, match=r".*"):
            window(text)


def test_a_million_tokens_cost_their_price() -> None:
    assert Price("m", 5, 25, 0.5, 6.25).of(Tally(3_000_000, 1_000_000, 2_000_000, 1_000_000)) == 10 + 6.25 + 25 + 1


def test_the_cost_is_by_the_prices_only_if_each_model_has_one() -> None:
    budget = Budget(prices=(price("Small* 1 1"), price("* 2 2")))
    used = {"small-1": Tally(1_000_000), "big": Tally(0, 1_000_000)}
    assert budget.complete(Usage(cost=9.0), used).cost == 3.0
    unpriced = Budget(prices=(price("small* 1 1"),))
    assert unpriced.complete(Usage(), used).cost is None
    assert unpriced.complete(Usage(cost=9.0), used).cost == 9.0
    assert unpriced.complete(Usage(), {"big": Tally()}).cost is None


def test_the_window_is_the_agents_own_or_the_users() -> None:
    budget = Budget(windows=(("claude-*", 1000),))
    assert budget.complete(Usage(context_used=250, model="claude-x"), {}).context_left == 75
    assert budget.complete(Usage(context_used=250, model="claude-x", context_window=500), {}).context_left == 50
    assert budget.complete(Usage(context_used=250, model="other"), {}).context_left is None


def test_a_context_that_is_more_than_full_has_nothing_left() -> None:
    assert Budget().complete(Usage(context_used=500, context_window=400), {}).context_left == 0


def test_a_budget_is_told_once_and_again_when_it_was_raised_and_crossed() -> None:
    budget = Budget(tokens=1_000_000)
    assert crossed(budget, Usage(1_000_000), {}) == ([], {})
    words, told = crossed(budget, Usage(1_150_000, 50_000), {})
    assert words == ["used 1.2M tokens of a budget of 1M"]
    assert crossed(budget, Usage(9_000_000), told) == ([], told)
    assert crossed(Budget(tokens=500), Usage(9_000_000), told) == ([], told)  # it was lowered
    raised = Budget(tokens=2_000_000)
    assert crossed(raised, Usage(1_200_000), told) == ([], told)
    words, told = crossed(raised, Usage(2_000_001), told)
    assert (words, told) == (["used 2M tokens of a budget of 2M"], {"tokens": 2_000_000})


def test_what_it_may_cost_is_a_budget_too() -> None:
    budget = Budget(tokens=10, cost=1.5)
    words, told = crossed(budget, Usage(11, cost=1.75), {})
    assert words == ["used 11 tokens of a budget of 10", "used $1.75 of a budget of $1.50"]
    assert told == {"tokens": 10, "cost": 1.5}
    assert crossed(budget, Usage(11, cost=None), {"tokens": 10})[0] == []


def test_little_context_is_told_once_until_there_is_more_again() -> None:
    budget = Budget(context_left=20)
    full, empty = Usage(context_left=15), Usage(context_left=95)
    words, told = crossed(budget, full, {})
    assert (words, told) == (["15% of its context left"], {"context": True})
    assert crossed(budget, full, told) == ([], told)
    assert crossed(budget, Usage(), told) == ([], told)
    _, told = crossed(budget, empty, told)
    assert crossed(budget, full, told)[0] == ["15% of its context left"]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [(0, "0"), (940, "940"), (12_345, "12.3k"), (1_000, "1k"), (1_200_000, "1.2M"), (3_000_000_000, "3G")],
)
def test_many_tokens_are_said_shortly(tokens: int, words: str) -> None:
    assert many(tokens) == words


def test_usage_in_words() -> None:
    assert Usage(12_000, 300, cost=0.12, context_left=64).summary == "12.3k tokens · $0.12 · 64% context left"
    assert Usage(5, cost=0.0032).summary == "5 tokens · $0.0032"
