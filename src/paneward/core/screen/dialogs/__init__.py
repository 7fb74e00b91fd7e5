"""Dialogs on a screen: menus, questions, their wording."""
