"""What to answer, and whether the dialog that is open takes it: data and functions."""

from dataclasses import dataclass

from paneward.core.errors import Code
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict


@dataclass(frozen=True, slots=True)
class Choice:
    """What to answer: one of the five; words can go with an option, or with several."""

    select: int | str | None = None
    multi: tuple[int | str, ...] | None = None
    other: str | None = None
    text: str | None = None
    fingerprint: str | None = None
    startup: bool = False  # dialogs at an agent's start may be answered
    key: str | None = None  # one key, without Enter
    key_gap: float = 0.15  # seconds waited between two keys where the screen does not tell

    @property
    def words(self) -> str | None:
        return self.other if self.other is not None else self.text


def one_way(text: object, select: object, other: object, multi: object, key: object) -> bool:
    """Exactly one of them is given; `other` may go with an option."""
    ways = sum(given is not None for given in (text, select, multi, key))
    return ways == 1 and (other is None or (text is None and key is None)) if ways else other is not None


class ChoiceRefused(Exception):
    """Ends the flow with a result; never leaves the flow."""

    def __init__(self, result: SendResult) -> None:
        super().__init__(result.evidence)
        self.result = result


def refuse(code: Code, evidence: str, hint: str = "", rung: Rung = Rung.NOTHING) -> ChoiceRefused:
    return ChoiceRefused(SendResult(Verdict.FAILED, rung, evidence, code, evidence, hint))


def check(menu: Menu, choice: Choice) -> None:
    if choice.fingerprint is not None and choice.fingerprint != menu.fingerprint:
        raise refuse(
            Code.STALE_DIALOG,
            f"another dialog is open now: {menu.question}",
            "Read it with `paneward menu` and answer that one.",
        )
    if menu.startup and not choice.startup:
        raise refuse(
            Code.BLOCKED_BY_DIALOG,
            f"this is a dialog of the agent's start ({menu.kind}): {menu.question}",
            "Such a dialog is answered only when that is asked for: `--startup`.",
        )
    if choice.multi is not None and not menu.multi:
        raise refuse(Code.UNKNOWN_OPTION, "the dialog takes one answer only", "Answer with one --select.")
    if choice.words is None and choice.select is None and choice.multi is None and choice.key is None:
        raise refuse(Code.UNKNOWN_OPTION, "no answer was given", "Give --select, --multi, --other, --text or --key.")


def find_option(menu: Menu, wanted: int | str) -> Option:
    """The option with this number, or with this label: exactly, in whatever case, or beginning like it."""
    if isinstance(wanted, int):
        found = [option for option in menu.options if option.number == wanted]
    else:
        found = _labelled(menu.options, wanted)
    if len(found) == 1:
        return found[0]
    shown = "; ".join(f"{option.number}. {option.label}" for option in found or menu.options)
    problem = "is not one of the options" if not found else "fits more than one option"
    raise refuse(Code.UNKNOWN_OPTION, f"{wanted!r} {problem}", f"There are: {shown}.")


def _labelled(options: tuple[Option, ...], wanted: str) -> list[Option]:
    label = wanted.strip()
    folded = label.casefold()
    return (
        [option for option in options if option.label == label]
        or [option for option in options if option.label.casefold() == folded]
        or [option for option in options if label and option.label.casefold().startswith(folded)]
    )


def place(menu: Menu) -> float:
    """The number of the highlighted option; that of the row below them all is the greatest."""
    return float("inf") if menu.selected is None else menu.options[menu.selected].number


def ticked(menu: Menu, number: int) -> bool | None:
    """Whether an option is ticked; None where it cannot be."""
    return next((option.checked for option in menu.options if option.number == number), None)
