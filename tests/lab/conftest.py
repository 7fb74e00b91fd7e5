"""Real agents for tests: one home, one model and one tmux server each."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.agents import LabAgent, installed, start

StartAgent = Callable[..., LabAgent]


@pytest.fixture
def start_agent(tmp_path: Path) -> Iterator[StartAgent]:
    """`start_agent("claude", "2.1.325", width=60)`: a running agent, which ends with the test."""
    with contextlib.ExitStack() as stack:

        def started(agent: str, version: str, **more: Any) -> LabAgent:
            if installed(agent, version) is None:
                pytest.skip(f"{agent} {version} is not installed: scripts/lab-install says why")
            return stack.enter_context(start(agent, version, tmp_path, **more))

        yield started
