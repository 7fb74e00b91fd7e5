"""What an agent does, from all sources, with the reason."""
