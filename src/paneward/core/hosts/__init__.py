"""Other machines."""
