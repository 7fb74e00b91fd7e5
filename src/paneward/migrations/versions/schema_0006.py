"""Nothing here: the number belongs to a change that is merged beside this one, whose file takes this one's place."""

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Nothing."""
