"""The key names Paneward accepts, pressed on a real tmux: none may arrive as the letters of its name."""

import itertools
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from paneward.core.terminal.keys import CONTROLLED, FIXED, MOVING, SENDING, check_keys

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

# Reads raw bytes; after each end mark it writes one line of hex, so that a reply is evidence, not a pause.
READER = """
import os, sys, tty
tty.setraw(0)
with open(sys.argv[1], "w", buffering=1) as out:
    out.write("reading\\n")
    seen = b""
    while data := os.read(0, 4096):
        seen += data
        *whole, seen = seen.split("¤".encode())
        for part in whole:
            out.write(part.hex() + "\\n")
"""


class Reader:
    def __init__(self, folder: Path) -> None:
        self._tmux = ["tmux", "-L", f"paneward-keys-{uuid.uuid4().hex[:8]}", "-f", "/dev/null"]
        self._env = {**os.environ, "HOME": str(folder)}
        self._env.pop("TMUX", None)
        fifo = folder / "seen"
        os.mkfifo(fifo)
        self._run("new-session", "-d", "-x", "80", "-y", "24", "--", sys.executable, "-c", READER, str(fifo))
        self._lines = fifo.open()
        assert self._lines.readline() == "reading\n"

    def press(self, key: str) -> bytes:
        """The bytes the program got for one key."""
        name = key[:-1] + "\\;" if key.endswith(";") else key  # tmux takes a trailing `;` for itself
        self._run("send-keys", "--", name, ";", "send-keys", "-l", "¤")
        return bytes.fromhex(self._lines.readline())

    def close(self) -> None:
        self._run("kill-server")
        self._lines.close()

    def _run(self, *command: str) -> None:
        subprocess.run([*self._tmux, *command], env=self._env, check=True, timeout=30)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.close()


def accepted() -> list[str]:
    modifiers = ["".join(chosen) for size in range(4) for chosen in itertools.combinations(("C-", "M-", "S-"), size)]
    return [
        *(modifier + key for key in MOVING for modifier in modifiers),
        *(modifier + key for key in SENDING for modifier in ("", "M-")),
        *(modifier + "Space" for modifier in ("C-", "C-M-")),
        *FIXED,
        "C-/",
        "^/",
        "C-C-a",
        "C-A",
        *(modifier + key for key in CONTROLLED for modifier in ("C-", "M-C-", "^")),
        *(modifier + key for key in "aZ5;-#~é日🧪" for modifier in ("", "M-")),
    ]


def test_every_accepted_key_arrives_as_a_key_and_never_as_its_name(reader: Reader) -> None:
    for key in accepted():
        check_keys([key])
        seen = reader.press(key)
        assert seen, f"{key} sent nothing"
        assert len(key) == 1 or key.encode() not in seen, f"{key} was typed as text"


def test_modifiers_are_not_lost(reader: Reader) -> None:
    for plain, modified in [("a", "C-a"), ("a", "M-a"), ("Up", "C-Up"), ("Up", "S-Up"), ("F5", "M-F5"), ("é", "M-é")]:
        assert reader.press(plain) != reader.press(modified)


@pytest.mark.parametrize("key", ["Return", "Esc", "F13", "C-Foo", "hello"])
def test_an_unknown_name_would_have_been_typed_as_text(reader: Reader, key: str) -> None:
    assert reader.press(key) == key.encode()
