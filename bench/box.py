"""An input box of one row that forgets a text when it is submitted: what a sender without a closed loop can verify."""

import os
import sys
import tty


def main(log: str) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    tty.setraw(0)
    text = b""
    os.write(1, b"\x1b[?2004h> ")
    while data := os.read(0, 65536):
        data = data.replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b"").replace(b"\x1b", b"")
        for part in data.splitlines(keepends=True):
            text += part.rstrip(b"\r")
            if part.endswith(b"\r"):
                os.write(file, text + b"\n")
                text = b""
        os.write(1, b"\r\x1b[K> " + text)


if __name__ == "__main__":
    main(*sys.argv[1:])
