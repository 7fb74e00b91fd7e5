"""Browsers that are signed in: their secret changes while it is used, and what is old counts no more."""

from pathlib import Path

from paneward.surfaces.http.access.sessions import AT_MOST, LASTS, MOST, OVERLAP, RENEWED, Sessions, shown

KEY = b"k" * 32


def test_a_session_in_use_gets_a_new_secret_and_the_old_one_ends_soon() -> None:
    sessions = Sessions(KEY, None)
    first = sessions.begin("Tester", 0.0)
    admitted = sessions.admit(first, RENEWED - 1)
    assert admitted is not None
    assert admitted.cookie == ""
    renewed = sessions.admit(first, RENEWED)
    assert renewed is not None
    assert renewed.cookie not in ("", first)
    assert renewed.device.until == RENEWED + LASTS
    late = 2 * RENEWED - 1
    assert sessions.admit(first, late) is not None, "the new one may have been lost on its way"
    assert sessions.admit(renewed.cookie, late) is not None
    assert sessions.admit(first, late + OVERLAP - 1) is not None, "requests cross"
    assert sessions.admit(first, late + OVERLAP) is None
    assert sessions.admit(renewed.cookie, late + OVERLAP) is not None


def test_a_session_ends_unused_and_at_last_in_any_case() -> None:
    sessions = Sessions(KEY, None)
    cookie = sessions.begin("", 0.0)
    assert sessions.admit(cookie, LASTS) is None
    assert not sessions.good(cookie.partition(".")[0], LASTS)
    now, cookie = 0.0, sessions.begin("", 0.0)
    while (found := sessions.admit(cookie, now)) is not None:
        now, cookie = now + LASTS - 1, found.cookie or cookie
    assert now <= AT_MOST + LASTS


def test_what_is_no_cookie_of_ours_is_nobody() -> None:
    sessions = Sessions(KEY, None)
    cookie = sessions.begin("", 0.0)
    device = cookie.partition(".")[0]
    for wrong in ("", ".", device, f"{device}.", f"{device}.x", f"x{cookie}", f"{cookie}x", "\ud800.\ud800"):
        assert sessions.admit(wrong, 1.0) is None


def test_sessions_are_stored_without_their_secrets(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    sessions = Sessions(KEY, file)
    cookie = sessions.begin("Tester", 0.0)
    again = Sessions(KEY, file)
    assert again.admit(cookie, 1.0) is not None
    assert [one.name for one in again.all(1.0)] == ["Tester"]
    assert Sessions(b"another", file).admit(cookie, 1.0) is None
    assert cookie.partition(".")[2] not in file.read_text()
    assert set(shown(again.all(1.0)[0])) == {"id", "name", "created_at", "seen_at", "until"}
    assert again.end(cookie.partition(".")[0])
    assert not again.end(cookie.partition(".")[0])
    assert Sessions(KEY, file).admit(cookie, 1.0) is None
    file.write_text("[{]")
    assert Sessions(KEY, file).all(0.0) == []


def test_there_is_room_for_so_many() -> None:
    sessions = Sessions(KEY, None)
    cookies = [sessions.begin(str(number), float(number)) for number in range(MOST + 3)]
    assert len(sessions.all(100.0)) == MOST
    assert sessions.admit(cookies[0], 100.0) is None
    assert sessions.admit(cookies[-1], 100.0) is not None
