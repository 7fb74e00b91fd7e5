"""Deliveries: intents and receipts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("message_id", sa.Text),
        sa.Column("tmux", sa.Text, nullable=False),
        sa.Column("pane", sa.Text, nullable=False),
        sa.Column("pane_pid", NUMBER, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("length", NUMBER, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("receipt", sa.Text),
    )
    named = sa.text("message_id IS NOT NULL")
    op.create_index(
        "message_ids", "deliveries", ["message_id"], unique=True, sqlite_where=named, postgresql_where=named
    )
