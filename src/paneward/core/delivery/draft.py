"""The operator's draft, put aside while a text is delivered and given back afterwards: flows.

While it is out of the composer it is kept in a tmux buffer, so that it outlives us. It is given back only to an empty
composer: what was delivered may have opened a dialog by then, which would take the draft for its answer.
"""

from dataclasses import replace

from paneward.core.delivery.preflight import Clear, Refusal, draft_in
from paneward.core.errors import Code
from paneward.core.profiles import Profile
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.core.terminal.flow import Flow, Keep, Look, Paste, Press, Watch
from paneward.core.terminal.scene import Scene

BLINK = 0.03
VERIFY = 5.0  # seconds a program gets to react


def put_aside(start: Clear, profile: Profile) -> Flow[Clear | Refusal]:
    """Keep the draft, and take it out of the composer."""
    yield Keep(start.draft)
    scene = yield from taken_out(profile)
    if draft_in(scene, profile):
        return Refusal(Code.OPERATOR_DRAFT, "the draft could not be taken out of the composer")
    return replace(start, scene=scene)


def taken_out(profile: Profile) -> Flow[Scene]:
    """What is seen after the keys that empty the composer, once it is empty or the time is up."""
    yield Press(profile.cut)
    scene = yield Watch(BLINK)
    began = scene.now
    while draft_in(scene, profile) and scene.now - began < VERIFY:
        scene = yield Watch(BLINK)
    return scene


def give_back(draft: str, profile: Profile) -> Flow[tuple[str, ...]]:
    """Put the draft back into the empty composer; a note says where it is if there is none."""
    scene = yield Look()
    began = scene.now
    while not _may_have_it(scene, profile):
        if scene.now - began >= VERIFY or scene.gone or scene.snapshot.dead:
            name = f"paneward-draft-{scene.snapshot.pane.lstrip('%')}"
            return (f"the draft could not be put back; it is in the tmux buffer {name}",)
        scene = yield Watch(BLINK)
    yield Paste(draft)
    yield Keep(None)
    return ()


def _may_have_it(scene: Scene, profile: Profile) -> bool:
    if scene.gone or scene.snapshot.dead or read_appearance(scene.snapshot, profile).state is ScreenState.DIALOG:
        return False
    composer = read_composer(Screen.of(scene.snapshot), profile)
    return composer is not None and not composer.text
