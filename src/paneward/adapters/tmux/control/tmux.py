"""Tmux by control mode: one client for commands, one per watched session, one that may block.

What surprised us: `attach` without `-N` starts a server, without `-E` rewrites the session's environment.
"""

import asyncio
import contextlib
import math
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import Host
from paneward.adapters.process import ProcessProbe
from paneward.adapters.tmux.control.client import UPHEAVAL, Client, ClientLost, open_client
from paneward.adapters.tmux.control.watchers import Watchers
from paneward.adapters.tmux.control.watching import PaneWatch
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
from paneward.core.errors import PaneNotFound, TmuxError, TmuxTimeout, Unanswered
from paneward.core.terminal.control import CommandReply, encode
from paneward.core.terminal.scene import ProcessFacts, Snapshot
from paneward.ports import Clock, PaneInfo

HELLO = b"display-message -p '#{version}|#{socket_path}'"
SSH_PATIENCE = 6.0  # seconds that ssh itself may take to say that it cannot connect
TWICE = "the control client ended twice while tmux was asked: {}"
READS = ("list-", "show-", "display-message", "capture-pane")
PASTED = 50_000  # characters per set-buffer
# Commands whose answer holds no foreign text: they need no frame.
SILENT = frozenset({"send-keys", "set-buffer", "delete-buffer", "set-option", "set-hook", "resize-window", "copy-mode"})
SECRET = b"@secret@"  # stands for the nonce in a line that is kept
SHORT = 500  # characters of a command that is worth remembering
HARMLESS = re.compile(r"#\{(?:[a-z]+_(?:id|index|width|height|pid|dead|in_mode|size)|cursor_[xy])\}")


