"""One verb on several targets at once: functions. What goes wrong with one of them does not end the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paneward.core.errors import Code, PanewardError, ServerError
from paneward.core.result import Readiness, ReadyVerdict, SendResult
from paneward.surfaces.cli.answers import Outcome, Outcomes
from paneward.surfaces.cli.served import Served, chosen

if TYPE_CHECKING:
    from paneward.surfaces.cli.work import Verbs

UNDECIDED = (ReadyVerdict.BUSY, ReadyVerdict.TIMEOUT)
Verb = Callable[[str], Awaitable[SendResult | Readiness]]


async def members(verbs: Verbs, groups: Sequence[str]) -> list[str]:
    """The names of the agents of these groups: only a server knows them."""
    if not isinstance(verbs, Served):
        hint = "`paneward up --detach` starts one; without it name the panes themselves."
        raise ServerError("--to needs a server, which none runs", code=Code.SERVER_NOT_RUNNING, hint=hint)
    return [agent.id for agent in chosen(await verbs.agents(), groups)]


async def send_to(
    verbs: Verbs, groups: Sequence[str], text: str, message_id: str | None, options: Mapping[str, Any]
) -> Outcomes:
    """A text to each agent of these groups; a message id becomes one for each of them."""
    names = await members(verbs, groups)
    own = {name: None if message_id is None else f"{message_id}.{name}" for name in names}
    return await on_all(names, lambda name: verbs.send_text(name, text, message_id=own[name], **options))


async def on_all(targets: Sequence[str], verb: Verb) -> Outcomes:
    """The verb on all of them side by side."""
    return Outcomes(tuple(await asyncio.gather(*(_outcome(target, verb) for target in targets))))


async def on_any(targets: Sequence[str], verb: Verb) -> Outcomes:
    """The first whose wait was decided; all of them where the time was up for each."""
    tasks = [asyncio.ensure_future(_outcome(target, verb)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            outcome = await finished
            if isinstance(outcome.answer, Readiness) and outcome.answer.verdict not in UNDECIDED:
                return Outcomes((outcome,))
        return Outcomes(tuple([await task for task in tasks]))
    finally:
        for task in tasks:
            task.cancel()


async def _outcome(target: str, verb: Verb) -> Outcome:
    try:
        return Outcome(target, await verb(target))
    except PanewardError as failure:
        return Outcome(target, failure=failure)
