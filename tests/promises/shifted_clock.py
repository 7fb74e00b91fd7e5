"""A Python whose clock on the wall is wrong: the directory of this environment comes first on its path.

The kernel's own count of the time since boot stays right, as it does when somebody sets the clock of a machine.
"""

from pathlib import Path

SHIFT = """
import datetime, os, time
_ahead, _time = float(os.environ["CLOCK_AHEAD"]), time.time
time.time = lambda: _time() + _ahead
time.time_ns = lambda: int((_time() + _ahead) * 1e9)
_datetime = datetime.datetime
class Shifted(_datetime):
    @classmethod
    def now(cls, tz=None):
        return _datetime.fromtimestamp(time.time(), tz)
datetime.datetime = Shifted
"""


def clock_ahead(folder: Path, seconds: float) -> dict[str, str]:
    """The variables for a process whose clock is ahead by so much."""
    place = folder / "shifted-clock"
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text(SHIFT)
    return {"PYTHONPATH": str(place), "CLOCK_AHEAD": str(seconds)}