class ControlTmux:
    """One tmux server over `tmux -C`; the `Tmux` port."""

    def __init__(
        self,
        host: Host | None = None,
        socket_name: str | None = None,
        socket_path: str | None = None,
        timeout: float = 5.0,
        *,
        tmux: str = "tmux",
        link_foreign: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self._host = host or Host()
        self._named = socket_name, socket_path
        self._argv = tmux_command(tmux, self._host.local, socket_name, socket_path, "-N")
        self._tmux = tmux
        self._door = Door(server_key(self._host.name, socket_name, socket_path))
        self._timeout = timeout
        self._client: Client | None = None
        self._coming: tuple[Client, asyncio.Future[CommandReply]] | None = None
        self._opening = asyncio.Lock()
        self._socket = ""
        self._probe = ProcessProbe(self._host)
        self._clock = clock or SystemClock()
        self._watchers = Watchers(
            self._host.local, self._clock, self._door, self._open, self.look_on, self._read, link_foreign
        )

    async def __aenter__(self) -> "ControlTmux":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    # --- clients

    def _open(
        self, *attach: str, on_event: Callable[..., None] | None = None, on_lost: Callable[[], None] | None = None
    ) -> Client:
        if self._host.local:
            check_socket(*self._named)
        argv = [*self._argv, "-C", "attach-session", "-E", *attach]
        return open_client(self._host, self._door, argv, self._timeout, on_event, on_lost)

    async def _commands(self) -> Client:
        """The client for commands; a new one when the last one ended or is late."""
        client = self._client
        if client is not None and client.lost is None and not client.late:
            return client
        try:
            async with asyncio.timeout(self._timeout + (0 if self._host.local else SSH_PATIENCE)), self._opening:
                if self._client is client:
                    if client is not None and client.lost is not None:
                        await self._clock.sleep(UPHEAVAL)
                    self._client = await self._connect()
                    self._retire(client)
        except TimeoutError:
            raise TmuxTimeout(f"tmux did not answer within {self._timeout:g} s") from None
        assert self._client is not None
        return self._client

    async def _connect(self) -> Client:
        """Open a client and hear from it. One that is slow to answer is kept and asked again, not replaced."""
        if self._coming is None or self._coming[0].lost is not None:
            async with self._door.alone():
                client = self._open("-f", "no-output,ignore-size")
                self._coming = client, client.ask(HELLO, timeout=math.inf)
                await client.introduced()
        client, hello = self._coming
        try:
            reply = await asyncio.shield(hello)
        except ClientLost as lost:
            raise await self._explain(client, str(lost)) from None
        self._coming = None
        words, _, self._socket = b"\n".join(reply.lines).decode("utf-8", "replace").partition("|")
        try:
            check_version(words)
        except TmuxError:
            client.close()
            raise
        return client

    def _retire(self, client: Client | None) -> None:
        """tmux answers again, so ending the late client does it no harm."""
        if client is not None:
            client.close()

    async def _explain(self, client: Client, words: str) -> TmuxError:
        """Why no client could be opened."""
        if (failure := client.failure()) is not None:
            return failure
        error = classify("attach-session", words)
        if not isinstance(error, PaneNotFound):
            done = await self._host.run([self._tmux, "-V"], timeout=self._timeout)
            try:
                check_version(done.stdout.decode("utf-8", "replace"))
            except TmuxError as too_old:
                return too_old
        return error

    async def _read(self, line: bytes, framed: str | None = None) -> CommandReply:
        """Ask something that changes nothing; asked again once if the client ends under it."""
        client = self._client
        if client is None or client.lost is not None or client.late:
            client = await self._commands()
        try:
            return await client.ask(line, framed)
        except ClientLost:
            client = await self._commands()
        try:
            return await client.ask(line, framed)
        except ClientLost as lost:
            raise TmuxError(TWICE.format(lost)) from None

    async def _write(self, what: str, *lines: bytes, framed: str | None = None) -> CommandReply:
        """Send lines of which only the last one's answer is of interest; never sent again."""
        client = await self._commands()
        answers = [client.ask(line) for line in lines[:-1]]
        answers.append(client.ask(lines[-1], framed))
        try:
            replies = await _all(answers)
        except ClientLost as lost:
            raise Unanswered(f"{what}: the control client ended ({lost}); unknown whether it went in") from None
        except TmuxTimeout as late:
            raise Unanswered(f"{what}: {late.message}; unknown whether it went in") from None
        for reply in replies:
            _check(what, reply)
        return replies[-1]

    # --- reading

    async def look(self, pane: str, history: int = 0) -> Snapshot:
        with contextlib.suppress(ClientLost):
            return await self.look_on(await self._commands(), pane, history)
        try:
            return await self.look_on(await self._commands(), pane, history)
        except ClientLost as lost:
            raise TmuxError(TWICE.format(lost)) from None

    async def look_on(
        self,
        client: Client,
        pane: str,
        history: int = 0,
        early: Callable[[Snapshot], None] | None = None,
        blanks: bool = False,
    ) -> Snapshot:
        """One atomic look: screen and facts by one line. `early` gets it at its exact place in the stream; `blanks`
        keeps those at the ends of rows, which may be coloured."""
        secret = nonce()
        found: list[Snapshot | TmuxError] = []

        def read(reply: CommandReply) -> None:
            try:
                found.append(_snapshot(pane, reply, secret))
            except TmuxError as error:
                found.append(error)
            else:
                if early is not None:
                    early(found[-1])  # type: ignore[arg-type]

        await client.ask(_look_line(pane, history, blanks, secret), secret, read)
        if isinstance(found[0], TmuxError):
            raise found[0]
        return found[0]

    async def _rows(self) -> list[PaneRow]:
        secret = nonce()
        reply = await self._read(encode("list-panes", "-a", "-F", panes_format(secret)), nonce())
        _check("list-panes", reply)
        return read_panes(b"\n".join(reply.lines), secret)

    async def panes(self) -> Sequence[PaneInfo]:
        return each_once(await self._rows())

    async def resolve(self, target: str) -> str:
        return choose(target, await self._rows())

    async def process(self, snapshot: Snapshot) -> ProcessFacts | None:
        return await self._probe.facts(snapshot)

    async def identity(self) -> str:
        await self._commands()
        return f"{self._host.name or CALLED}:{self._socket}"

    async def run(self, *command: str) -> list[str]:
        line, silent = _prepared(*command)
        framed = None if silent else nonce()
        reading = command[0].startswith(READS)
        reply = await (self._read(line, framed) if reading else self._do(command[0], line, framed))
        _check(command[0], reply)
        return [line.decode("utf-8", "replace") for line in reply.lines]

    async def _do(self, what: str, line: bytes, framed: str | None) -> CommandReply:
        try:
            return await (await self._commands()).ask(line, framed)
        except ClientLost as lost:
            raise TmuxError(f"{what}: the control client ended ({lost}); unknown whether it ran") from None

    # --- writing

    async def type(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        for part, command in enumerate(type_commands(pane, text)):
            try:
                await self._guarded(pane, "type", command, seen=None if part else seen)
            except TmuxError as error:
                raise half_typed(error, part, text) from None

    async def paste(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        name = nonce()
        parts = [text[at : at + PASTED] for at in range(0, len(text), PASTED)]
        fill = [encode("set-buffer", *(["-a"] if at else []), "-b", name, "--", part) for at, part in enumerate(parts)]
        if not fill:
            return
        try:
            command = ("paste-buffer", "-p", "-r", "-d", "-b", name, "-t", pane)
            await self._guarded(pane, "paste", command, *fill, seen=seen)
        except TmuxError:
            await self._drop_buffer(name)
            raise

    async def _drop_buffer(self, name: str) -> None:
        """A buffer that was not pasted; it may be gone, and so may the server."""
        with contextlib.suppress(TmuxError, ClientLost):
            await (await self._commands()).ask(encode("delete-buffer", "-b", name))

    async def _guarded(
        self, pane: str, what: str, command: Sequence[str], *before: bytes, seen: Snapshot | None = None
    ) -> None:
        secret = nonce()
        reply = await self._write(what, *before, encode(*guarded(pane, command, secret, seen)), framed=secret)
        check_guard(pane, what, reply.trailer, reply.complaint.decode("utf-8", "replace"), seen)

    async def press(self, pane: str, *keys: str) -> None:
        if keys:
            await self._write("press", *(encode(*command) for command in press_commands(pane, keys)))

    async def leave_mode(self, pane: str) -> None:
        for command in (("copy-mode", "-q", "-t", pane), ("send-keys", "-X", "-t", pane, "cancel")):
            if not await self._in_mode(pane):
                return
            async with self._door.alone():
                await self._write("leave_mode", encode(*command))
        if await self._in_mode(pane):
            raise TmuxError(f"{pane} does not leave its mode")

    async def _in_mode(self, pane: str) -> bool:
        reply = await self._read(encode("display-message", "-p", "-t", pane, "#{pane_id} #{pane_in_mode}"))
        found, _, mode = b"".join(reply.lines).decode("ascii", "replace").partition(" ")
        if found != pane:
            raise PaneNotFound(f"can't find pane: {pane}")
        return mode not in ("", "0")

    # --- watching

    @asynccontextmanager
    async def watch(self, pane: str, sized: bool = False) -> AsyncIterator[PaneWatch]:
        seen = await self.look(pane)
        watch = await self._watchers.join(pane, seen.session, seen.window, sized)
        try:
            yield watch
        finally:
            self._watchers.leave(watch)

    async def close(self) -> None:
        await self._watchers.close()
        for client in (self._client, self._coming and self._coming[0]):
            if client is not None:
                client.close()
        await self._door.settle()
        await self._probe.close()
        await self._host.close()


async def _all(answers: Sequence[asyncio.Future[CommandReply]]) -> list[CommandReply]:
    """The replies, which come in order; a failure is heard of once, and of none that came with it."""
    try:
        return [await answer for answer in answers]
    except BaseException:
        for answer in answers:
            if not answer.cancel() and not answer.cancelled():
                answer.exception()
        raise


def _look_line(pane: str, history: int, blanks: bool, secret: str) -> bytes:
    return _look_template(pane, history, blanks).replace(SECRET, secret.encode())


@lru_cache(maxsize=256)
def _look_template(pane: str, history: int, blanks: bool) -> bytes:
    more = [*(["-S", f"-{history}"] if history else []), *(["-N"] if blanks else [])]
    return (
        encode("capture-pane", "-p", "-e", "-t", pane, *more)
        + b" ; "
        + encode("display-message", "-p", "-t", pane, look_format(SECRET.decode()))
    )


def _snapshot(pane: str, reply: CommandReply, secret: str) -> Snapshot:
    _check("capture-pane", reply)
    if reply.trailer is None:
        raise TmuxError(f"tmux told the screen of {pane} without its facts")
    return read_look(pane, reply.trailer, reply.lines, secret)


def _check(what: str, reply: CommandReply) -> None:
    if not reply.ok:
        raise classify(what, b"\n".join(reply.lines).decode("utf-8", "replace"))


@lru_cache(maxsize=256)
def _prepared_once(command: tuple[str, ...]) -> tuple[bytes, bool]:
    return encode(*command), _silent(command)


def _prepared(*command: str) -> tuple[bytes, bool]:
    """The line of a command, and whether its answer needs no frame; short ones, asked again and again, are kept."""
    if sum(map(len, command)) <= SHORT:
        return _prepared_once(command)
    return encode(*command), _silent(command)


def _silent(command: Sequence[str]) -> bool:
    return command[0] in SILENT or (command[0] == "display-message" and _harmless(" ".join(command)))


@lru_cache(256)
def _harmless(format: str) -> bool:
    return "#" not in HARMLESS.sub("", format)
