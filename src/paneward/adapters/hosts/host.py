"""Run or open a program, here or over ssh: a prefix, and the only quoting for the other side's shell.

What surprised us: a process that outlives us with a full pipe can freeze the program in a pane, so what is opened dies
with us (`setpriv --pdeathsig KILL`, on both sides where it exists). That signal comes when the *thread* that opened
the process ends: open from the thread that runs the event loop. It does not come when the parent ended before it was
asked for, and a tmux client whose pipes nobody holds stays for ever: the other side looks. ssh joins its arguments
with blanks and gives them to a shell over there, so they go as one quoted word. ssh's own failures are exit status 255
and words on stderr, in the place where the program's own would be. A shared connection whose other side is gone does
not end by itself for a while, so after a loss another one is begun.
"""

import asyncio
import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakSet

from paneward.core.errors import HostUnreachable, LoginNeeded, TmuxTimeout

SSH_FAILED = 255
NOT_FOUND = 127
PDEATH = ("setpriv", "--pdeathsig", "TERM")  # a tmux client that is killed while it comes takes the server along
# For the other side: its shell may be any, so the one word it gets is a plain sh command.
REMOTE_PDEATH = """[ "$PPID" = 1 ] && exit
if command -v setpriv >/dev/null 2>&1
then exec setpriv --pdeathsig TERM sh -c '[ "$PPID" = "$0" ] && exec "$@"' "$PPID" "$@"
fi
exec "$@\""""
SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-o", "ServerAliveInterval=15")

CLOSING = 2.0  # seconds for a shared connection to end
MOST_WORDS = 500  # characters of what ssh says
_FOR_A_HUMAN = ("Permission denied (", "Host key verification failed", "Too many authentication failures")
_HINTS = (
    ("Could not resolve hostname", "Is its name right? --ssh says what ssh calls it; ~/.ssh/config knows aliases."),
    ("Connection refused", "Does sshd run there, at that port?"),
    ("timed out", "Is it switched on, and is the network there?"),
    ("Bad configuration option", "Remove the host, and add it with options that ssh knows."),
    ("", "`ssh HOST true` must work without a question."),
)
NEEDS_LOGIN = "Run `{} true` by hand until it asks nothing any more, then `paneward hosts connect`."


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program that was run to its end ended."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def words(self) -> str:
        return self.stderr.decode("utf-8", "replace").strip()


def _piped(command: Sequence[str], held: bool) -> subprocess.Popen[bytes]:
    """A program with pipes. With `held` its input stays open until it is gone itself, whatever becomes of us.

    What surprised us: a tmux server (up to 3.5a) that finds the input of a control client closed, hears more output
    and can still write to the client, has lost count and ends: `not enough data`. A process that is killed closes its
    pipes one after the other, and on a busy machine there is time enough in between.
    """
    to_us, from_us = os.pipe(), os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=from_us[0],
            stdout=to_us[1],
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(from_us[1],) if held else (),
        )
    except BaseException:
        os.close(from_us[1])
        os.close(to_us[0])
        raise
    finally:
        os.close(from_us[0])
        os.close(to_us[1])
    process.stdin = os.fdopen(from_us[1], "wb", buffering=0)
    process.stdout = os.fdopen(to_us[0], "rb")
    return process


class HostGate:
    """Whether a host may be tried at this moment. When it is shut, all that is open to that host ends at once: who
    waits for an answer need not wait for its time to be up."""

    def __init__(self, name: str) -> None:
        self.lost = 0  # how often the connection was
        self.up = asyncio.Event()  # it is open
        self.refused = asyncio.Event()  # ssh would have asked something
        self._why: HostUnreachable | None = HostUnreachable(f"{name}: it is not connected yet")
        self._open: WeakSet[subprocess.Popen[bytes]] = WeakSet()

    def check(self) -> None:
        if self._why is not None:
            raise type(self._why)(self._why.message, hint=self._why.hint)

    def opened(self, process: subprocess.Popen[bytes]) -> None:
        self._open.add(process)

    def open(self) -> None:
        self._why = None
        self.refused.clear()
        self.up.set()

    def shut(self, why: HostUnreachable) -> None:
        self._why = why
        self.up.clear()
        self.lost += 1
        for process in self._open:
            process.kill()
        self._open.clear()


