"""What is to be delivered, and how: data."""

from dataclasses import dataclass

from paneward.core.delivery.preflight import Terms
from paneward.core.profiles import Profile
from paneward.core.terminal.flow import Phase


@dataclass(frozen=True, slots=True)
class Order:
    """What to deliver, and how."""

    text: str
    terms: Terms
    as_command: bool = False  # type it as it is, whatever the program takes it for
    verify: bool = True
    ghost: bool = True  # dismiss ghost text that submit would accept
    base_delay: float = 0.12
    clear_delay: float = 0.2
    retries: int = 3
    resume: Phase | None = None  # an earlier attempt came this far and was cut off
    notes: tuple[str, ...] = ()

    @property
    def profile(self) -> Profile:
        return self.terms.profile
