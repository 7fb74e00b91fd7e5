"""The lab for a person: `make lab` starts every installed agent in a window of one tmux session and keeps its model.

The models live in this process: the lab is open until it is stopped.
"""

import contextlib
import signal
import tempfile
from pathlib import Path

from tests.adapters.conftest import TmuxServer
from tests.lab.agents import LabAgent, NotSeen, installed, start
from tests.lab.recipes import pins

SERVER = "paneward-lab"
TALK = f"""
The lab is open. Look at it from another terminal:

  tmux -L {SERVER} attach            windows by C-b n, C-b p; leave by C-b d

Paneward reaches its panes with `--socket-name {SERVER}`. What the model does with the next turn is said in the text
itself, or by script:

  ((model {{"before": 3, "text": "slow"}}))
  curl -d '{{"hold": "before", "text": "when I say so"}}' localhost:PORT/_model/script
  curl -d '{{}}' localhost:PORT/_model/release
  curl localhost:PORT/_model/prompts

Stop the lab with C-c here.
"""


def show(agent: LabAgent) -> str:
    return f"  {agent.recipe.name:<9} {agent.version:<9} pane {agent.pane:<4} model on port {agent.model.port}"


def gather(agent: LabAgent, first: str | None) -> None:
    """Bring the agent's window into the one session."""
    agent.server.run("rename-window", "-t", agent.pane, f"{agent.recipe.name}-{agent.version}")
    if first is not None:
        session = agent.server.value(first, "session_id")
        agent.server.run("move-window", "-d", "-s", agent.pane, "-t", f"{session}:")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="paneward-lab-") as folder, contextlib.ExitStack() as stack:
        server = TmuxServer(SERVER, Path(folder))
        stack.callback(server.end)
        first: str | None = None
        for kind, version in pins():
            if installed(kind, version) is None:
                print(f"  {kind:<9} {version:<9} is not installed")
                continue
            agent = stack.enter_context(start(kind, version, Path(folder), wait=False, server=server))
            gather(agent, first)
            first = first or agent.pane
            with contextlib.suppress(NotSeen):
                agent.wait_started()
            print(show(agent), flush=True)
        print(TALK, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
