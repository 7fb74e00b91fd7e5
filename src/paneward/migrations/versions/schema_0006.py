"""How the use of agents was counted."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("agents", sa.Column("account", sa.Text))
