"""Answers to what an agent asks: by the keys of a dialog, or in words where it has only said that it waits for some."""

import uuid
from dataclasses import replace
from typing import Final

from paneward.core.agent.record import Agent, Answer, AnswerMode, Intent, Sent, Stage, check_answer, choice_of, cut_off
from paneward.core.agent.utterance import SIGNALLED
from paneward.core.audit import AuditEntry
from paneward.core.errors import Code, HostUnreachable, InvalidInput, PaneNotFound
from paneward.services.agents.keeper import Keeper
from paneward.services.agents.plan import picked
from paneward.services.delivery.desk import Request

NEXT_DIALOG: Final = 15.0  # seconds for the next of several questions to be asked


async def respond(
    keeper: Keeper, pane: str, answer: Answer, message_id: str | None, timeout: float, entry: AuditEntry | None
) -> Sent:
    """Answer what an agent asks; several questions one after the other."""
    if message_id is not None and (known := await keeper.known(message_id, answer.words)):
        return known
    await keeper.settled()
    _check_asks(keeper.agent)
    check_answer(answer)
    several = len(answer.answers or ())
    request = Request(
        pane=pane,
        text=answer.words,
        profile=keeper.agent.profile,
        message_id=message_id or made_up_id(keeper.agent.id),
        made_up=message_id is None,
        timeout=timeout,
        agent_id=keeper.agent.id,
        intent=Intent.ANSWER,
        entry=None if several > 1 else entry,  # of several deliveries, whoever asked for it writes the one entry
    )
    sent = await _respond(keeper, request, answer)
    for question in range(1, several):
        answered = None if sent.turn is None else sent.turn.answers
        if not sent.result.success or not await keeper.asks_next(answered, NEXT_DIALOG):
            break
        next_one = replace(request, message_id=f"{request.message_id}/{question + 1}", made_up=False)
        sent = await _respond(keeper, next_one, answer, question)
    return sent


async def _respond(keeper: Keeper, request: Request, answer: Answer, question: int = 0) -> Sent:
    menu = await keeper.menu(request.pane) or (keeper.agent.question if question == 0 else None)
    if menu is not None and menu.kind == SIGNALLED:
        _check_words(keeper.agent, answer)
        return await keeper.deliver(request)
    choice = choice_of(answer, menu if menu and menu.fingerprint else None, question)
    return await keeper.deliver(request, choice, picked(choice, menu))


def _check_words(agent: Agent, answer: Answer) -> None:
    if answer.mode not in (AnswerMode.TEXT, AnswerMode.OTHER):
        raise InvalidInput(
            f"{agent.id} asks in words, without options",
            code=Code.INVALID_ANSWER,
            hint="Answer with a text.",
        )


def _check_asks(agent: Agent) -> None:
    if agent.stage is Stage.AWAITING_INPUT:
        return
    if cut_off(agent):
        raise HostUnreachable(f"{agent.id}: {agent.gone}", hint="`paneward hosts` tells when its host is tried again.")
    if agent.gone:
        raise PaneNotFound(f"{agent.id}: {agent.gone}", hint="Start it again, forget it, and adopt its new pane.")
    raise InvalidInput(
        f"{agent.id} asks nothing: it is {agent.stage}",
        code=Code.WRONG_STATE,
        hint="`paneward ps` shows who asks; send gives a command.",
    )


def made_up_id(agent_id: str) -> str:
    """A message id for a caller who gave none, so that a crash in the middle can be recovered from."""
    return f"{agent_id}:{uuid.uuid4().hex}"
