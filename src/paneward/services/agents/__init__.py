"""Agents: adopted, followed, told, answered."""
