"""Run by Alembic: the connection and its transaction belong to who called."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
