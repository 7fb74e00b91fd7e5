"""An agent: its record, what it said, when it calls for a human, the events it causes."""
