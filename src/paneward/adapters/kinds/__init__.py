"""What one kind of agent needs of the outside."""
