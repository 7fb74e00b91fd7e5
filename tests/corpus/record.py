"""Records what real programs draw, as `<program>/<case>.json`: `python -m tests.corpus.record [case ...]`.

Each program runs in a private tmux server with a home of its own. What must be read from a screen is written by
hand in `<case>.expected.json` beside it; a new recording leaves that alone.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HOSTILE = f"{sys.executable} {HERE.parent / 'hostile'}"
FIELDS = ("pane_width", "pane_height", "cursor_x", "cursor_y", "cursor_flag", "alternate_on")
PATIENCE = 20.0
POLL = 0.1
FILES = {
    ".bashrc": "PS1='user@host:~$ '\n",
    "list.md": "# Plan\n\n1. read\n2. write\n\n> 1. quoted\n  2. quoted\n",
    "long.txt": "".join(f"line {number}\n" for number in range(1, 200)),
}


@dataclass(frozen=True, slots=True)
class Case:
    name: str  # <program>/<case>
    command: str
    until: str  # recorded once the text of the screen matches this
    keys: tuple[str, ...] = ()
    then: str = ""  # what the keys lead to
    more: tuple[str, ...] = ()  # and further keys
    at_last: str = ""
    columns: int = 80
    rows: int = 24


DEMO = f"{sys.executable} -m paneward demo-agent --speed 10"
BASH = "bash --rcfile $HOME/.bashrc -i"
CASES = [
    Case("bash/idle", BASH, r"\$ *$"),
    Case("bash/typed_question", BASH, r"\$ *$", ("-l", "echo what?"), r"what\?$"),
    Case("bash/list_above_prompt", f"cat list.md; exec {BASH}", r"quoted\nuser.*\$ *$"),
    Case("bash/select", "bash -c 'select x in red green; do :; done'", r"#\?"),
    Case("bash/read_name", "bash -c 'read -p \"Name: \" x'", r"Name:"),
    Case("bash/read_secret", "bash -c 'read -s -p Password: x'", r"Password:"),
    Case("bash/percent", "bash -c 'printf 50%%; sleep 60'", r"50%"),
    Case("bash/markup", "bash -c 'printf \"<html>\"; sleep 60'", r"<html>"),
    Case("rm/interactive", "rm -i list.md", r"remove"),
    Case("ssh_keygen/passphrase", "ssh-keygen -t ed25519 -C x -f key", r"passphrase"),
    Case("git/add_patch", "git init -q . && git add -N list.md && git add -p", r"Stage"),
    Case("python/idle", "python3 -q", r">>> *$"),
    Case("python/typed_colon", "python3 -q", r">>> *$", ("-l", "if x:"), r"if x:"),
    Case("python/input", "python3 -c \"input('How many? ')\"", r"many"),
    Case("less/top", "less long.txt", r"long.txt"),
    Case("less/more", "less long.txt", r"long.txt", ("Space",), r"line 40"),
    Case("less/end", "less long.txt", r"long.txt", ("G",), r"\(END\)"),
    Case("more/first", "more long.txt", r"--More--"),
    Case("vim/list", "vim -u NONE list.md", r"quoted"),
    Case("hostile/plain_box", f"{HOSTILE}/plain_box.py --log $HOME/log", r"> *$"),
    Case(
        "hostile/drawn_cursor", f"{HOSTILE}/plain_box.py --no-cursor --log $HOME/log", r">", ("-l", "hello"), r"hello"
    ),
    Case("hostile/draft", f"{HOSTILE}/draft.py --log $HOME/log", r"thought"),
    Case("hostile/ghost", f"{HOSTILE}/ghost.py --log $HOME/log", r">", ("-l", "please"), r"please \w"),
    Case(
        "hostile/ghost_drawn", f"{HOSTILE}/ghost.py --no-cursor --log $HOME/log", r">", ("-l", "please"), r"please \w"
    ),
    Case("hostile/right_prompt", f"{HOSTILE}/right_prompt.py --log $HOME/log", r"\S {9,}\S"),
    Case("hostile/yes_no", f"{HOSTILE}/yes_no.py --log $HOME/log", r"y/N"),
    Case("hostile/password", f"{HOSTILE}/password.py --log $HOME/log", r"assword"),
    Case("hostile/menu", f"{HOSTILE}/menu.py --log $HOME/log", r"Esc", ("Down",), r"❯ 2"),
    Case("hostile/permission", f"{HOSTILE}/menu.py --permission --log $HOME/log", r"Esc"),
    Case("hostile/multi", f"{HOSTILE}/menu.py --multi --log $HOME/log", r"Esc", ("Space",), r"\[x\]"),
    Case("demo/idle", DEMO, r"Try"),
    Case("demo/draft", DEMO, r"Try", ("two", "C-j", "lines"), r"lines"),
    Case("demo/question", DEMO, r"Try", ("ask which colour to use", "Enter"), r"❯ 1"),
    Case("demo/free_text", DEMO, r"Try", ("ask which colour to use", "Enter"), r"❯ 1", ("Up",), r"❯ [^1]"),
    Case("demo/permission", DEMO, r"Try", ("permit rm -r build", "Enter"), r"❯ 1"),
    Case("demo/several", DEMO, r"Try", ("multi what to check", "Enter"), r"❯ 1", ("Space",), r"❯ 1"),
    Case("hostile/narrow_menu", f"{HOSTILE}/menu.py --permission --log $HOME/log", r"Esc", columns=20),
]


class Server:
    """A tmux server for one recording."""

    def __init__(self, home: Path) -> None:
        self._name = f"corpus-{home.name}"
        self._environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
        }

    def run(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._name, "-f", "/dev/null", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, check=True, timeout=PATIENCE)
        return done.stdout.decode()

    def wait(self, pattern: str) -> None:
        """Until the screen matches and has stopped moving."""
        before, until = "", time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.run("capture-pane", "-p").rstrip("\n")
            if text == before and re.search(pattern, text, re.MULTILINE):
                return
            before = text
            time.sleep(POLL)
        raise TimeoutError(f"never saw {pattern!r}, but:\n{before}")

    def snapshot(self) -> dict[str, object]:
        both = ("display-message", "-p", " ".join(f"#{{{name}}}" for name in FIELDS), ";", "capture-pane", "-p", "-e")
        facts, _, screen = self.run(*both).partition("\n")
        width, height, x, y, visible, alternate = map(int, facts.split())
        return {
            "rows": screen.split("\n")[:-1],
            "width": width,
            "height": height,
            "cursor_x": x,
            "cursor_y": y,
            "cursor_visible": bool(visible),
            "alternate": bool(alternate),
        }


def record(case: Case) -> None:
    with tempfile.TemporaryDirectory() as home:
        for name, text in FILES.items():
            (Path(home) / name).write_text(text)
        server = Server(Path(home))
        size = ("-x", str(case.columns), "-y", str(case.rows))
        server.run("new-session", "-d", "-c", home, *size, f"{case.command}; sleep 60")
        try:
            server.wait(case.until)
            for keys, pattern in ((case.keys, case.then), (case.more, case.at_last)):
                if keys:
                    server.run("send-keys", *keys)
                    server.wait(pattern)
            taken = json.dumps(server.snapshot(), ensure_ascii=False, indent=1)
        finally:
            server.run("kill-server")
    path = HERE / f"{case.name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(taken + "\n")


def main() -> None:
    wanted = sys.argv[1:] or [case.name for case in CASES]
    for case in CASES:
        if case.name in wanted:
            record(case)
            print(case.name)


if __name__ == "__main__":
    main()
