"""Hooks: the settings files of agents, and what their hooks write."""
