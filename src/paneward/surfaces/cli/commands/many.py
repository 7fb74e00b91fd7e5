"""One verb on several targets at once: functions. What goes wrong with one of them does not end the others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paneward.client.panes import Served, complete
from paneward.core.agent import group
from paneward.core.errors import Code, PanewardError, ServerError
from paneward.core.result import Readiness, ReadyVerdict, SendResult
from paneward.surfaces.cli.answers import OneOfMany, Outcomes

if TYPE_CHECKING:
    from paneward.surfaces.cli.work import Verbs

UNDECIDED = (ReadyVerdict.BUSY, ReadyVerdict.TIMEOUT)
Verb = Callable[[str], Awaitable[SendResult | Readiness]]


async def members(verbs: Verbs, groups: Sequence[str]) -> list[str]:
    """The names of the agents of these groups: only a server knows them."""
    if not isinstance(verbs, Served):
        hint = "`paneward up --detach` starts one; without it name the panes themselves."
        raise ServerError("--to needs a server, which none runs", code=Code.SERVER_NOT_RUNNING, hint=hint)
    return [agent.id for agent in group.members(await verbs.agents(), groups)]


async def send_to(
    verbs: Verbs, groups: Sequence[str], text: str, message_id: str | None, options: Mapping[str, Any]
) -> Outcomes:
    """A text to each agent of these groups; a message id becomes one for each of them."""
    names = await members(verbs, groups)
    own = {name: None if message_id is None else f"{message_id}.{name}" for name in names}
    return await on_all(verbs, names, lambda name: verbs.send_text(name, text, message_id=own[name], **options))


async def on_all(verbs: Verbs, targets: Sequence[str], verb: Verb) -> Outcomes:
    """The verb on all of them side by side."""
    if isinstance(verbs, Served):
        return Outcomes(tuple(_by_threads(verbs, targets, verb)))
    import asyncio

    return Outcomes(tuple(await asyncio.gather(*(_outcome(target, verb) for target in targets))))


async def on_any(verbs: Verbs, targets: Sequence[str], verb: Verb) -> Outcomes:
    """The first whose wait was decided; all of them where the time was up for each."""
    if isinstance(verbs, Served):
        return Outcomes(tuple(_by_threads(verbs, targets, verb, until=_decided)))
    import asyncio

    tasks = [asyncio.ensure_future(_outcome(target, verb)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            outcome = await finished
            if _decided(outcome):
                return Outcomes((outcome,))
        return Outcomes(tuple([await task for task in tasks]))
    finally:
        for task in tasks:
            task.cancel()


def _decided(outcome: OneOfMany) -> bool:
    """A name that nobody has is decided too: to wait for the others would hide it."""
    if outcome.failure is not None:
        return outcome.failure.code in (Code.PANE_NOT_FOUND, Code.AGENT_NOT_FOUND)
    return isinstance(outcome.answer, Readiness) and outcome.answer.verdict not in UNDECIDED


def _by_threads(
    verbs: Served, targets: Sequence[str], verb: Verb, until: Callable[[OneOfMany], bool] = lambda outcome: False
) -> list[OneOfMany]:
    """A request of each target in a thread of its own: all outcomes in their order, or the first that is looked for."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(max_workers=len(targets)) as pool:
        asked = [pool.submit(lambda one: complete(_outcome(one, verb)), target) for target in targets]
        try:
            for done in as_completed(asked):
                if until(done.result()):
                    return [done.result()]
            return [one.result() for one in asked]
        finally:
            verbs.remote.hang_up()  # nobody waits for the others any more


async def _outcome(target: str, verb: Verb) -> OneOfMany:
    try:
        return OneOfMany(target, await verb(target))
    except PanewardError as failure:
        return OneOfMany(target, failure=failure)
