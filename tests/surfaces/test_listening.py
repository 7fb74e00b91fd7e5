"""Where a server listens: what is refused, and how it is found."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from paneward.config import ServerSettings
from paneward.core.errors import Code, InvalidInput, ServerError
from paneward.surfaces.server.address import check_bind, listening, whereabouts


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_alone_needs_nothing(host: str) -> None:
    check_bind(ServerSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_need_tls_or_a_word(host: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"server\.host") as caught:
        check_bind(ServerSettings(host=host))
    assert caught.value.code is Code.CONFIG_INVALID
    assert "--insecure-bind" in caught.value.hint
    check_bind(ServerSettings(host=host, insecure_bind=True))
    check_bind(ServerSettings(host=host, tls_certificate=str(tmp_path / "cert.pem")))


def test_a_key_without_its_certificate_is_refused() -> None:
    with pytest.raises(InvalidInput, match="tls_key is given without"):
        check_bind(ServerSettings(tls_key="key.pem"))


def test_a_host_that_nobody_knows_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"server\.host: 'no-such-host\.invalid'"):
        check_bind(ServerSettings(host="no-such-host.invalid"))


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        yield sock.getsockname()[1]


def test_a_port_in_use_is_one_clear_line(taken: int) -> None:
    with pytest.raises(ServerError, match=f"cannot listen at 127.0.0.1 port {taken}: Address already in use") as caught:
        listening(ServerSettings(port=taken)).__enter__()
    assert caught.value.code is Code.PORT_IN_USE
    assert "--port" in caught.value.hint


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")]
)
def test_any_free_port_is_known_when_it_listens(host: str, url: str) -> None:
    settings = ServerSettings(host=host, port=0)
    with listening(settings) as sock:
        where = whereabouts(settings, sock)
        assert where.url == f"{url}{sock.getsockname()[1]}"


def test_a_server_with_a_certificate_is_reached_by_tls() -> None:
    settings = ServerSettings(port=0, tls_certificate="cert.pem")
    with listening(settings) as sock:
        where = whereabouts(settings, sock)
    assert where.url.startswith("https://127.0.0.1:")
