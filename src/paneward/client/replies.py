"""An answer as it is given on the command line, and as a server takes it. Shape: data and functions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from paneward.core.errors import Code, InvalidInput
from paneward.core.result import Menu


class CliReply(NamedTuple):
    """An answer as it was given on the command line: options by the numbers that are shown."""

    text: str | None = None
    select: int | str | None = None
    other: str | None = None
    multi: Sequence[int | str] | None = None
    fingerprint: str | None = None
    startup: bool = False
    message_id: str | None = None
    timeout: float = 30.0


def body_of(reply: CliReply, menu: Menu | None) -> dict[str, Any]:
    """The answer as the server takes it: options by their place from 0 on, in the dialog that was read for it."""
    body: dict[str, Any] = {"mode": "text", "text": reply.text if reply.text is not None else reply.other}
    if reply.multi is not None:
        body |= {"mode": "multi_select", "answers": [[_index(one, menu) for one in reply.multi]]}
    elif reply.select is not None:
        index = _index(reply.select, menu)
        body |= {"mode": "select", "option_label" if isinstance(index, str) else "option_index": index}
    elif reply.other is not None:
        body["mode"] = "other"
    seen = menu.fingerprint if menu is not None and has_numbers(reply) else None
    return {**body, "fingerprint": reply.fingerprint or seen, "startup": reply.startup or None}


def _index(option: int | str, menu: Menu | None) -> int | str:
    """A number that is shown, as a place from 0 on, counted on behind the last that is shown; a label stays one."""
    if isinstance(option, str):
        return option
    numbers = [one.number for one in menu.options] if menu is not None else []
    if option in numbers:
        return numbers.index(option)
    last = numbers[-1] if numbers else 0
    if option > last:
        return len(numbers) - 1 + option - last
    shown = ", ".join(map(str, numbers))
    raise InvalidInput(f"no option has the number {option}", code=Code.UNKNOWN_OPTION, hint=f"Shown are {shown}.")


def has_numbers(reply: CliReply) -> bool:
    return any(isinstance(one, int) for one in (reply.select, *(reply.multi or ())))


def full_body(reply: CliReply, menu: Menu | None) -> dict[str, Any]:
    """The whole of a request."""
    return {**body_of(reply, menu), "message_id": reply.message_id, "timeout": reply.timeout}
