"""The log of a server: structured, readable, without credentials. Shape: functions.

Every module logs by the standard library; structlog writes it, as lines for people or as one JSON object each.
"""

import logging
import sys
from typing import Any, Literal, TextIO

import structlog

from paneward.core.text import redact

QUIET = ("uvicorn", "uvicorn.error", "uvicorn.access", "httpx", "httpcore", "alembic", "asyncio")


def configure(form: Literal["text", "json"], level: str, stream: TextIO | None = None) -> None:
    """Send all logs to one stream."""
    stream = stream or sys.stderr
    stamped: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=form == "json"),
        structlog.processors.format_exc_info,
        _redacted,
    ]
    writer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=stream.isatty(), pad_event_to=0, sort_keys=False)
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, writer], foreign_pre_chain=stamped
        )
    )
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(logging.getLevelNamesMapping().get(level.upper(), logging.INFO))
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _redacted(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    """What is logged is kept: credentials are crossed out before it is written."""
    return {name: redact(value) if isinstance(value, str) else value for name, value in event.items()}
