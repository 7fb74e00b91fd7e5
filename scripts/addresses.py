"""No tracked file may carry the address of a package registry or a path of the machine it was written on.

Shape: functions. A lock file with an address works only where that address does; a path works only here. The hosts are
the public ones plus whatever this machine's own pip and uv are set up to use, read when the check runs.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

# Written as patterns, this list does not match itself.
PUBLIC = (r"pypi\.org", r"pythonhosted\.org", r"registry\.npmjs\.org", r"registry\.yarnpkg\.com", r"deb\.debian\.org")
SETTINGS = ("/etc/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf", "~/.config/uv/uv.toml")
INDEX_VARIABLES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "NPM_CONFIG_REGISTRY")


def hosts(text: str) -> set[str]:
    """The host names of all web addresses in `text`."""
    found = (urlsplit(address).hostname for address in re.findall(r"https?://[^\s\"',]+", text))
    return {host for host in found if host and "." in host}


def machine_hosts() -> set[str]:
    files = [Path(name).expanduser() for name in SETTINGS]
    texts = [file.read_text() for file in files if file.is_file()]
    return hosts("\n".join(texts + [os.environ.get(name, "") for name in INDEX_VARIABLES]))


def path_pattern(path: Path) -> str | None:
    """A pattern for an absolute path; None for `/`. One as short as `/root` counts with what stands below it."""
    if len(path.parts) < 2:
        return None
    if len(path.parts) < 3:
        return rf"(?<![\w.~-]){re.escape(str(path))}/(?=[\w.])"
    return rf"(?<![\w.~-]){re.escape(str(path))}(?![\w-])"


def forbidden(top: Path) -> re.Pattern[str]:
    paths = [pattern for path in (top, Path.home()) if (pattern := path_pattern(path))]
    own_hosts = [re.escape(host) for host in sorted(machine_hosts())]
    return re.compile("|".join([*PUBLIC, *own_hosts, *paths]))


def findings(name: str, text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), start=1):
        if found := pattern.search(line):
            yield f"{name}:{number}: names a registry or a path of this machine: {found.group()}"


def tracked(top: Path) -> Iterator[tuple[str, str]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=top, check=True, capture_output=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (file := top / name).is_file():
            yield name, file.read_text(errors="replace")


def main(top: Path) -> int:
    pattern = forbidden(top)
    found = [line for name, text in tracked(top) for line in findings(name, text, pattern)]
    print("\n".join(found) or "no tracked file names a registry or a path of this machine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
