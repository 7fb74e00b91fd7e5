"""Recordings of what a pane shows."""
