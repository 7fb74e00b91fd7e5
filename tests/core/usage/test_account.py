import itertools

from hypothesis import given
from hypothesis import strategies as st

from paneward.core.usage import Account, Tally, moment
from paneward.core.usage.account import LONGEST, MOST, REMEMBERED, TAIL
from tests.core.usage.transcripts import again, answer, corpus, fed, line, tokens

START = moment("2026-01-01T00:00:00Z")
MAIN = "/p/one.jsonl"


def account(since: str = "", kind: str = "claude") -> Account:
    return Account(kind, since)


def test_what_a_real_claude_used_with_its_sub_agent() -> None:
    """The model's server told these tokens; of the request that compacted, the transcript says nothing."""
    kept = account()
    usage = fed(
        kept,
        ("/p/main.jsonl", corpus("claude-2.1.325.jsonl")),
        ("/p/main/subagents/agent-1.jsonl", corpus("claude-2.1.325-sub.jsonl")),
    )
    assert tokens(usage) == (18200, 472, 3100)
    assert (usage.context_used, usage.cost, usage.model) == (720, 0.08314, "claude-opus-5-5")
    assert kept.tallies == {"claude-opus-5-5": Tally(18200, 472, 3100)}


def test_the_older_claude_tells_no_cost() -> None:
    usage = fed(account(), ("/p/main.jsonl", corpus("claude-2.1.197.jsonl")))
    assert tokens(usage) == (12600, 370, 3100)
    assert usage.cost is None


def test_what_a_real_codex_used_with_a_new_conversation_and_a_fork() -> None:
    names = ("codex-0.166.0.jsonl", "codex-0.166.0-new.jsonl", "codex-0.166.0-fork.jsonl")
    usage = fed(account(kind="codex"), *((name, corpus(name)) for name in names))
    assert tokens(usage) == (3610 + 700 + 700 + 700, 205 + 20 + 20 + 20, 3100)
    assert (usage.context_used, usage.context_window, usage.context_left) == (720, 258400, 99)
    assert usage.model == "lab-model"


def test_a_sub_agent_of_codex_counts_and_does_not_fill_the_context() -> None:
    names = ("codex-0.166.0-parent.jsonl", "codex-0.166.0-sub.jsonl")
    usage = fed(account(kind="codex"), *((name, corpus(name)) for name in names))
    assert tokens(usage) == (800 + 10 + 700, 50 + 5 + 20, 200)
    assert usage.context_used == 15


def test_an_older_codex_tells_sums_alone() -> None:
    """Each sum that is new tells of the last answer; the first one of a fork is not all its own."""
    rows = [row for row in corpus("codex-0.166.0.jsonl").splitlines(True) if b"token_usage_record" not in row]
    assert tokens(fed(account(kind="codex"), ("/a", b"".join(rows)))) == (3610, 205, 3100)
    rows = [row for row in corpus("codex-0.166.0-fork.jsonl").splitlines(True) if b"token_usage_record" not in row]
    assert tokens(fed(account(kind="codex"), ("/a", b"".join(rows)))) == (700, 20, 0)


def test_what_a_real_gemini_used() -> None:
    names = ("gemini-0.61.0.jsonl", "gemini-0.61.0-cleared.jsonl", "gemini-0.61.0-sub.jsonl")
    usage = fed(account(kind="gemini"), *((name, corpus(name)) for name in names))
    assert tokens(usage) == (2900 + 700 + 1400, 180 + 20 + 40, 3100)
    assert usage.model == "gemini-2.5-flash"


def test_a_compaction_of_gemini_leaves_a_context_of_unknown_size() -> None:
    assert fed(account(kind="gemini"), ("/a", corpus("gemini-0.61.0.jsonl"))).context_used is None


def test_what_a_real_aider_used_and_says_it_cost() -> None:
    usage = fed(account(kind="aider"), ("/a", corpus("aider-0.86.2.md")))
    assert tokens(usage) == (4802, 3005, 0)
    assert (usage.cost, usage.model) == (0.1461, "openai/lab-model")


def test_a_chat_of_aider_before_this_one_was_another_ones() -> None:
    twice = corpus("aider-0.86.2.md").replace(b"08:59:20", b"08:00:00") + corpus("aider-0.86.2.md")
    since = moment("2026-11-16 08:59:19")
    assert tokens(fed(account(since, "aider"), ("/a", twice))) == (4802, 3005, 0)


def test_an_answer_that_is_told_again_with_more_counts_once() -> None:
    data = (
        answer("a", 1, 10, 1) + answer("b", 2) + answer("a", 3, 10, 7) + answer("a", 4, 10, 7) + answer("a", 5, 10, 3)
    )
    assert tokens(fed(account(), (MAIN, data))) == (20, 8, 0)


