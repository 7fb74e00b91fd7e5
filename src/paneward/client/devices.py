"""Browsers that are signed in, as the commands tell of them. Shape: data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """A browser that is signed in. Times are seconds since the epoch."""

    id: str
    name: str
    created_at: float
    seen_at: float
    until: float


@dataclass(frozen=True, slots=True)
class Devices:
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class SignedOut:
    device: str
