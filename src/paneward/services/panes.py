"""The verbs on the panes of one tmux server, as those who keep agents need them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from paneward.core.agent.addressee import Addressee
from paneward.core.errors import TmuxError
from paneward.core.readiness.rules import Assessment
from paneward.core.result import Menu, Readiness
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.services.agents.follower import Follower
from paneward.services.delivery.desk import Deliveries
from paneward.services.profile_report import Explanation, ReportedPane, Screenful

ByRecord = Callable[[Assessment], Assessment | None]  # what the record of an agent tells of it; None: nothing


class Panes(Protocol):
    """The verbs on the panes of one tmux server."""

    @property
    def desk(self) -> Deliveries: ...
    async def socket(self) -> str: ...
    async def place(self, pane: str, profile: str | None = None) -> ReportedPane: ...
    async def menu(self, pane: str, expect: Addressee | None = None) -> Menu | None: ...
    def mismatch(self, who: Addressee, scene: Scene) -> TmuxError | None: ...
    async def screen(self, pane: str, lines: int = 50, ansi: bool = False) -> Screenful: ...
    async def past(self, pane: str, lines: int) -> Snapshot: ...
    async def explain(
        self,
        pane: str,
        prompt_pattern: str | None = None,
        profile: str | None = None,
        by_record: ByRecord | None = None,
    ) -> Explanation: ...
    async def wait_ready(
        self,
        pane: str,
        timeout: float | None = None,
        prompt_pattern: str | None = None,
        accept_stable: bool | None = None,
        profile: str | None = None,
        by_record: ByRecord | None = None,
        expect: Addressee | None = None,
    ) -> Readiness: ...
    def follow(self, pane: str, profile: str | None = None) -> AbstractAsyncContextManager[Follower]: ...
