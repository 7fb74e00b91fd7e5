"""Marks: what was taken of the spool and of event files."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "marks",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("mark", sa.Text, nullable=False),
    )
