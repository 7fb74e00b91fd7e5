"""`.paneward.yaml` of the working directory: functions. It comes with a project that may be somebody else's.

So it is read only where nobody else can have written it, it may set only what is harmless (`LOCAL`), and whoever reads
it is told. Parent directories are not searched, and links are not followed.
"""

import os
import stat
from pathlib import Path

from paneward.config.document import Document, parsed
from paneward.config.values import wrong

NAME = ".paneward.yaml"
LONGEST = 65_536  # bytes: a few settings, not a document that takes long to parse
LOCAL = (
    "tmux_bridge.text_enter_delay_ms",
    "tmux_bridge.clear_delay_ms",
    "tmux_bridge.max_enter_retries",
    "tmux_bridge.sequential_send_delay_ms",
    "tmux_bridge.draft_hold_s",
    "readiness.timeout",
    "signals.word",
    "usage.budget_tokens",
    "usage.budget_cost",
    "usage.context_left_below",
    "usage.prices",
    "usage.windows",
    "notifications.sound_disabled",
)


def read_local() -> tuple[Document | None, str]:
    """The document, if there is one that may be used; and what has to be said of it."""
    try:
        handle = os.open(NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, _unused(os.strerror(error.errno or 0))
    with open(handle, "rb") as file:
        if doubt := _doubt(os.fstat(handle)):
            return None, _unused(doubt)
        data = file.read(LONGEST + 1)
    path = Path(f"{NAME} of the working directory")
    return parsed(path, data), f"{NAME} of the working directory is used: {Path(NAME).absolute()}"


def check_local(section: str, key: str, origin: str) -> None:
    if f"{section}.{key}" not in LOCAL:
        raise wrong(
            f"{origin}: {section}.{key} cannot be set there",
            f"Set it in your own config.yaml, or name this file with --config. Allowed there: {', '.join(LOCAL)}.",
        )


def _doubt(found: os.stat_result) -> str:
    """Why it may be the work of somebody else, or no settings at all; nothing if it is fine."""
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file"
    if found.st_uid != os.geteuid():
        return f"it belongs to another user ({found.st_uid})"
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and found.st_gid != os.getegid()):
        return f"others can write it ({stat.S_IMODE(found.st_mode):o})"
    if found.st_size > LONGEST:
        return f"it has more than {LONGEST} bytes"
    return ""


def _unused(why: str) -> str:
    return f"{NAME} of the working directory is not used: {why}"
