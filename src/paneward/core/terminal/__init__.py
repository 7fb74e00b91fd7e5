"""Bytes of a terminal and of tmux: the control protocol, escape sequences, keys, one look at a pane."""
