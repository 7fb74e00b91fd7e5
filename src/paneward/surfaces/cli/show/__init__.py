"""What people see of an answer."""
