"""A YAML file: its values, and the line of each, so that what is wrong can be pointed at. Shape: data and functions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paneward.config.values import wrong

if TYPE_CHECKING:
    import yaml


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file: its values, and the line of each."""

    path: Path
    value: Any
    lines: Mapping[tuple[str, ...], int]

    def at(self, *keys: str) -> str:
        line = self.lines.get(keys)
        return f"{self.path}, line {line}" if line else str(self.path)

    def mapping(self) -> dict[str, Any]:
        return self._mapping(self.value, (), "a mapping of names")

    def rows(self, name: str, value: Any) -> dict[str, Any]:
        return self._mapping(value, (name,), "a mapping of keys")

    def _mapping(self, value: Any, keys: tuple[str, ...], wanted: str) -> dict[str, Any]:
        where = f"{self.at(*keys)}: " + (f"{keys[0]}: " if keys else "")
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise wrong(f"{where}{value!r:.80}", f"Allowed: {wanted}.")
        for key in value:
            if not isinstance(key, str):
                raise wrong(f"{where}the key {key!r} is no text", "Put it in quotes.")
        return value


def read(path: Path, asked_by: str) -> Document:
    try:
        data = path.read_bytes()
    except OSError as error:
        by = f", which {asked_by} names" if asked_by else ""
        raise wrong(f"cannot read {path}{by}: {error.strerror}", "Name a file that exists and is readable.") from None
    return parsed(path, data)


def parsed(path: Path, data: bytes) -> Document:
    """What a file says; `path` is what it is called in errors."""
    import yaml

    try:
        text = data.decode()
        node = yaml.compose(text, yaml.SafeLoader)
        value = None if node is None else yaml.safe_load(text)
    except UnicodeDecodeError as error:
        raise wrong(f"{path}: byte {error.start} is not UTF-8", "Save the file as UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise wrong(f"{place}: not YAML: {error.problem or error.context}", "Mend the file at that line.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise wrong(f"{path}: not YAML: {error!s:.200}", "Mend the file.") from None
    return Document(path, value, dict(_lines(path, node)))


def _lines(path: Path, node: "yaml.Node | None", above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The line of each key of the two upper levels; a key that stands there twice is refused."""
    import yaml

    if not isinstance(node, yaml.MappingNode) or len(above) > 1:
        return
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if key.value in seen:
            raise wrong(f"{path}, line {line}: {key.value!r} stands there twice", "Keep one of the two.")
        seen.add(str(key.value))
        yield (*above, str(key.value)), line
        yield from _lines(path, value, (*above, str(key.value)))
