"""Hooks in a TOML file, and what Codex notes of them there: functions on its text."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from paneward.core.hook_install.entries import EditRefused, has_all, is_ours, listed, mapping

MARK: Final = "# paneward-hook"
BARE: Final = "# paneward-hook, behind a line without an end"


def read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EditRefused(f"it is not TOML: {error!s:.200}") from None


def edit_toml(text: str | None, entries: Mapping[str, Any]) -> str | None:
    data = read_toml(text or "")
    if entries and has_all(data, entries):
        return text
    text = "" if text is None else _without_lines(text, data)
    if not entries:
        return text or None
    end = "\r\n" if "\r\n" in text else "\n"
    bare = bool(text) and not text.endswith("\n")
    lines = [line for name, group in entries.items() for line in (f"[[hooks.{name}]]", _inline(group["hooks"][0]))]
    marked = [f"{line} {BARE if bare and at == 0 else MARK}{end}" for at, line in enumerate(lines)]
    edited = text + (end if bare else "") + "".join(marked)
    try:
        whole = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        whole = {}
    if not has_all(whole, entries):
        raise EditRefused("its `hooks` is written in a form that nothing can be added to: use `[[hooks.NAME]]` tables")
    return edited


def _inline(handler: Mapping[str, Any]) -> str:
    pairs = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in handler.items())
    return f"hooks = [{{ {pairs} }}]"


def _without_lines(text: str, data: Mapping[str, Any]) -> str:
    reviewed = set(_reviews(data))
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not line.rstrip().endswith((MARK, BARE))]
    bare = any(line.rstrip().endswith(BARE) for line in lines)
    left = _without_reviews("".join(kept), reviewed) if reviewed and len(kept) < len(lines) else "".join(kept)
    if bare and kept and left.endswith(kept[-1]):
        left = left.rstrip("\r\n")
    return left


def _reviews(data: Mapping[str, Any]) -> Iterator[str]:
    """How the keys end under which Codex notes that ours were reviewed."""
    for name, groups in mapping(data.get("hooks")).items():
        label = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        for number, group in enumerate(listed(groups)):
            if is_ours(group):
                yield f"config.toml:{label}:{number}:0"


_STATE: Final = re.compile(r'\[hooks\.state(?:\.("(?>(?:[^"\\]|\\.)*)"))?\]\s*')


def _without_reviews(text: str, keys: set[str]) -> str:
    """Without the tables of these keys, each with the blank line before it; and without the one above them, if that
    is left empty."""
    tables: list[list[str]] = [[]]  # each from its header on
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            tables.append([])
        tables[-1].append(line)
    gone = [_reviewed(table, keys) for table in tables]
    others = any(
        _STATE.match(table[0]) and not _bare_state(table)
        for table, out in zip(tables, gone, strict=True)
        if table and not out
    )
    left: list[str] = []
    for table, out in zip(tables, gone, strict=True):
        if out or (any(gone) and not others and _bare_state(table)):
            left = left[:-1] if left and not left[-1].strip() else left
            left += [line for line in table[1:] if not line.strip()]
        else:
            left += table
    return "".join(left)


def _reviewed(table: list[str], keys: set[str]) -> bool:
    found = _STATE.fullmatch(table[0]) if table else None
    return found is not None and found[1] is not None and any(str(json.loads(found[1])).endswith(one) for one in keys)


def _bare_state(table: list[str]) -> bool:
    found = _STATE.fullmatch(table[0]) if table else None
    return found is not None and found[1] is None and not "".join(table[1:]).strip()
