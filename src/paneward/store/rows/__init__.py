"""What is read from and written into each table."""
