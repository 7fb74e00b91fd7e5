"""Will the program in a pane take input now?"""
