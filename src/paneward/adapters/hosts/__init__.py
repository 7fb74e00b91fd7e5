"""Other machines, over ssh."""