def test_a_resumed_conversation_does_not_count_what_was_before() -> None:
    data = answer("a", 1, 500) + line({"type": "cost-state", "totalCostUSD": 2.5})
    kept = account(moment("2026-01-01T00:00:05Z"))
    usage = fed(kept, (MAIN, data))
    assert (tokens(usage), usage.cost, usage.context_used) == ((0, 0, 0), 0.0, 501)
    kept.feed(MAIN, answer("b", 7, 30) + line({"type": "cost-state", "totalCostUSD": 2.75}))
    usage = kept.usage(0)
    assert (tokens(usage), usage.cost) == ((30, 1, 0), 0.25)


def test_a_fork_begins_with_a_copy_that_does_not_count() -> None:
    """Also after so many answers that their ids are not remembered, and over a restart."""
    count = REMEMBERED + 10
    first = b"".join(answer(f"m{number}", number % 60) for number in range(count))
    kept = account()
    fed(kept, ("/p/one.jsonl", first))
    kept = again(kept)
    kept.begin("/p/two.jsonl", 2)
    kept.feed("/p/two.jsonl", first + answer("new", 59, timestamp="2026-01-01T00:01:30Z"))
    assert tokens(kept.usage(0)) == (10 * (count + 1), count + 1, 0)


def test_the_fork_of_a_real_claude_counts_its_own_answer_alone() -> None:
    for version in ("2.1.197", "2.1.325"):
        kept = account()
        before = fed(kept, ("/p/a.jsonl", corpus(f"claude-{version}-cleared.jsonl")))
        kept.begin("/p/b.jsonl", 7)
        kept.feed("/p/b.jsonl", corpus(f"claude-{version}-fork.jsonl"))
        assert tokens(kept.usage(0)) == (before.tokens_in + 700, before.tokens_out + 20, 0)


def test_a_copied_sub_agent_does_not_count_again() -> None:
    kept, data = account(), b"".join(answer(f"m{number}", number % 60) for number in range(REMEMBERED + 1))
    fed(kept, ("/p/one/subagents/agent-1.jsonl", data))
    kept._recent.clear()
    kept.begin("/p/two/subagents/agent-1.jsonl", 9, sub=True)
    kept.feed("/p/two/subagents/agent-1.jsonl", data)
    assert kept.usage(0).tokens_out == REMEMBERED + 1


def test_two_sub_agents_at_the_same_time_both_count() -> None:
    kept = account()
    fed(kept, (MAIN, answer("m", 50)), ("/p/one/subagents/a.jsonl", answer("a", 40)))
    kept.begin("/p/one/subagents/b.jsonl", 4, sub=True)
    kept.feed("/p/one/subagents/b.jsonl", answer("b", 30))
    assert kept.usage(0).tokens_out == 3
    assert kept.usage(0).context_used == 11


def test_the_newest_conversation_tells_how_full_the_context_is() -> None:
    usage = fed(account(), ("/p/new.jsonl", answer("b", 9, 40)), ("/p/old.jsonl", answer("a", 3, 900)))
    assert usage.context_used == 41


def test_what_cannot_be_read_is_counted_and_skipped() -> None:
    kept = account()
    usage = fed(kept, (MAIN, b'{"usage":\n' + answer("a", 1) + b"\xff\xfe usage\n\n" + b'["usage"]\n' + answer("b", 2)))
    assert (tokens(usage), kept.malformed) == ((20, 2, 0), 2)


def test_a_line_that_is_too_long_is_skipped_and_the_next_one_read() -> None:
    kept = account()
    kept.begin(MAIN, 1)
    kept.feed(MAIN, answer("a", 1))
    behind = kept.files[MAIN].offset
    for _ in range(9):
        kept.feed(MAIN, b"x" * 1_000_000)
    assert len(kept.files[MAIN].pending) <= LONGEST
    assert kept.files[MAIN].offset == behind  # a restart begins at the line's begin
    assert kept.files[MAIN].read_to == behind + 9_000_000
    kept.feed(MAIN, b"y\n" + answer("b", 2))
    assert (kept.usage(0).tokens_out, kept.malformed) == (2, 1)
    assert kept.files[MAIN].offset == behind + 9_000_002 + len(answer("b", 2))


def test_a_file_that_is_cut_short_is_read_from_its_begin_and_counts_what_is_new() -> None:
    kept = account()
    fed(kept, (MAIN, answer("a", 1) + answer("b", 2)))
    kept.restart(MAIN)
    kept._recent.clear()
    kept.feed(MAIN, answer("a", 1) + answer("b", 2) + answer("c", 3))
    assert kept.usage(0).tokens_out == 3


