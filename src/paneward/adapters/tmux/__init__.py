"""tmux: by control clients, or by one process per command."""
