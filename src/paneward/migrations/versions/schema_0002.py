"""The server: the event log, agents with commands and turns, audit, replies, who holds the lease."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _deliveries()
    _log()
    _agents()
    _records()


def _deliveries() -> None:
    op.add_column("deliveries", sa.Column("agent_id", sa.Text))
    op.add_column("deliveries", sa.Column("intent", sa.Text, nullable=False, server_default=""))
    op.add_column("deliveries", sa.Column("verdict", sa.Text))
    owned = sa.text("agent_id IS NOT NULL")
    columns = ["agent_id", "id"]
    op.create_index("deliveries_of_agents", "deliveries", columns, sqlite_where=owned, postgresql_where=owned)


def _log() -> None:
    op.create_table(
        "events",
        sa.Column("seq", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("prev", NUMBER),
    )
    op.create_table(
        "heads",
        sa.Column("agent_id", sa.Text, primary_key=True),
        sa.Column("seq", NUMBER, nullable=False),
    )


def _agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("tmux", sa.Text, nullable=False),
        sa.Column("pane", sa.Text),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "commands",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("opened_at", sa.Double, nullable=False),
        sa.Column("closed_at", sa.Double),
        sa.Column("ending", sa.Text, nullable=False),
    )
    op.create_index("commands_of_agents", "commands", ["agent", "id"])
    op.create_table(
        "turns",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("command", NUMBER),
        sa.Column("delivery", sa.Text),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("turns_of_agents", "turns", ["agent", "id"])
    op.create_index("turns_of_deliveries", "turns", ["delivery"], unique=True)


def _records() -> None:
    op.create_table(
        "audit",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_table(
        "replies",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("request_hash", sa.Text, nullable=False),
        sa.Column("status", NUMBER, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("replies_by_age", "replies", ["at"])
    op.create_table(
        "lease",
        sa.Column("id", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
