"""For all tests: what is drawn by chance is judged by what comes of it, never by how long a busy machine takes; and
what takes long begins first, so that no worker is left alone with it at the end."""

import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("paneward", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("paneward")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background ignores Ctrl-C, as all that it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = (
    "tests/test_docs.py::test_each_line_of_the_readme",
    "tests/surfaces/test_many_live.py::test_following_misses_nothing",
    "tests/surfaces/http/test_streams_proof.py::test_readers_see_every_event_once",
    "tests/surfaces/http/test_schema.py",
    "tests/surfaces/",
    "tests/live/",
    "tests/store/",
    "tests/adapters/",
    "tests/hostile/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """The first that its name begins with; all others stay as they are, behind them."""
    return next((at for at, name in enumerate(LONGEST) if item.nodeid.startswith(name)), len(LONGEST))
