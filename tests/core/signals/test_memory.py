import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.signals.memory import KEPT, Memory, Sighting, prompt_sketch, sketch

WORDS = ["Lorem", "ipsum", "dolor", "sit", "amet,", "consectetur", "adipiscing", "elit."]
HERE, THERE = "It stands below these words of a page.", "Far away, behind the mountains, live the blind texts."


def one(text: str, above: str = "") -> Sighting:
    return Sighting(text, sketch(above))


def new(memory: Memory, *sightings: Sighting) -> list[str]:
    return [sighting.essence for sighting, _ in memory.see(sightings)]


def again(memory: Memory) -> Memory:
    """After a restart."""
    return Memory.read(json.loads(json.dumps(memory.written())))


def test_fifty_repaints_are_one() -> None:
    memory = Memory()
    assert new(memory, one("a", HERE)) == ["a"]
    for _ in range(50):
        assert new(memory, one("a", HERE)) == []


def test_a_screen_that_was_cleared_and_painted_again_tells_nothing_new() -> None:
    memory = Memory()
    new(memory, one("a", HERE), one("b", HERE))
    assert new(memory) == []
    assert new(memory, one("a", HERE), one("b", HERE)) == []


def test_a_scroll_tells_nothing_new_either_way() -> None:
    memory = Memory()
    texts = list("abcdefgh")
    assert new(memory, *map(one, texts[:3])) == texts[:3]
    assert new(memory, *map(one, texts[2:5])) == texts[3:5]
    assert new(memory, *map(one, texts[:3])) == []
    assert new(memory, *map(one, texts[3:8])) == texts[5:8]
    assert new(memory) == []
    assert new(memory, *map(one, texts[1:3])) == []


def test_a_resize_changes_the_wrapping_and_nothing_else() -> None:
    memory = Memory()
    assert new(memory, one("a", "some words that\nare wrapped here")) == ["a"]
    assert new(memory, one("a", "some words that are\nwrapped here")) == []
    assert new(again(memory), one("a", "somewords thatare wrapped  here")) == []


def test_a_restart_and_a_resume_tell_nothing_new() -> None:
    memory = Memory()
    new(memory, one("a", HERE), one("b", HERE))
    assert new(again(memory), one("a", HERE), one("b", HERE)) == []
    assert new(again(memory), one("b", HERE)) == []


def test_what_came_while_nobody_looked_is_new() -> None:
    memory = Memory()
    new(memory, one("a"), one("b"))
    assert new(again(memory), one("a"), one("b"), one("c")) == ["c"]
    assert new(again(memory), one("b"), one("b"), one("a")) == ["b", "a"]


def test_what_is_cut_off_by_the_top_of_the_screen_is_not_held_against_it() -> None:
    memory = Memory()
    page = "\n".join(f"{word} and some more of it, line {number}" for number, word in enumerate(WORDS))
    new(memory, one("a", page), one("b", page + HERE), one("c", page + THERE))
    for seen in ("", "line", page[-40:], page[-100:]):
        assert new(again(memory), one("a", seen), one("b", seen + HERE), one("c", page + THERE)) == []
        assert new(again(memory), one("a", seen), one("b", seen + HERE), one("c", page), one("a", THERE)) == ["a"]


def test_the_same_text_below_it_is_the_next_of_its_kind() -> None:
    memory = Memory()
    [(_, first)] = memory.see([one("a", HERE)])
    [(_, second)] = memory.see([one("a", HERE), one("a", THERE)])
    assert first != second
    assert new(memory, one("a", THERE)) == []


def test_the_same_text_where_other_words_stand_above_is_new() -> None:
    memory = Memory()
    new(memory, one("a", HERE))
    new(memory)  # it was scrolled away
    assert new(memory, one("a", THERE)) == ["a"]
    new(memory)
    assert new(memory, one("a", HERE)) == []


def test_the_same_text_in_a_later_turn_is_new_and_has_another_key() -> None:
    memory = Memory()
    [(_, first)] = memory.see([one("a", HERE)])
    memory.begin_turn()
    assert memory.see([one("a", HERE)]) == []
    [(_, second)] = memory.see([one("a", HERE), one("a", HERE)])
    assert first.split(".")[1:] == second.split(".")[1:]  # the same words, the first time in their turn
    assert first != second


def test_the_same_answer_to_another_prompt_is_new_wherever_the_first_has_gone() -> None:
    memory = Memory()
    first, second = (Sighting("a", sketch(HERE), prompt=prompt_sketch(words)) for words in ("fix the bug", "go on"))
    assert len(memory.see([first])) == 1
    assert len(memory.see([second])) == 1
    assert again(memory).see([first, second]) == []
    unseen = Sighting("a", sketch(HERE))
    assert memory.see([unseen]) == []


def test_what_is_known_of_a_prompt_is_learnt_later() -> None:
    memory = Memory()
    memory.see([Sighting("a", sketch(HERE))])
    memory.see([Sighting("a", sketch(HERE), prompt=prompt_sketch("fix the bug"))])
    assert len(memory.see([Sighting("a", sketch(HERE), prompt=prompt_sketch("go on"))])) == 1


def test_a_prompt_that_was_misread_in_the_middle_of_drawing_is_forgotten() -> None:
    memory = Memory()
    drawn, right = (
        Sighting("a", sketch(HERE), "it says", prompt_sketch(words)) for words in ("Type your message", "fix the bug")
    )
    assert len(memory.see([drawn])) == 1
    assert memory.see([right]) == []
    memory.begin_turn()
    assert memory.see([right]) == []


