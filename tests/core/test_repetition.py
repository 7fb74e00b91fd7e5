"""What is said again and again is left out, counted, and told once more after a while."""

from paneward.core.repetition import AT_ONCE, KINDS, WHILE, Repetition


def test_the_first_of_a_kind_are_written_and_the_others_counted() -> None:
    log = Repetition()
    assert [log.hear("a", 1.0) for _ in range(AT_ONCE + 5)] == [0] * AT_ONCE + [None] * 5
    assert log.hear("b", 1.0) == 0
    assert log.hear("a", 1.0 + WHILE) == 5
    assert log.hear("a", 1.0 + WHILE) == 0


def test_a_clock_that_was_set_back_silences_nothing() -> None:
    log = Repetition(at_once=1)
    assert log.hear("a", 100.0) == 0
    assert log.hear("a", 50.0) == 0


def test_so_many_kinds_are_remembered() -> None:
    log = Repetition(at_once=1)
    for number in range(KINDS + 1):
        assert log.hear(str(number), 0.0) == 0
    assert log.hear("0", 0.0) == 0, "forgotten"
    assert log.hear(str(KINDS), 0.0) is None
