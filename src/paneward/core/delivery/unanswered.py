"""tmux was handed something and did not answer: a flow that looks again.

What surprised us: a tmux server that was stopped and goes on does what it had been sent meanwhile, in its own time. So
the first look that is answered may still show the pane as it was before.
"""

from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.terminal.flow import Flow, Look, Rest
from paneward.core.terminal.scene import Scene

TRIES = 6  # looks that may go unanswered, each for as long as a command of tmux may take
AFTERMATH = 1.0  # seconds in which what was handed to tmux is done and drawn


def answered() -> Flow[Scene | None]:
    """The pane once tmux answers again and has done what it was handed; None: it does not."""
    for _ in range(TRIES):
        try:
            yield Look()
            return (yield Rest(AFTERMATH))
        except TmuxTimeout:
            continue
        except TmuxError:
            return None
    return None
