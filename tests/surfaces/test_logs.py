"""The log of a server: what is said again and again is left out, and a file that is too long is put aside."""

import logging
from pathlib import Path

from paneward.core.repetition import AT_ONCE
from paneward.surfaces.server.log import BoundedLog, Fewer


def record(words: str, at: float = 0.0) -> logging.LogRecord:
    made = logging.LogRecord("paneward", logging.WARNING, "", 0, words, None, None)
    made.created = at
    return made


def test_a_log_file_that_is_too_long_is_put_aside(tmp_path: Path) -> None:
    file = tmp_path / "server.log"
    with file.open("a") as stream:
        handler = BoundedLog(stream, file, longest=100)
        for number in range(30):
            handler.emit(record(f"message {number}"))
    kept = file.read_text() + (tmp_path / "server.old.log").read_text()
    assert file.stat().st_size <= 120
    assert (tmp_path / "server.old.log").stat().st_size <= 120
    assert "message 29" in kept
    assert "message 0\n" not in kept


def test_a_stream_that_is_another_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "server.log").touch()
    with (tmp_path / "elsewhere").open("a") as stream:
        handler = BoundedLog(stream, tmp_path / "server.log", longest=10)
        for number in range(5):
            handler.emit(record(f"message {number}"))
    assert (tmp_path / "elsewhere").read_text().count("message") == 5


def test_what_is_said_again_is_left_out_and_counted() -> None:
    fewer = Fewer()
    passed = [fewer.filter(record("no token")) for _ in range(AT_ONCE + 7)]
    assert passed.count(True) == AT_ONCE
    later = record("no token", 100.0)
    assert fewer.filter(later)
    assert later.getMessage() == "no token (7 more like this were left out)"
