"""A server in this process: listen, open the store, tell where it is, serve until it is told to end.

Ends in order: by SIGINT, SIGTERM, or a request of the operator. What waits is answered, streams are closed, the store
lets go, and only then the file that says where the server is goes away: whoever sees it gone can start the next one.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Self

import uvicorn
import uvloop

from paneward.adapters.watchdog import Watchdog
from paneward.app.server import Server, serve
from paneward.client.remote import required
from paneward.client.unix_http import listening as at_socket
from paneward.client.whereabouts import tell, untell
from paneward.config import ServerSettings, Settings
from paneward.core.errors import Code, InvalidInput, ServerError
from paneward.surfaces.cli.answers import RunningServer
from paneward.surfaces.http.access.connections import raise_file_limit
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import HttpApp, build
from paneward.surfaces.http.listen import Listener, listener
from paneward.surfaces.server.address import BACKLOG, check_bind, listening, whereabouts

log = logging.getLogger("paneward.server")
Guests = Callable[[Server], AbstractAsyncContextManager[None]]  # what lives beside the server for its time


def host(settings: Settings, directory: Path, announce: Callable[[RunningServer], None], guests: Guests) -> None:
    """Serve until the end; `announce` is called once, when requests are answered."""
    check_bind(settings.server)
    raise_file_limit()
    watchdog = Watchdog()
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with listening(settings.server) as sock, watchdog.watching(), runner:
        runner.run(_host(settings, directory, sock, announce, guests, watchdog))


async def _host(
    settings: Settings,
    directory: Path,
    sock: socket.socket,
    announce: Callable[[RunningServer], None],
    guests: Guests,
    watchdog: Watchdog,
) -> None:
    where, ending = whereabouts(settings.server, sock), asyncio.Event()
    with contextlib.ExitStack() as told:
        async with serve(settings, directory, url=where.url) as server:
            access = Access.open(directory, server.clock, settings.server, fresh=True)
            web = Web.of(build(server, access, ending.set), settings.server, ending, watchdog)
            own = told.enter_context(_own_socket(directory))
            tell(directory, where)
            told.callback(untell, directory, where.pid)
            async with web.listening(sock, own), guests(server):
                await asyncio.to_thread(answers, directory)
                sign_in = f"{where.url}/signin?code={access.new_code()}"
                announce(RunningServer(where.url, where.pid, where.version, sign_in, fresh=True))
                log.info("the server listens", extra={"url": where.url, "pid": where.pid})
                await ending.wait()
    log.info("the server has ended")


def answers(directory: Path) -> None:
    """Ask it once: the first answer takes long, and who was told that it is up should not wait for it."""
    required(directory).get("/api/version")


@contextlib.contextmanager
def _own_socket(directory: Path) -> Iterator[socket.socket]:
    """The socket for commands, in the state directory."""
    with contextlib.ExitStack() as stack:
        try:
            sock = stack.enter_context(at_socket(directory, BACKLOG))
        except OSError as error:
            raise ServerError(
                f"cannot make a socket in {directory}: {error.strerror or error}",
                hint="PANEWARD_STATE_DIR names another directory, on a file system of this machine.",
            ) from None
        yield sock


class Web(Listener):
    """Uvicorn inside a program that has more to do before and after it: signals only begin the end."""

    def __init__(
        self, config: uvicorn.Config, drain: Callable[[], None], ending: asyncio.Event, watchdog: Watchdog
    ) -> None:
        super().__init__(config, drain)
        self._ending = ending
        self._watchdog = watchdog
        self._up = asyncio.Event()

    @classmethod
    def of(cls, api: HttpApp, settings: ServerSettings, ending: asyncio.Event, watchdog: Watchdog) -> Self:
        config = listener(api, ssl_certfile=settings.tls_certificate, ssl_keyfile=settings.tls_key).config
        try:
            config.load()
        except (OSError, ssl.SSLError) as error:
            raise _no_certificate(settings, error) from None
        return cls(config, api.drain, ending, watchdog)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        with self._watchdog.hearing(lambda: loop.call_soon_threadsafe(self._ending.set)):
            yield

    async def on_tick(self, counter: int) -> bool:
        self._watchdog.beat()
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._up.set()

    async def _answer_commands(self, own: socket.socket) -> None:
        """The socket of the state directory speaks the same HTTP, always without TLS: nobody else can listen in."""

        def connected() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        server = await asyncio.get_running_loop().create_unix_server(connected, sock=own)
        self.servers.append(server)

    @asynccontextmanager
    async def listening(self, sock: socket.socket, own: socket.socket) -> AsyncIterator[None]:
        """Requests are answered inside, those of commands by `own`; what is being answered at the end is waited for."""
        serving, started = asyncio.create_task(self.serve([sock])), asyncio.create_task(self._up.wait())
        try:
            await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED)
            await self._answer_commands(own)
            yield
        finally:
            started.cancel()
            self.end()
            await serving


def _no_certificate(settings: ServerSettings, error: OSError) -> InvalidInput:
    files = ", ".join(filter(None, (settings.tls_certificate, settings.tls_key)))
    return InvalidInput(
        f"server.tls_certificate, server.tls_key: {files}: {error.strerror or error}",
        code=Code.CONFIG_INVALID,
        hint="Name PEM files of a certificate and its key that can be read.",
    )
