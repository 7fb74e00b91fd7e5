"""The process that is a server: started, found, stopped, its log."""
