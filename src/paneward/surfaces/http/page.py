"""The plain page: agents live, answered in place. Three files that are served as they are; nothing is built."""

from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from paneward.core.errors import PanewardError
from paneward.surfaces.http.errors import refusal

POLICY: Final = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"  # noqa: E501
TYPES: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


@cache
def _read(name: str) -> bytes:
    return (files(__package__) / "static" / name).read_bytes()


def asset(name: str) -> Response:
    """One of the page's own files."""
    kind = TYPES[name.rpartition(".")[2]]
    return Response(
        _read(name), media_type=kind, headers={"content-security-policy": POLICY, "cache-control": "no-cache"}
    )


def page() -> Response:
    return asset("index.html")


def signed_in(cookie: bytes) -> Response:
    """A page that goes on to `/` by itself. A redirect would not do: a browser that came by a link from elsewhere would
    not send the strict cookie along with it."""
    answer = _note("Signed in", "You are signed in.", '<meta http-equiv="refresh" content="0;url=/">')
    answer.raw_headers.append((b"set-cookie", cookie))
    return answer


def not_signed_in(words: str, status: int = 401) -> Response:
    help_ = "<p><code>paneward status --sign-in</code> prints a URL that signs this browser in. It counts once.</p>"
    return _note("Sign in", words, "", help_, status)


def stranger(scope: Scope, failure: PanewardError, request: str) -> Response:
    """Somebody without a token: people get a page, programs an error."""
    accepts = b"".join(value for name, value in scope["headers"] if name == b"accept")
    if scope["type"] == "http" and scope["path"] == "/" and b"text/html" in accepts:
        return not_signed_in("This browser is not signed in.")
    return refusal(failure, request)


def _note(title: str, words: str, head: str = "", more: str = "", status: int = 200) -> Response:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Paneward</title>'
        f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">{head}</head>'
        f'<body><main class="note"><h1>Paneward</h1><p>{escape(words)}</p>{more}</main></body></html>',
        status,
        {"content-security-policy": POLICY},
    )
