"""The log of a server: structured, readable, without credentials. Shape: functions.

Every module logs by the standard library; structlog writes it, as lines for people or as one JSON object each.
"""

import logging
import os
import sys
from pathlib import Path
from typing import Any, Final, Literal, TextIO

import structlog

from paneward.core.repetition import Repetition
from paneward.core.terminal.harmless import harmless
from paneward.core.text import redact

QUIET = ("uvicorn", "uvicorn.error", "uvicorn.access", "httpx", "httpcore", "alembic", "asyncio")
LONGEST: Final = 4 << 20  # bytes of a log file; then it is put aside, and the one before it goes


def configure(
    form: Literal["text", "json"], level: str, stream: TextIO | None = None, file: Path | None = None
) -> None:
    """Send all logs to one stream. `file` is the file that it may be written to: it is kept short."""
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
    handler = BoundedLog(stream, file)
    handler.addFilter(Fewer())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, writer], foreign_pre_chain=stamped
        )
    )
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(logging.getLevelNamesMapping().get(level.upper(), logging.INFO))
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


class BoundedLog(logging.StreamHandler[TextIO]):
    """Writes to a stream. Where that is a log file and too long, the file is put aside and a new one begun, for all
    that the process writes to its standard error."""

    def __init__(self, stream: TextIO, file: Path | None, longest: int = LONGEST) -> None:
        super().__init__(stream)
        self._file, self._longest = file, longest

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        if self._file is not None:
            try:
                self._keep_short(self._file)
            except (OSError, ValueError):  # a full disk, a file that is gone: what was said was said
                self._file = None

    def _keep_short(self, file: Path) -> None:
        here = os.fstat(self.stream.fileno())
        if here.st_size <= self._longest or not os.path.samestat(here, file.stat()):
            return
        file.replace(file.with_suffix(".old.log"))
        fresh = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(fresh, self.stream.fileno())
        os.close(fresh)


class Fewer(logging.Filter):
    """Leaves out what is said again and again, and says how often it was."""

    def __init__(self) -> None:
        super().__init__()
        self._repetition = Repetition()

    def filter(self, record: logging.LogRecord) -> bool:
        left_out = self._repetition.hear(f"{record.name} {record.levelno} {record.msg!s:.200}", record.created)
        if left_out:
            record.msg = f"{record.msg} ({left_out} more like this were left out)"
        return left_out is not None


def _redacted(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    """What is logged is kept, and read on a terminal: no credentials, and nothing that a terminal would obey."""
    return {name: harmless(redact(value)) if isinstance(value, str) else value for name, value in event.items()}
