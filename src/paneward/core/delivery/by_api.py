"""Giving a text to a program by its own API instead of its terminal: a flow.

The conditions are those of typing: not at a dialog, not behind its work unless that is wanted, not while the operator
writes. What the API does not take is typed; what it may have taken is never sent a second time.
"""

from dataclasses import replace

from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.preflight import Refusal, clear_to_type
from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Flow, Phase, Post, SavePhase


def post(order: Order) -> Flow[SendResult]:
    """Deliver a text by the program's own API."""
    try:
        start = yield from clear_to_type(order.terms)
        if isinstance(start, Refusal):
            said = start.evidence
            return SendResult(Verdict.FAILED, Rung.NOTHING, said, start.code, said, start.hint, notes=order.notes)
        if start.interrupt:
            return (yield from deliver(order))
        yield SavePhase(Phase.INTENDED)
        yield SavePhase(Phase.TYPED)  # after a crash nobody knows whether it was taken: it is not sent again
        yield Post(order.text)
    except TmuxTimeout as error:
        return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, error.message, notes=order.notes)
    except TmuxError as error:
        return (yield from deliver(replace(order, notes=(*order.notes, f"{error.message}; it was typed instead"))))
    name = order.profile.about or order.profile.name
    return SendResult(Verdict.CONFIRMED, Rung.ACCEPTED, f"{name} has it by its own HTTP API", notes=order.notes)
