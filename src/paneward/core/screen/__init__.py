"""Reading a snapshot: functions.

style.py: what an SGR sequence makes of a style;
cells.py: rows, columns and styles of what `capture-pane -e` printed, and where typed text would go;
ghost.py: the suggestion an application shows after the cursor, which nobody typed;
lines.py: rows freed from the boxes drawn around them;
menu.py: a question with options to choose from;
question.py: a line that asks for an answer where the cursor stands.
"""
