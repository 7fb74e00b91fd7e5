"""Looks at what changes without output: soon, then ever later, and not in vain again and again."""

from paneward.core.state.pacing import AT_FIRST, HARDLY, RARELY, SOON, Naps


def napped(naps: Naps, count: int, told_by_terminal: bool = False) -> list[float]:
    """Of a program that prints once and then nothing."""
    taken = [naps.next(0.0, told_by_terminal)]
    while len(taken) < count:
        taken.append(naps.next(sum(taken), told_by_terminal))
    return taken


def test_they_double_up_to_an_end() -> None:
    assert napped(Naps(), 4) == [SOON, 2 * SOON, 4 * SOON, 8 * SOON]
    assert napped(Naps(), 30)[-1] == HARDLY
    assert napped(Naps(), 30, told_by_terminal=True)[-1] == RARELY


def test_one_that_paints_again_and_again_is_not_looked_at_in_between() -> None:
    naps, looks = Naps(), 0
    for _ in range(100):
        slept = naps.next(0.0, False)
        while slept < 0.1:
            looks += 1
            slept += naps.next(slept, False)
    assert looks < 10
    assert napped(naps, 2)[0] <= AT_FIRST, "but soon after it has stopped"


def test_when_it_stands_elsewhere_looks_come_soon_again() -> None:
    naps = Naps()
    for _ in range(5):
        napped(naps, 3)
    assert naps.next(0.0, False) == AT_FIRST
    naps.begin()
    assert naps.next(0.0, False) == SOON


def test_an_agent_whose_terminal_tells_is_looked_at_as_soon_every_time() -> None:
    naps = Naps()
    assert [napped(naps, 3, told_by_terminal=True)[0] for _ in range(5)] == [SOON] * 5
