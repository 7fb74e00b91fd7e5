"""How far a delivery has come, and the receipt that says so: a machine that a delivery is built on."""

from paneward.core.delivery.guards import MEANS, Defused, defuse
from paneward.core.delivery.order import Order
from paneward.core.errors import Code, PaneDead, PaneNotFound
from paneward.core.profiles.row import Guard
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.scene import Scene


class Progress:
    """The rung that was reached, and the results that can be told from it."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._rung = Rung.NOTHING
        self._enters = 0
        self._defused = Defused(order.text) if order.as_command else defuse(order.text, order.profile.guards)
        self._notes: tuple[str, ...] = ()

    def _result(self, verdict: Verdict, evidence: str, code: Code | None = None, hint: str = "") -> SendResult:
        detail = "" if code is None else evidence
        notes = (*self._order.notes, *(() if self._rung is Rung.NOTHING else self._defused.notes), *self._notes)
        return SendResult(verdict, self._rung, evidence, code, detail, hint, enters=self._enters, notes=notes)

    def _failed(self, code: Code, evidence: str, hint: str = "") -> SendResult:
        if self._rung is not Rung.NOTHING:
            evidence += "; the text was typed" + (", submit was pressed" if self._enters else " but not submitted")
        return self._result(Verdict.FAILED, evidence, code, hint)

    def _unconfirmed(self, evidence: str) -> SendResult:
        return self._result(Verdict.UNCONFIRMED, evidence)

    def _confirmed(self, evidence: str) -> SendResult:
        self._rung = Rung.SUBMITTED
        return self._result(Verdict.CONFIRMED, evidence)

    def _no_text(self, guard: Guard) -> SendResult:
        return self._failed(
            Code.NOT_TAKEN_AS_TEXT,
            f"{self._order.profile.about or self._order.profile.name} has no way to be given this as a text: "
            f"it would {MEANS.get(guard.means, guard.means)}; nothing was typed",
            "Put a word in front of it; or, if that is what you want, send it with as_command.",
        )

    def _mixed(self) -> SendResult:
        return self._failed(
            Code.OPERATOR_DRAFT,
            "somebody typed at the same time: both texts stand in the composer",
            "Sort it out in the pane; nothing was submitted.",
        )

    def _lost(self, scene: Scene) -> SendResult:
        error = PaneNotFound("the pane closed") if scene.gone else PaneDead("the program ended")
        return self._failed(error.code, f"{error.message} while we were typing", error.hint)

    def _still_held(self) -> SendResult:
        return self._failed(
            Code.SEND_FAILED,
            f"the composer still holds the text after {self._enters} submits",
            "The screen is kept with the receipt; nothing was typed twice.",
        )
