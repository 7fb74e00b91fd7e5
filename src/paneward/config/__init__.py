"""One frozen tree of settings from `config.yaml` and the environment, and the user's profiles. The public names, each
loaded when first used: a command that only looks for the state directory needs no settings.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paneward.config.loading import find_file as find_file
    from paneward.config.loading import load as load
    from paneward.config.own import profiles_of as profiles_of
    from paneward.config.places import state_dir as state_dir
    from paneward.config.sections import SECTIONS as SECTIONS
    from paneward.config.sections import BridgeSettings as BridgeSettings
    from paneward.config.sections import HostSettings as HostSettings
    from paneward.config.sections import NotificationSettings as NotificationSettings
    from paneward.config.sections import ProfileSettings as ProfileSettings
    from paneward.config.sections import ReadinessSettings as ReadinessSettings
    from paneward.config.sections import RecordingSettings as RecordingSettings
    from paneward.config.sections import ServerSettings as ServerSettings
    from paneward.config.sections import Settings as Settings
    from paneward.config.sections import SignalSettings as SignalSettings
    from paneward.config.sections import StoreSettings as StoreSettings
    from paneward.config.sections import TmuxSettings as TmuxSettings
    from paneward.config.sections import UsageSettings as UsageSettings
    from paneward.config.values import allowed as allowed

_HOMES = {"find_file": "loading", "load": "loading", "profiles_of": "own", "state_dir": "places", "allowed": "values"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name, "sections" if name == "SECTIONS" or name.endswith("Settings") else "")
    if not home:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
