"""Transcripts for tests: those of the real agents, and lines made up."""

import json
from pathlib import Path
from typing import Any

from paneward.core.usage import Account, Usage

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "usage"


def corpus(name: str) -> bytes:
    return (CORPUS / name).read_bytes()


def again(account: Account) -> Account:
    """After a restart."""
    return Account.read(json.loads(json.dumps(account.written())))


def fed(account: Account, *files: tuple[str, bytes]) -> Usage:
    """Transcripts that are there, all found at once."""
    for number, (path, _) in enumerate(files):
        account.begin(path, number + 1, "/subagents/" in path)
    for path, data in files:
        account.feed(path, data)
    return account.usage(0.0)


def tokens(usage: Usage) -> tuple[int, int, int]:
    return usage.tokens_in, usage.tokens_out, usage.tokens_cached


def line(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode() + b"\n"


def answer(name: str, second: int, read: int = 10, out: int = 1, cached: int = 0, **more: Any) -> bytes:
    """As Claude Code writes one."""
    usage = {"input_tokens": read, "output_tokens": out, "cache_read_input_tokens": cached}
    message = {"id": name, "model": "claude-x", "usage": usage}
    return line({"type": "assistant", "timestamp": f"2026-01-01T00:00:{second:02}.000Z", "message": message, **more})