def test_another_file_in_the_same_place_counts_what_is_new() -> None:
    kept = account()
    fed(kept, (MAIN, answer("a", 1) + answer("b", 2)))
    assert kept.begin(MAIN, 1).offset > 0
    file = kept.begin(MAIN, 99)
    assert file.offset == 0
    kept._recent.clear()
    kept.feed(MAIN, answer("b", 2) + answer("c", 3))
    assert kept.usage(0).tokens_out == 3


def test_whether_a_file_goes_on_is_told_by_its_size_and_its_end() -> None:
    kept, data = account(), answer("a", 1) + b"{}\n" + b"half a l"
    fed(kept, (MAIN, data))
    file = kept.files[MAIN]
    end = data[file.offset - file.tail : file.offset]
    assert kept.goes_on(MAIN, len(data), end)
    assert not kept.goes_on(MAIN, len(data) - 1, end)
    assert not kept.goes_on(MAIN, len(data), b"x" * file.tail)
    fresh = account()
    fresh.begin(MAIN, 1)
    assert fresh.goes_on(MAIN, 0, b"")
    assert file.tail <= TAIL


def test_of_many_transcripts_the_oldest_are_let_go_and_never_counted_again() -> None:
    kept = account()
    for number in range(MOST + 20):
        path, second = f"/p/s/subagents/{number}.jsonl", f"{number // 60:02}:{number % 60:02}"
        kept.begin(path, number + 1, sub=True)
        kept.feed(path, answer(f"m{number}", 0, timestamp=f"2026-01-01T00:{second}Z"))
    assert len(kept.files) == MOST
    kept.begin("/p/s/subagents/3.jsonl", 4, sub=True)
    kept.feed("/p/s/subagents/3.jsonl", answer("m3", 3))
    assert kept.usage(0).tokens_out == MOST + 20


def test_what_was_paid_is_kept_of_transcripts_that_are_let_go() -> None:
    kept = account()
    fed(kept, (MAIN, answer("a", 1) + line({"type": "cost-state", "totalCostUSD": 0.5})))
    for number in range(MOST):
        kept.begin(f"/p/{number}", number + 5, sub=True)
        kept.feed(f"/p/{number}", answer(f"m{number}", 30))
    assert MAIN not in kept.files
    assert kept.usage(0).cost == 0.5


def test_sums_of_an_api_count_from_where_the_agent_began() -> None:
    kept = Account("opencode", START)
    assert kept.sum("own", Tally(100, 10, 5), 0.5, "m", own=True)
    assert kept.sum("resumed", Tally(900, 90), 3.0, "m", own=False) is False
    assert kept.sum("resumed", Tally(950, 95), 3.25, "m", own=False)
    kept = again(kept)
    assert kept.sum("own", Tally(120, 12, 5), 0.75, "m", own=True)
    assert kept.sum("own", Tally(120, 12, 5), 0.75, "m", own=True) is False
    assert kept.stand(400, 1000, "m")
    usage = kept.usage(0)
    assert (tokens(usage), usage.cost, usage.source, usage.context_left) == ((170, 17, 5), 1.0, "api", 60)


PARTS = [
    corpus("claude-2.1.325.jsonl"),
    answer("x", 1) + b'{"usage"\n' + answer("x", 2, 10, 9) + b"half a line",
    b"\n\n" + answer("y", 3) + b"z" * 300,
]


@given(st.sampled_from(PARTS), st.lists(st.integers(0, 16_000), max_size=6))
def test_chunking_never_changes_the_account(data: bytes, cuts: list[int]) -> None:
    whole, split = account(), account()
    fed(whole, (MAIN, data))
    split.begin(MAIN, 1)
    for start, end in itertools.pairwise([0, *sorted(cuts), len(data)]):
        split.feed(MAIN, data[start:end])
    assert split.written() == whole.written()
    assert split.usage(1.0) == whole.usage(1.0)


@given(st.sampled_from(PARTS), st.lists(st.integers(0, 16_000), max_size=6))
def test_a_restart_at_any_place_counts_each_answer_once(data: bytes, cuts: list[int]) -> None:
    """It goes on behind the last whole line."""
    whole, killed = account(), account()
    fed(whole, (MAIN, data))
    for cut in [*sorted(cuts), len(data)]:
        killed = again(killed)
        file = killed.begin(MAIN, 1)
        killed.feed(MAIN, data[file.read_to : max(cut, file.read_to)])
    assert killed.usage(1.0) == whole.usage(1.0)
    assert killed.written() == whole.written()
