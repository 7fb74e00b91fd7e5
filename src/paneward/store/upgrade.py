"""Bring a store to the schema of this version, by its migrations. Alembic is imported for that alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paneward.store.tables import SCHEMA

if TYPE_CHECKING:
    import sqlalchemy as sa
    from alembic.config import Config

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"


def upgrade(connection: sa.Connection, found: int, to: int = SCHEMA) -> None:
    """From schema `found`, 0 for an empty store. In the caller's transaction."""
    from alembic import command

    config = config_of(connection)
    if found:  # before there were migrations, a file told its schema by its number alone
        command.stamp(config, revision(found))
    command.upgrade(config, revision(to))


def config_of(connection: sa.Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def revision(schema: int) -> str:
    return f"{schema:04d}"
