"""What each address of the HTTP server does."""
