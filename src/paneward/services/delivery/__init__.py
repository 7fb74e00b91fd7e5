"""Carries out what the core decides on a pane, and stores the receipt."""
