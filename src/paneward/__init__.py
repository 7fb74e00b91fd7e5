"""Paneward types into programs in tmux panes and proves that it went in. The public names, each loaded when first used.

`import paneward` has to cost next to nothing: programs import it to send one line.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paneward.app import Connection as Connection
    from paneward.app import Explanation as Explanation
    from paneward.app import connect as connect
    from paneward.config import Settings as Settings
    from paneward.core.errors import Code as Code
    from paneward.core.errors import PanewardError as PanewardError
    from paneward.core.profiles import Profile as Profile
    from paneward.core.result import Menu as Menu
    from paneward.core.result import Option as Option
    from paneward.core.result import Readiness as Readiness
    from paneward.core.result import ReadyVerdict as ReadyVerdict
    from paneward.core.result import Rung as Rung
    from paneward.core.result import SendResult as SendResult
    from paneward.core.result import Verdict as Verdict
    from paneward.core.state.claims import AgentState as AgentState
    from paneward.core.state.claims import Standing as Standing
    from paneward.ports import PaneInfo as PaneInfo
    from paneward.tool import TmuxTool as TmuxTool
    from paneward.tool import tool_prompt as tool_prompt
    from paneward.tool import tool_schema as tool_schema

    __version__: str

_HOMES = {
    "paneward.app": ("Connection", "Explanation", "connect"),
    "paneward.config": ("Settings",),
    "paneward.core.errors": ("Code", "PanewardError"),
    "paneward.core.profiles": ("Profile",),
    "paneward.core.result": ("Menu", "Option", "Readiness", "ReadyVerdict", "Rung", "SendResult", "Verdict"),
    "paneward.core.state.claims": ("AgentState", "Standing"),
    "paneward.ports": ("PaneInfo",),
    "paneward.tool": ("TmuxTool", "tool_prompt", "tool_schema"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    from importlib import import_module, metadata

    if name == "__version__":
        value: Any = metadata.version("paneward")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'paneward' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
