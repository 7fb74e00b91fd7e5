"""Where a server listens: checked, bound, and told. Shape: functions.

The socket is bound before anything else is done, so that a port that is taken is one clear line, and port 0 is known.
"""

import contextlib
import ipaddress
import os
import socket
from collections.abc import Iterator
from importlib import metadata

from paneward.client.whereabouts import Whereabouts
from paneward.config import ServerSettings
from paneward.core.errors import Code, InvalidInput, ServerError

BACKLOG = 2048


def check_bind(settings: ServerSettings) -> None:
    """Beyond this machine only with TLS, or when somebody says that they know."""
    if settings.tls_key and not settings.tls_certificate:
        raise InvalidInput(
            "server.tls_key is given without server.tls_certificate", code=Code.CONFIG_INVALID, hint="Give both."
        )
    if settings.tls_certificate or settings.insecure_bind or all(map(_loopback, _addresses(settings))):
        return
    raise InvalidInput(
        f"server.host: {settings.host!r} can be reached from other machines, and there is no TLS",
        code=Code.CONFIG_INVALID,
        hint="Set server.tls_certificate, or say --insecure-bind: tokens can then be read on the way.",
    )


def _addresses(settings: ServerSettings) -> list[tuple[int, str]]:
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InvalidInput(
            f"server.host: {settings.host!r}: {error.strerror}",
            code=Code.CONFIG_INVALID,
            hint="Allowed: an address of this machine, or a name of one.",
        ) from None
    return [(family, str(address[0])) for family, _, _, _, address in found]


def _loopback(address: tuple[int, str]) -> bool:
    return ipaddress.ip_address(address[1].partition("%")[0]).is_loopback


@contextlib.contextmanager
def listening(settings: ServerSettings) -> Iterator[socket.socket]:
    """The socket of the server, bound before anything else is done."""
    family, address = _addresses(settings)[0]
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((address, settings.port))
            sock.listen(BACKLOG)
        except OSError as error:
            raise ServerError(
                f"cannot listen at {settings.host} port {settings.port}: {error.strerror}",
                code=Code.PORT_IN_USE,
                hint="--port takes another one, 0 any that is free; `ss -ltnp` shows who has it.",
            ) from None
        yield sock


def whereabouts(settings: ServerSettings, sock: socket.socket) -> Whereabouts:
    """How this machine reaches the server."""
    address, port = sock.getsockname()[:2]
    given = ipaddress.ip_address(address)
    host = {4: "127.0.0.1", 6: "::1"}[given.version] if given.is_unspecified else address
    name = f"[{host}]" if ":" in host else host
    scheme = "https" if settings.tls_certificate else "http"
    return Whereabouts(f"{scheme}://{name}:{port}", os.getpid(), metadata.version("paneward"))
