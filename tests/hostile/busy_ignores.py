"""A box, always in view, that ignores what is typed while the spinner runs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.busy import Work, arguments, working_keys
from tests.hostile.console import Console
from tests.hostile.terminal import monotonic


def main() -> None:
    chosen = arguments(__doc__)
    work = Work()
    with Console(chosen) as console:
        work.begin(monotonic(), chosen.start_seconds)
        for key in working_keys(console, work):
            if not work.busy(key.at):
                submitted = key.name == "Enter" and console.text
                console.take(key)
                if submitted:
                    work.begin(key.at, chosen.work_seconds)
            elif key.name != "tick":
                console.log.write("dropped", key=key.name)


if __name__ == "__main__":
    main()
