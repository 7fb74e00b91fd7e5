"""Nudges of agents, field by field, and which of their signals were heard."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for name in ("nudge_state", "nudge_summary", "nudge_source"):
        op.add_column("agents", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("agents", sa.Column("nudge_seq", NUMBER, nullable=False, server_default="0"))
    op.add_column("agents", sa.Column("last_signal_at", sa.Double))
    op.add_column("agents", sa.Column("heard", sa.Text))
