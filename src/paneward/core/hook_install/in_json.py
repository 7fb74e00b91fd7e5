"""Hooks in a JSON file: functions on its text."""

import json
from collections.abc import Mapping
from typing import Any

from paneward.core.hook_install import jsonc
from paneward.core.hook_install.entries import EditRefused, has_all, own
from paneward.core.hook_install.jsonc import Node, NotJson


def edit_json(text: str | None, entries: Mapping[str, Any]) -> str | None:
    if text is not None and entries and has_all(root_of(text).data(), entries):
        return text
    text = None if text is None else _without(text)
    if not entries:
        return text
    if text is None:
        return f"{{\n  {_hooks(entries, '  ', '  ')}\n}}\n"
    return _with(text, entries)


def root_of(text: str) -> Node:
    try:
        root = jsonc.parse(text)
    except NotJson as error:
        raise EditRefused(f"it is not JSON: {error}") from None
    if root.value != "{":
        raise EditRefused("it is no JSON object")
    hooks = root.get("hooks")
    if hooks is not None and (hooks.value != "{" or any(item.node.value != "[" for item in hooks.items)):
        raise EditRefused("its `hooks` is no object of lists")
    return root


def _with(text: str, entries: Mapping[str, Any]) -> str:
    root, end = root_of(text), "\r\n" if "\r\n" in text else "\n"
    step = jsonc.indent_of(text, root.items[0].start) if root.items else ""
    step = step or "  "
    if root.get("hooks") is None:
        return jsonc.insert(text, root, _hooks(entries, step, step, end), step, end)
    for name, group in entries.items():
        hooks = root_of(text).get("hooks")
        assert hooks is not None
        groups = hooks.get(name)
        if groups is None:
            inner = jsonc.indent_of(text, hooks.items[0].start) if hooks.items else step * 2
            text = jsonc.insert(text, hooks, _event(name, group, inner, step, end), inner, end)
        else:
            inner = jsonc.indent_of(text, groups.items[0].start) if groups.items else step * 3
            text = jsonc.insert(text, groups, _written(group), inner, end)
    return text


def _hooks(entries: Mapping[str, Any], indent: str, step: str, end: str = "\n") -> str:
    inner = indent + step
    events = [f"{inner}{_event(name, group, inner, step, end)}" for name, group in entries.items()]
    return f'"hooks": {{{end}{f",{end}".join(events)}{end}{indent}}}'


def _event(name: str, group: Any, indent: str, step: str, end: str) -> str:
    return f'"{name}": [{end}{indent}{step}{_written(group)}{end}{indent}]'


def _written(group: Any) -> str:
    return json.dumps(group, ensure_ascii=False)


def _without(text: str) -> str | None:
    """Without any of ours; None where nothing else is in a file that we made."""
    while (found := _find(text)) is not None:
        text_left = _cut(text, *found)
        if text_left is None:
            return None
        text = text_left
    return text


def _find(text: str) -> tuple[list[tuple[Node, int]], int] | None:
    """The first of ours: the way to its group, from the outermost on, and its handler there."""
    root = root_of(text)
    for place, member in enumerate(root.items):
        for event, groups in enumerate(member.node.items if member.key == "hooks" else ()):
            for number, group in enumerate(groups.node.items):
                handlers = group.node.get("hooks")
                for index, handler in enumerate(handlers.items if handlers is not None else ()):
                    if handlers is not None and own(handler.node.data()):
                        way = [(root, place), (member.node, event), (groups.node, number), (handlers, index)]
                        return way, len(handlers.items)
    return None


def _cut(text: str, way: list[tuple[Node, int]], handlers: int) -> str | None:
    """Take out the innermost part that holds nothing but ours and was made for it."""
    if handlers > 1:
        return jsonc.remove(text, *way[3])
    for node, number in (way[2], way[1], way[0]):
        if not jsonc.made(text, node):
            return jsonc.remove(text, node, number)
    return None
