"""The settings files of agents: our hooks put in, taken out, shown. A file is replaced as a whole or not at all."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from paneward.core.errors import Code, PanewardError
from paneward.core.hook_install import HOOKING, NOTES, EditRefused, Hooked, edit, present

BACK = "Mend the file, or move it away, and run the command again; nothing in it was changed."


def settings_file(agent: str, env: Mapping[str, str] = os.environ) -> Path:
    """The file of the user's own settings."""
    hooking = HOOKING[agent]
    named = env.get(hooking.variable) if hooking.variable else None
    folder = Path(named) / hooking.below if named else Path(env.get("HOME") or Path.home()) / hooking.folder
    return folder / hooking.file


def is_there(agent: str, env: Mapping[str, str] = os.environ) -> bool:
    """The agent has been used by this user: it has a folder."""
    return settings_file(agent, env).parents[len(Path(HOOKING[agent].file).parts) - 1].is_dir()


def look(agent: str, spool: Path, env: Mapping[str, str] = os.environ) -> Hooked:
    path = settings_file(agent, env)
    text = _read(path)
    try:
        found = present(agent, text)
        state = "absent" if not found else "installed" if edit(agent, text, str(spool)) == text else "outdated"
    except EditRefused as why:
        return Hooked(agent, str(path), "broken", note=str(why))
    return Hooked(agent, str(path), state, found)


def change(agent: str, spool: Path, install: bool, dry: bool = False, env: Mapping[str, str] = os.environ) -> Hooked:
    """Put our hooks in, or take them out. What cannot be read is refused, and left as it is."""
    path = settings_file(agent, env)
    seen = _stamp(path)
    text = _read(path)
    try:
        fresh = edit(agent, text, str(spool) if install else None)
    except EditRefused as why:
        raise PanewardError(f"{path}: {why}", code=Code.HOOKS_REFUSED, hint=BACK) from None
    changed = fresh != text
    if changed and not dry:
        if install:
            spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, fresh, seen)
    found = () if fresh is None else present(agent, fresh)
    note = NOTES.get(agent, "") if install and changed else ""
    return Hooked(
        agent, str(path), "installed" if install else "absent", found, changed, _diff(path, text, fresh), note
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise PanewardError(f"{path}: byte {error.start} is not UTF-8", code=Code.HOOKS_REFUSED, hint=BACK) from None
    except OSError as error:
        raise PanewardError(f"cannot read {path}: {error.strerror}", code=Code.HOOKS_REFUSED, hint=BACK) from None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_size


def _write(path: Path, text: str | None, seen: tuple[int, int, int] | None) -> None:
    """Where a link leads, with the rights that the file had; not over what somebody wrote meanwhile."""
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f".{target.name}.paneward-{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if text is not None:
            _write_new(fresh, text, target.stat().st_mode & 0o7777 if seen else 0o600)
        if _stamp(path) != seen:
            raise PanewardError(f"{path} was changed meanwhile", code=Code.HOOKS_REFUSED, hint="Try again.")
        if text is None:
            target.unlink()
        else:
            fresh.replace(target)
    except OSError as error:
        raise PanewardError(f"cannot write {path}: {error.strerror}", code=Code.HOOKS_REFUSED, hint=BACK) from None
    finally:
        fresh.unlink(missing_ok=True)


def _write_new(path: Path, text: str, mode: int) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)  # whatever the umask is
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def _diff(path: Path, before: str | None, after: str | None) -> str:
    old, new = ((text or "").splitlines(keepends=True) for text in (before, after))
    rows = difflib.unified_diff(old, new, fromfile=str(path), tofile=str(path), n=1)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)
