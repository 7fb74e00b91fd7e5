"""`paneward` and `python -m paneward`."""

import sys

from paneward.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
