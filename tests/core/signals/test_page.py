from paneward.core.signals.memory import Known, as_known, sketch
from paneward.core.signals.page import MOST, Page

HERE, THERE = "It stands below these words of a page.", "Far away, behind the mountains, live the blind texts."


def one(text: str, above: str = "") -> Known:
    return as_known(text, sketch(above))


def test_what_is_printed_is_new_each_time() -> None:
    page = Page()
    assert not page
    assert [page.write(row, one("a", HERE)) for row in range(3)] == [True] * 3
    assert page.count(one("a", HERE), 0) == 3


def test_what_stood_where_the_cursor_goes_back_to_may_be_drawn_again_once() -> None:
    page = Page()
    for row in range(4):
        page.write(row, one("a"))
    page.rewind(2)
    assert [page.write(row, one("a")) for row in (2, 3, 4)] == [False, False, True]


def test_a_cleared_page_that_is_drawn_again_tells_nothing_new() -> None:
    page = Page()
    for row, text in enumerate("abc"):
        page.write(row, one(text))
    for _ in range(10):
        page.clear()
        assert [page.write(row, one(text)) for row, text in enumerate("abc")] == [False] * 3
    assert page.write(3, one("a"))


def test_other_words_above_make_it_new() -> None:
    page = Page()
    page.write(0, one("a", HERE))
    page.clear()
    assert page.write(0, one("a", THERE))
    assert not page.write(1, one("a", HERE))


def test_the_main_screen_comes_back_as_it_was() -> None:
    page = Page()
    page.write(5, one("a"))
    page.enter_alternate()
    page.enter_alternate()
    assert page.write(0, one("b"))
    page.leave_alternate()
    assert page.write(6, one("a"))  # nothing of the main screen was erased
    page.enter_alternate()
    assert not page.write(0, one("b"))
    page.leave_alternate()
    page.leave_alternate()
    assert page.count(one("a"), 0) == 2


def test_what_scrolled_off_the_page_is_not_counted() -> None:
    page = Page()
    page.write(3, one("a"))
    page.write(40, one("a"))
    assert [page.count(one("a"), top) for top in (0, 3, 4, 41)] == [2, 2, 1, 0]


def test_after_a_turn_nothing_is_drawn_again() -> None:
    page = Page()
    page.write(0, one("a"))
    page.clear()
    page.lay_ghosts()
    assert page.write(0, one("a"))


def test_memory_is_bounded() -> None:
    page = Page()
    for number in range(5 * MOST):
        page.write(number, one(str(number)))
        if number % 7 == 0:
            page.clear()
    assert len(page._standing) <= 2 * MOST
    assert page._haunted == sum(map(len, page._ghosts.values())) <= MOST
