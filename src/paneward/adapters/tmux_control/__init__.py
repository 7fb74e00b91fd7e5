"""Tmux by control mode: `ControlTmux`."""

from paneward.adapters.tmux_control.tmux import ControlTmux

__all__ = ["ControlTmux"]
