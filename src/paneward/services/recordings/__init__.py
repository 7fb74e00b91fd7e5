"""Which agents are recorded, and how."""
