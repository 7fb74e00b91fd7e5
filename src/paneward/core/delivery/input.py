"""How a text gets into a terminal: as keys or as a paste, and what a terminal in line mode cannot take. Functions."""

from paneward.core.delivery.preflight import Refusal
from paneward.core.errors import Code
from paneward.core.profiles import Profile, Typing
from paneward.core.terminal.scene import Scene
from paneward.core.text import CANONICAL_LIMIT

KEYS_AT_MOST = 400  # one line up to here is typed as keys where a profile leaves the choice


def pastes(text: str, profile: Profile) -> bool:
    """Whether a text is pasted, or typed key by key."""
    if profile.typing is not Typing.AUTO:
        return profile.typing is Typing.PASTE
    return "\n" in text or "\t" in text or len(text) > KEYS_AT_MOST


def too_long(text: str, scene: Scene) -> Refusal | None:
    if scene.process is None or not scene.process.canonical:
        return None
    longest = max(len(line.encode()) for line in text.split("\n"))
    if longest <= CANONICAL_LIMIT:
        return None
    return Refusal(
        Code.TEXT_TOO_LONG,
        f"a line of {longest} bytes; this terminal takes {CANONICAL_LIMIT} a line and cuts the rest",
        "Send it in shorter lines.",
    )
