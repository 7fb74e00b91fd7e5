"""Stopping the work that goes on in a pane, before a text is typed: a flow.

The keys of the profile are pressed one by one, each when the one before had its effect. A program that wants a key
twice says so: what it shows of its work changes. One that was too busy to come to a key, or took two of them for one,
shows its work as before; Escape is then pressed again, which does no harm to one that has stopped meanwhile. Other
keys are not: a second C-c ends programs.
"""

from dataclasses import replace
from typing import Final

from paneward.core.delivery.preflight import Clear, Refusal, Terms, WhenBusy, at_rest, clear_to_type
from paneward.core.readiness.rules import assess
from paneward.core.terminal.flow import Flow, Press, Rest, Watch
from paneward.core.terminal.scene import Scene

ESCAPE_REST: Final = 0.15  # seconds; Escape and the key after it closer together are one key with Meta
DEAF: Final = 3.0  # seconds after which a program that shows its work as before has not taken the key
ROUNDS: Final = 3  # how often all keys are pressed, at most
BLINK: Final = 0.03


def interrupt(scene: Scene, terms: Terms) -> Flow[Clear | Refusal]:
    """Stop the work, and wait until the text may be typed."""
    keys, began = terms.profile.interrupt, scene.now
    for number, key in enumerate(keys * ROUNDS, start=1):
        if number > len(keys) and key != "Escape":
            break
        before = scene
        yield Press((key,))
        scene = yield from at_rest((yield Rest(ESCAPE_REST)))
        scene = yield from _effect(scene, before, terms, last=number % len(keys) == 0)
        if not _works(scene, terms) or scene.now - began >= terms.timeout:
            break
    left = max(terms.timeout - (scene.now - began), 0.0)
    return (yield from clear_to_type(replace(terms, when_busy=WhenBusy.WAIT, timeout=left)))


def _effect(scene: Scene, before: Scene, terms: Terms, last: bool) -> Flow[Scene]:
    """What is seen once the work stopped, or once it is shown in another way and there are more keys to press."""
    pressed, shown = scene.now, _shown(before, terms)
    while _works(scene, terms) and scene.now - pressed < DEAF:
        if not last and _shown(scene, terms) != shown:
            break
        scene = yield Watch(BLINK)
    return scene


def _works(scene: Scene, terms: Terms) -> bool:
    return not scene.gone and not scene.snapshot.dead and assess(scene, terms.profile, terms.prompt).working


def _shown(scene: Scene, terms: Terms) -> str:
    return assess(scene, terms.profile, terms.prompt).evidence