class Host:
    """This machine (no prefix), or another one behind `prefix`, a command like `ssh host`."""

    def __init__(self, prefix: Sequence[str] = (), name: str = "", gate: HostGate | None = None) -> None:
        self._prefix = tuple(prefix)
        self.name = name or (self._prefix[-1] if self._prefix else "")
        self._gate = gate
        self._shared: str | None = None  # directory of the connection that short commands share

    @classmethod
    def ssh(cls, destination: str, *options: str, name: str = "", gate: HostGate | None = None) -> "Host":
        """A host by its ssh name; `options` are further ssh arguments, such as `-F`, `file`."""
        return cls([*SSH, *options, "--", destination], name=name or destination, gate=gate)

    @property
    def local(self) -> bool:
        return not self._prefix

    @cached_property
    def _guard(self) -> tuple[str, ...]:
        return PDEATH if shutil.which("setpriv") else ()

    def spawn(self, argv: Sequence[str]) -> subprocess.Popen[bytes]:
        """Open a program with pipes; it ends when the calling thread does."""
        if self._gate is not None:
            self._gate.check()
        if self.local:
            command = [*self._guard, *argv]
        else:
            command = [*self._guard, *self._prefix, shlex.join(["sh", "-c", REMOTE_PDEATH, "sh", *argv])]
        process = _piped(command, held=bool(self._guard))
        if self._gate is not None:
            self._gate.opened(process)
        return process

    def has(self, program: str) -> bool | None:
        """Whether this machine has `program`; None when only the other side can tell."""
        return shutil.which(program) is not None if self.local else None

    async def run(self, argv: Sequence[str], input: bytes = b"", timeout: float = 5.0) -> Finished:
        """Run a program to its end; raise `TmuxTimeout` when that takes longer than `timeout` seconds."""
        if self._gate is not None:
            self._gate.check()
        process = await asyncio.create_subprocess_exec(
            *self._short(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            async with asyncio.timeout(timeout):
                stdout, stderr = await process.communicate(input)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            # tmux hands its pipes to its server: one that stopped would keep us waiting for their end.
            process._transport.close()  # type: ignore[attr-defined]
            await process.wait()
            if isinstance(error, TimeoutError):
                raise TmuxTimeout(f"`{shlex.join(argv)}` did not end within {timeout:g} s") from None
            raise
        assert process.returncode is not None
        return self.checked(Finished(process.returncode, stdout, stderr))

    def checked(self, done: Finished) -> Finished:
        """Raise what only ssh itself can have said."""
        if not self.local and done.status == SSH_FAILED:
            raise self.failure(done.words)
        return done

    def failure(self, words: str) -> HostUnreachable:
        """ssh tells what went wrong only in words; this is the one place that reads them."""
        told = f"{self.name}: {' '.join(words.split())[-MOST_WORDS:] or 'ssh failed without a word'}"
        if not any(known in words for known in _FOR_A_HUMAN):
            return HostUnreachable(told, hint=next((hint for known, hint in _HINTS if known in words), ""))
        if self._gate is not None:
            self._gate.refused.set()
        return LoginNeeded(told, hint=NEEDS_LOGIN.format(shlex.join(_shown(self._prefix))))

    def _short(self, argv: Sequence[str]) -> list[str]:
        if self.local:
            return list(argv)
        if self._shared is None:
            self._shared = tempfile.mkdtemp(prefix="pw-")
        program, *rest = self._prefix
        return [program, *self._sharing("auto"), *rest, shlex.join(argv)]

    def _sharing(self, role: str) -> list[str]:
        if os.path.basename(self._prefix[0]) != "ssh":
            return []
        path = f"{self._shared}/{self._gate.lost if self._gate is not None else 0}-%C"
        options = (f"ControlMaster={role}", f"ControlPath={path}", "ControlPersist=60")
        return [word for option in options for word in ("-o", option)]

    async def close(self) -> None:
        """End the shared connection, if there is one."""
        if self._shared is None:
            return
        program, *rest = self._prefix
        if sharing := self._sharing("no"):
            process = await asyncio.create_subprocess_exec(
                program, *sharing, "-O", "exit", *rest, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSING):
                    await process.wait()
        shutil.rmtree(self._shared, ignore_errors=True)
        self._shared = None


def _shown(prefix: Sequence[str]) -> list[str]:
    """An ssh command as a human would give it: without what keeps it from asking."""
    return (
        [prefix[0], *(word for word in prefix[len(SSH) :] if word != "--")] if prefix[: len(SSH)] == SSH else [*prefix]
    )
