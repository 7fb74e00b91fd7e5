"""Answer what a program asks."""