def test_a_memory_that_was_written_without_prompts_is_read() -> None:
    memory = Memory()
    memory.see([one("a", HERE)])
    written = memory.written()
    written["known"] = [known[:3] for known in written["known"]]
    assert new(Memory.read(written), one("a", HERE)) == []


@pytest.mark.parametrize(
    ("one_prompt", "other", "common"),
    [
        ("fix the parser of dates", "fix the\nparser of dates", True),
        ("fix the parser of dates, and then " + "x" * 400, "fix the parser of dates, and then [+12 lines]", True),
        ("ok", "OK.", True),
        ("ok", "no", False),
        ("?", "?", False),  # without a letter nothing is known
        ("fix the parser", "add a test for it", False),
    ],
)
def test_the_sketch_of_a_prompt(one_prompt: str, other: str, common: bool) -> None:
    assert bool(set(prompt_sketch(one_prompt)) & set(prompt_sketch(other))) is common


def test_the_same_short_answer_to_the_same_prompt_is_new_each_time() -> None:
    memory = Memory()
    for count in range(1, 6):
        memory.begin_turn()
        assert len(memory.see([one("done", f"continue {'x' * 9}")] * count)) == 1


def test_a_printed_marker_is_new_each_time() -> None:
    memory = Memory()
    keys = {memory.printed("a") for _ in range(3)}
    memory.begin_turn()
    assert len({*keys, memory.printed("a")}) == 4


def test_what_was_printed_is_known_when_it_is_seen_in_the_scrollback() -> None:
    memory = Memory()
    for text in "aba":
        memory.printed(text)
    history = [one(text, HERE) for text in "aba"]
    assert new(again(memory), *history) == []
    assert new(again(memory), *history, one("a", HERE), one("c", HERE)) == ["a", "c"]


def test_markers_above_all_that_is_known_are_older_and_not_new() -> None:
    memory = Memory()
    memory.printed("c")
    assert new(memory, one("a"), one("b"), one("c")) == []
    assert new(memory, one("a"), one("b"), one("c"), one("d")) == ["d"]


def test_copies_in_the_scrollback_are_not_new_and_a_later_answer_is() -> None:
    """A resize leaves what was drawn before in the scrollback."""
    memory = Memory()
    page = [one("a", "Some words above the first of them."), one("b", "Other words above the second of them.")]
    assert len(memory.see(page)) == 2
    assert again(memory).see([*page, *page, *page], past=True) == []
    later = one("a", "Some words above the first of them. Other words. A new prompt, and what came of it at once.")
    assert [found.essence for found, _ in again(memory).see([*page, later], past=True)] == ["a"]


def test_the_same_below_the_same_words_is_told_once_in_a_turn() -> None:
    memory = Memory()
    assert len(memory.see([Sighting("a", sketch(HERE), "it says")])) == 1
    twice = [Sighting("a", sketch(HERE), "it says"), Sighting("a", sketch(HERE + THERE), "it says")]
    assert memory.see(twice) == []
    assert again(memory).see([*twice, Sighting("a", sketch(THERE), "it says")]) == []
    memory.begin_turn()
    later = Sighting("a", sketch("Some other words, of which none was there before now."), "it says")
    assert [found for found, _ in memory.see([twice[0], later])] == [later]


def test_a_misread_marker_between_others_does_not_ring_the_others() -> None:
    memory = Memory()
    new(memory, one("a", HERE), one("b", HERE), one("c", HERE))
    assert new(memory, one("a", HERE), one("?", HERE), one("c", HERE)) == ["?"]
    assert new(memory, one("a", HERE), one("b", HERE), one("c", HERE)) == []


def test_memory_is_bounded_and_small() -> None:
    memory = Memory()
    for number in range(5000):
        memory.printed(f"text {number}")
        memory.see([one(f"seen {number}", HERE * 3)])
    assert len(json.dumps(memory.written())) < 16_000
    assert new(again(memory), one("seen 4999", HERE * 3)) == []


def test_no_key_is_given_twice() -> None:
    memory, keys = Memory(), []
    for number in range(2000):
        keys.append(memory.printed(str(number % 700)))
        if number % 50 == 0:
            memory = again(memory)
    assert len(set(keys)) == len(keys)


TRANSCRIPTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=KEPT // 2)


@given(TRANSCRIPTS, st.lists(st.tuples(st.integers(0, 40), st.integers(1, 8), st.booleans()), max_size=20))
def test_whatever_window_is_shown_nothing_is_told_twice(
    text: list[str], looks: Sequence[tuple[int, int, bool]]
) -> None:
    """A window that has shown the end once knows all; scrolling about in it afterwards, or a restart, rings nothing."""
    transcript = [one(letter, f"{WORDS[at % 8]} {at * 7919:o} {WORDS[at % 5]} words of line".translate(_LETTERS))
                  for at, letter in enumerate(text)]  # fmt: skip
    memory = Memory()
    assert len(memory.see(transcript)) == len(transcript)
    for start, size, restarted in looks:
        memory = again(memory) if restarted else memory
        assert memory.see(transcript[start : start + size]) == []


_LETTERS = str.maketrans("01234567", "klmnopqr")
