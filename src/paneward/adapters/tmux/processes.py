"""Tmux by one process per command: slower by an order, with nothing that stays open.

What surprised us: a word that ends in `;` ends the command, so it is escaped; `load-buffer -` makes the words
that follow it wait for the end of stdin, so filling and pasting a buffer is one process; no event exists on
this way, so a watch looks every 50 ms, and only while somebody waits.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import NOT_FOUND, Host
from paneward.adapters.process import ProcessProbe
from paneward.adapters.tmux.door import Door, server_key
from paneward.adapters.tmux.socket import check_socket, tmux_command
from paneward.adapters.tmux.words import (
    CALLED,
    PaneRow,
    check_guard,
    check_version,
    choose,
    classify,
    each_once,
    guarded,
    half_typed,
    look_format,
    nonce,
    panes_format,
    press_commands,
    read_look,
    read_panes,
    type_commands,
)
from paneward.core.errors import PaneNotFound, TmuxError, TmuxNotInstalled, TmuxTimeout, Unanswered
from paneward.core.terminal.scene import ProcessFacts, Snapshot
from paneward.ports import Clock, PaneInfo, always

LOOK_EVERY = 0.05


class PolledWatch:
    """The `Watch` port without a stream: each change of the screen is one step of `output_seq`, and a gap."""

    def __init__(self, tmux: "ExecTmux", snapshot: Snapshot, clock: Clock) -> None:
        self._tmux = tmux
        self._clock = clock
        self._snapshot = snapshot
        self._seq = 0
        self._at: float | None = None
        self._gone = snapshot.dead

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    @property
    def output_seq(self) -> int:
        return self._seq

    @property
    def last_output_at(self) -> float | None:
        return self._at

    @property
    def flooding(self) -> bool:
        return False  # nothing is read, however much it is

    @property
    def gone(self) -> bool:
        return self._gone

    async def see(self) -> tuple[Snapshot, int] | None:
        return None

    def saw(self, snapshot: Snapshot, seq: int) -> None:
        """Nothing tells what happens between two looks: there is nothing to keep."""

    def unmoved(self) -> Snapshot | None:
        return None

    async def wait(self, after: int, timeout: float, matters: Callable[[], bool] = always) -> bool:
        until = self._clock.now() + timeout
        while not self._gone and not (self._seq > after and matters()):
            await self._look()
            if self._gone or (self._seq > after and matters()):
                break
            left = until - self._clock.now()
            if left <= 0:
                return False
            await self._clock.sleep(min(LOOK_EVERY, left))
        return True

    async def _look(self) -> None:
        try:
            snapshot = await self._tmux.look(self._snapshot.pane)
        except PaneNotFound:
            self._gone = True
            return
        if snapshot != self._snapshot:
            self._snapshot = snapshot
            self._seq += 1
            self._at = self._clock.now()
        self._gone = snapshot.dead

    async def renew(self) -> None:
        """The next snapshot is a new one, whether something changed or not."""
        self._seq += 1

    async def chunks(self) -> AsyncIterator[bytes | None]:
        """No bytes are to be had here: None, a gap, for each change."""
        at = 0
        while await self.wait(at, 3600) and not (self._gone and self._seq == at):
            at = self._seq
            yield None

    def listen(self, ear: Callable[[bytes | None], None]) -> bool:
        """There is nothing to be heard here."""
        return False

    def leave(self, ear: Callable[[bytes | None], None]) -> None:
        """It was never called."""

    def recent(self, after: int) -> bytes | None:
        return b"" if after >= self._seq else None


class ExecTmux:
    """One tmux server over a process per command; the `Tmux` port."""

    def __init__(
        self,
        host: Host | None = None,
        socket_name: str | None = None,
        socket_path: str | None = None,
        timeout: float = 5.0,
        *,
        tmux: str = "tmux",
        clock: Clock | None = None,
    ) -> None:
        self._host = host or Host()
        self._tmux = tmux
        self._named = socket_name, socket_path
        self._argv = tmux_command(tmux, self._host.local, socket_name, socket_path)
        self._door = Door(server_key(self._host.name, socket_name, socket_path))
        self._timeout = timeout
        self._clock = clock or SystemClock()
        self._probe = ProcessProbe(self._host)
        self._checked = False

    async def __aenter__(self) -> "ExecTmux":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    # --- one process

    async def _run(self, argv: Sequence[str], input: bytes = b"") -> bytes:
        try:
            done = await self._host.run(argv, input, self._timeout)
        except FileNotFoundError:
            raise TmuxNotInstalled from None
        if done.status == NOT_FOUND:
            raise TmuxNotInstalled(done.words)
        if done.status:
            raise classify(argv[len(self._argv)] if len(argv) > len(self._argv) else argv[0], done.words)
        return done.stdout

    async def _call(self, *words: str, input: bytes = b"") -> bytes:
        """One tmux process; a lone `;` word separates commands, any other is taken literally."""
        if not self._checked:
            check_version((await self._run([self._tmux, "-V"])).decode("utf-8", "replace"))
            self._checked = True
        if self._host.local:
            check_socket(*self._named)
        escaped = [word[:-1] + "\\;" if word.endswith(";") and word != ";" else word for word in words]
        return await self._run([*self._argv, *escaped], input)

    async def _write(self, what: str, *words: str, input: bytes = b"") -> bytes:
        try:
            return await self._call(*words, input=input)
        except TmuxTimeout as late:
            raise Unanswered(f"{what}: {late.message}; unknown whether it went in") from None

    # --- reading

    async def look(self, pane: str, history: int = 0) -> Snapshot:
        secret = nonce()
        start = ["-S", f"-{history}"] if history else []
        answer = await self._call(
            *("capture-pane", "-p", "-e", "-t", pane, *start, ";"),
            *("display-message", "-p", "-t", pane, look_format(secret)),
        )
        body, _, trailer = (b"\n" + answer).rpartition(f"\n{secret} ".encode())
        return read_look(pane, trailer.removesuffix(b"\n"), body.split(b"\n")[1:], secret)

    async def _rows(self) -> list[PaneRow]:
        secret = nonce()
        return read_panes(await self._call("list-panes", "-a", "-F", panes_format(secret)), secret)

    async def panes(self) -> Sequence[PaneInfo]:
        return each_once(await self._rows())

    async def resolve(self, target: str) -> str:
        return choose(target, await self._rows())

    async def process(self, snapshot: Snapshot) -> ProcessFacts | None:
        return await self._probe.facts(snapshot)

    async def identity(self) -> str:
        socket = (await self._call("display-message", "-p", "#{socket_path}")).decode("utf-8", "replace").strip()
        return f"{self._host.name or CALLED}:{socket}"

    async def run(self, *command: str) -> list[str]:
        words = ["\\;" if word == ";" else word for word in command]
        return (await self._call(*words)).decode("utf-8", "replace").splitlines()

    # --- writing

    async def type(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        for part, command in enumerate(type_commands(pane, text)):
            try:
                await self._guarded(pane, "type", command, seen=None if part else seen)
            except TmuxError as error:
                raise half_typed(error, part, text) from None

    async def paste(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        if not text:
            return
        name = nonce()
        paste = ("paste-buffer", "-p", "-r", "-d", "-b", name, "-t", pane)
        fill = ("load-buffer", "-b", name, "-", ";")
        try:
            await self._guarded(pane, "paste", paste, *fill, input=text.encode("utf-8", "surrogateescape"), seen=seen)
        except TmuxError:
            await self._drop_buffer(name)
            raise

    async def _drop_buffer(self, name: str) -> None:
        """A buffer that was not pasted; it may be gone, and so may the server."""
        try:
            await self._call("delete-buffer", "-b", name)
        except TmuxError:
            return

    async def _guarded(
        self,
        pane: str,
        what: str,
        command: Sequence[str],
        *before: str,
        input: bytes = b"",
        seen: Snapshot | None = None,
    ) -> None:
        secret = nonce()
        words = [
            part if isinstance(part, str) else part.decode("utf-8", "surrogateescape")
            for part in guarded(pane, command, secret, seen)
        ]
        answer = await self._write(what, *before, *words, input=input)
        trailer = next((line for line in answer.split(b"\n") if line.startswith(secret.encode())), None)
        check_guard(pane, what, trailer and trailer[len(secret) + 1 :], "tmux did not say what it did", seen)

    async def press(self, pane: str, *keys: str) -> None:
        words = [word for command in press_commands(pane, keys) for word in (";", *command)]
        if words:
            await self._write("press", *words[1:])

    async def leave_mode(self, pane: str) -> None:
        for command in (("copy-mode", "-q", "-t", pane), ("send-keys", "-X", "-t", pane, "cancel")):
            if not (await self.look(pane)).in_mode:
                return
            async with self._door.alone():
                await self._write("leave_mode", *command)
        if (await self.look(pane)).in_mode:
            raise TmuxError(f"{pane} does not leave its mode")

    # --- watching

    @asynccontextmanager
    async def watch(self, pane: str, sized: bool = False) -> AsyncIterator[PolledWatch]:
        yield PolledWatch(self, await self.look(pane), self._clock)

    async def close(self) -> None:
        await self._probe.close()
        await self._host.close()
