"""A server that is killed with -9 while its agents work loses and doubles nothing. `make prove` does it 200 times."""

import asyncio
import shutil
from typing import Any

import pytest

from prove.place import private_place
from prove.servers import killed_and_started
from tests.adapters.conftest import TMUX


@pytest.mark.skipif(shutil.which(TMUX) is None, reason="tmux is not installed")
@pytest.mark.parametrize("seed", [1001, 1002])
def test_a_server_that_is_killed_again_and_again_loses_and_doubles_nothing(seed: int) -> None:
    async def main() -> dict[str, Any]:
        async with private_place() as place:
            return await killed_and_started(place, seed, kills=3, agents=3)

    found = asyncio.run(main())
    assert found["wrong"] == []
    assert found["turns"] > 0
