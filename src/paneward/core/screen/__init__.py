"""Reading a snapshot: functions.

style.py: what an SGR sequence makes of a style;
cells.py: rows, columns and styles of what `capture-pane -e` printed, and where typed text would go;
ghost.py: the suggestion an application shows after the cursor, which nobody typed;
frames.py, composer.py: where a program's input stands, and what stands in it;
panel.py: a panel at the right of the screen, taken away;
marks.py: what tells a state, looked for where a profile says it stands;
lines.py: rows freed from the boxes drawn around them;
dialogs/menu.py: a question with options to choose from;
dialogs/known.py: dialogs that a profile knows by their words;
dialogs/question.py: a line that asks for an answer where the cursor stands;
appearance.py: all of it together: what an agent shows.
"""
