"""Tmux by control mode: `ControlTmux`."""

from paneward.adapters.tmux.control.tmux import ControlTmux

__all__ = ["ControlTmux"]
