"""The demo agent's mind: keys and time in, log lines, printed blocks and a frame out. Shape: machine.

It is idle, busy, or has a menu open. What is entered while it is busy waits in a queue; Escape stops the work.
"""

from collections.abc import Callable
from enum import StrEnum

from paneward.demo import script
from paneward.demo.dialog import CANCELLED, MenuKind, OpenMenu
from paneward.demo.editor import Editor
from paneward.demo.keys import Key
from paneward.demo.screen import ACCENT, BOLD, DIM, GOOD, RESET, SAID, DemoFrame, box, cells, cut, prose, stacked, wrap

FRAME = 0.12
LEAVE_WITHIN = 2.0
MOST_ROWS_SAID = 12
STARS = "✢✳✶✻✽✻✶✳"
DOTS = "⠂⠐"
Block = Callable[[int], list[str]]  # printed text, laid out for so many columns


class DemoState(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    QUESTION = "question"
    PERMISSION = "permission"


class DemoSession:
    def __init__(self, name: str, busy: float, speed: float, log: Callable[..., None]) -> None:
        self.name = name
        self.status: int | None = None  # set when the program ends
        self._busy, self._speed, self._log = busy, speed, log
        self._state = DemoState.IDLE
        self._editor = Editor()
        self._dialog: OpenMenu | None = None
        self._began, self._until = 0.0, 0.0
        self._then: script.Say | script.Ask | script.Leave | None = None
        self._queue: list[str] = []
        self._turns = 0
        self._leaving_until = float("-inf")
        self._printed: list[Block] = [self._greeting]

    # -- in -------------------------------------------------------------------------------------------------------

    def take(self, key: Key, now: float) -> None:
        if key.name != "C-c":
            self._leaving_until = float("-inf")
        if self._dialog is not None:
            self._answer(self._dialog, key, now)
        elif key.name == "C-c":
            self._control_c(now)
        elif key.name == "Enter":
            self._enter(now)
        elif key.name == "Escape" and self._state is DemoState.BUSY:
            self._interrupt("Escape", now)
        elif not self._editor.take(key):
            self._log("key", key=key.name)

    def tick(self, now: float) -> None:
        """Let time pass: work ends, what waits begins."""
        if self._state is DemoState.BUSY and now >= self._until and self._then is not None:
            then, self._then = self._then, None
            self._act(then)
        if self._state is DemoState.IDLE and self._queue and self.status is None:
            self._begin(self._queue.pop(0), now)

    def deadline(self, now: float) -> float | None:
        """When to call `tick` and draw again; nothing while the agent waits for its operator."""
        due = [min(self._until, now + FRAME)] if self._state is DemoState.BUSY else []
        due += [self._leaving_until] if self._leaving_until > now else []
        return min(due, default=None)

    def _enter(self, now: float) -> None:
        text = self._editor.whole()
        if not text:
            self._log("empty_enter")
            return
        self._editor.clear()
        if self._state is DemoState.BUSY:
            self._log("queued", text=text)
            self._queue.append(text)
        else:
            self._begin(text, now)

    def _control_c(self, now: float) -> None:
        self._log("key", key="C-c")
        if self._editor.text:
            self._editor.clear()
        elif self._state is DemoState.BUSY:
            self._interrupt("C-c", now)
        elif now < self._leaving_until:
            self._leave(0)
        else:
            self._leaving_until = now + LEAVE_WITHIN

    def _interrupt(self, key: str, now: float) -> None:
        self._log("interrupted", key=key)
        self._then = None
        self._print(ACCENT + "●" + RESET + " ", "Interrupted.")
        self._enter_state(DemoState.IDLE)
        self.tick(now)

    def _begin(self, text: str, now: float) -> None:
        self._log("submit", text=text)
        self._printed.append(lambda columns: said(text, columns))
        self._turns += 1
        self._work(script.plan(text, self._busy), now)

    def _work(self, plan: script.ScriptedWork, now: float) -> None:
        self._began, self._until, self._then = now, now + plan.seconds / self._speed, plan.then
        self._enter_state(DemoState.BUSY)
        self.tick(now)

    def _act(self, then: script.Say | script.Ask | script.Leave) -> None:
        match then:
            case script.Say(text, signal, message):
                self._reply(text, signal, message)
                self._enter_state(DemoState.IDLE)
            case script.Ask(menu):
                self._dialog = OpenMenu(menu)
                self._mark("needs_input", menu.question if menu.kind is not MenuKind.PERMISSION else menu.detail)
                self._enter_state(DemoState.PERMISSION if menu.kind is MenuKind.PERMISSION else DemoState.QUESTION)
            case script.Leave(status, text, signal):
                self._reply(text, signal, "left")
                self._leave(status)

    def _answer(self, dialog: OpenMenu, key: Key, now: float) -> None:
        answer = dialog.take(key)
        if answer is None:
            self._log("key", key=key.name, **({"text": key.text} if key.name in ("text", "paste") else {}))
            return
        self._dialog = None
        self._log("answer", kind=dialog.menu.kind, numbers=answer.numbers, labels=answer.labels, text=answer.text)
        if answer is not CANCELLED:
            self._print(DIM + "  ⎿ " + RESET, answer.text or ", ".join(answer.labels), gap=True)
        self._work(script.after(dialog.menu, answer, self._busy), now)

    def _leave(self, status: int) -> None:
        self.status = status
        self._enter_state(DemoState.IDLE)

    def _enter_state(self, state: DemoState) -> None:
        if state is not self._state:
            self._state = state
            self._log("state", state=state)

    # -- out ------------------------------------------------------------------------------------------------------

    def printed(self) -> list[Block]:
        """What is to be printed above the frame, once."""
        blocks, self._printed = self._printed, []
        return blocks

    def title(self, now: float) -> str:
        mark = DOTS[int((now - self._began) / 1.0) % 2] if self._state is DemoState.BUSY else "✳"
        return f"{mark} {self.name}"

    def frame(self, now: float, columns: int, height: int) -> DemoFrame:
        if self._dialog is not None:
            return self._dialog.frame(columns, height)
        busy = self._state is DemoState.BUSY
        ghost = "" if busy else script.SUGGESTIONS[self._turns % len(script.SUGGESTIONS)]
        above = [*(self._working(now, columns) if busy else []), *self._waiting(columns)]
        frame = box(self._editor.shown(), ghost, busy, self._footer(now), columns, height - len(above))
        return stacked(above, frame, height)

    def _working(self, now: float, columns: int) -> list[str]:
        star = STARS[int((now - self._began) / FRAME) % len(STARS)]
        seconds = int(now - self._began)
        words = f"{star} Working… ({seconds}s · esc to interrupt)"
        rows = [words] if cells(words) < columns else [f"{star} Working… ({seconds}s)", "  esc to interrupt"]
        return [ACCENT + cut(row, columns - 1) + RESET for row in rows]

    def _waiting(self, columns: int) -> list[str]:
        rows = [DIM + cut(f"  queued: {' '.join(text.split())}", columns - 1) + RESET for text in self._queue]
        return rows[-3:]

    def _footer(self, now: float) -> str:
        if now < self._leaving_until:
            return "press ctrl-c again to leave"
        if self._state is DemoState.BUSY:
            return "enter queues" if self._editor.text else "working"
        return "enter sends" if self._editor.text else "help tells what I understand"

    def _greeting(self, columns: int) -> list[str]:
        head = f" {ACCENT}✻{RESET} {BOLD}{cut(self.name, columns - 5)}{RESET}"
        return [head, *(DIM + row + RESET for row in prose("   ", "A small agent to try Paneward on.", columns)), ""]

    def _reply(self, text: str, signal: str, message: str) -> None:
        self._print(GOOD + "●" + RESET + " ", text, gap=not message)
        if message:
            self._mark(signal, message)

    def _mark(self, signal: str, message: str) -> None:
        text = script.marker(signal, script.headline(message))
        self._log("signal", state=signal, message=script.headline(message))
        self._printed.append(lambda columns: [*(DIM + row + RESET for row in prose("  ", text, columns)), ""])

    def _print(self, bullet: str, text: str, gap: bool = False) -> None:
        self._printed.append(lambda columns: [*prose(bullet, text, columns), *([""] if gap else [])])


def said(text: str, columns: int) -> list[str]:
    """The operator's words in the transcript; of a long text the beginning."""
    rows = wrap("❯ ", text, 0, columns).rows
    more = len(rows) - MOST_ROWS_SAID
    kept = [SAID + row + RESET for row in rows[:MOST_ROWS_SAID]]
    return [*kept, *([DIM + f"  … +{more} rows" + RESET] if more > 0 else []), ""]
