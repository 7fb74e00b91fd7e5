"""Who may come in: tokens, sessions, connections."""
