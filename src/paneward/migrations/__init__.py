"""The steps from one schema of the store to the next, applied in order by Alembic. One that was released never changes.

Each is the number of the schema that it makes. It runs inside the transaction of who called it.
"""
