"""What was done, by whom: data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action that changed something, or was refused."""

    identity: str  # who asked for it
    action: str  # what was asked for
    agent_id: str | None  # whom it was about, if an agent
    result: str  # `ok`, or the code of the refusal
    detail: str = ""  # redacted
    at: float = 0.0  # seconds since the epoch, given by the store
    id: int = 0  # given by the store
