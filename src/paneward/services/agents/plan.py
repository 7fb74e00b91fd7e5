"""How words for an agent are meant to be typed: written down before the first key, read again after a crash."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from paneward.core.delivery.preflight import Draft, WhenBusy
from paneward.core.dialog.choice import Choice
from paneward.core.result import Menu
from paneward.store import Delivery

PLANNED: Final = ("profile", "verify_enter", "detect_ghost_text", "when_busy", "draft", "timeout", "as_command")


@dataclass(frozen=True, slots=True)
class Plan:
    """How words are meant to be typed: what a delivery needs besides its text, which may turn out to be a secret."""

    how: Mapping[str, Any]
    choice: Choice | None = None
    picked: str = ""  # the options of an answer, for people

    def written(self) -> dict[str, Any]:
        choice = None if self.choice is None else {one.name: getattr(self.choice, one.name) for one in fields(Choice)}
        for name in ("text", "other"):
            if choice is not None and choice[name] is not None:
                choice[name] = ""
        return {"how": dict(self.how), "choice": choice, "picked": self.picked}

    def choice_with(self, text: str) -> Choice | None:
        """The choice, with its words again."""
        if self.choice is None:
            return None
        words: Any = {name: text for name in ("text", "other") if getattr(self.choice, name) is not None}
        return replace(self.choice, **words)

    def spoken(self, delivery: Delivery) -> str:
        """What was said, in words; those of a secret are not known."""
        return ": ".join(part for part in (self.picked, delivery.text or "") if part)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Plan":
        how, chosen = data["how"], data["choice"]
        how = {**how, "when_busy": WhenBusy(how["when_busy"]), "draft": Draft(how["draft"])}
        if chosen is not None:
            chosen = Choice(**{**chosen, "multi": None if chosen["multi"] is None else tuple(chosen["multi"])})
        return cls(how, chosen, data["picked"])


def picked(choice: Choice, menu: Menu | None) -> str:
    """The options of an answer in words."""
    labels = {} if menu is None else {option.number: option.label for option in menu.options}
    wanted = choice.multi if choice.multi is not None else () if choice.select is None else (choice.select,)
    return ", ".join(labels.get(one, f"option {one}") if isinstance(one, int) else one for one in wanted)
