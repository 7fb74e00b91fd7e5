"""Stores of earlier and later schemas: taken over with a copy, or refused."""

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from paneward.core.errors import Code, StoreError
from paneward.core.terminal.flow import Phase
from paneward.store import SCHEMA, Store
from paneward.store.tables import tables
from paneward.store.upgrade import MIGRATIONS, revision, upgrade
from tests.store.cluster import Cluster
from tests.store.conftest import Place, raw, using

# What a Paneward without a server wrote: tables as SQLAlchemy made them then, and no word of migrations.
SCHEMA_1 = [
    """CREATE TABLE deliveries (
        id INTEGER NOT NULL, message_id TEXT, tmux TEXT NOT NULL, pane TEXT NOT NULL, pane_pid INTEGER NOT NULL,
        text_hash TEXT NOT NULL, length INTEGER NOT NULL, phase TEXT NOT NULL, created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL, text TEXT, receipt TEXT, PRIMARY KEY (id))""",
    "CREATE UNIQUE INDEX message_ids ON deliveries (message_id) WHERE message_id IS NOT NULL",
    """INSERT INTO deliveries VALUES (7, 'm1', 'socket', '%3', 12, 'hash', 6, 'submitting',
        strftime('%Y-%m-%dT%H:%M:%f+00:00'), strftime('%Y-%m-%dT%H:%M:%f+00:00'), 'fix it', NULL)""",
    "PRAGMA user_version = 1",
    "PRAGMA journal_mode = WAL",
]


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "deliveries.db"
    for statement in SCHEMA_1:
        raw(path, statement)
    return path


def test_a_file_of_schema_1_is_taken_over_after_a_copy(old_file: Path) -> None:
    async def work(store: Store) -> None:
        found = await store.find("m1")
        assert found is not None
        assert (found.id, found.phase, found.agent_id, found.intent) == ("7", Phase.SUBMITTING, None, "")
        assert await store.unfinished() == []
        fresh, _ = await store.begin(message_id="m2", tmux="s", pane="%1", pane_pid=1, text="t", secret=False)
        assert fresh.id == "8"
        assert await store.agents() == []

    using(old_file, work)
    copy = old_file.with_name("deliveries.db.schema-1")
    assert raw(copy, "SELECT id, text FROM deliveries") == [(7, "fix it")]
    assert raw(copy, "PRAGMA user_version") == [(1,)]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert raw(old_file, "PRAGMA user_version") == [(SCHEMA,)]
    assert raw(old_file, "SELECT version_num FROM alembic_version") == [(revision(SCHEMA),)]


def test_a_new_file_needs_no_copy(tmp_path: Path) -> None:
    using(tmp_path / "deliveries.db", lambda store: store.agents())
    assert [file.name for file in tmp_path.iterdir() if "schema" in file.name] == []


def test_a_migration_that_fails_leaves_the_file_as_it_was(old_file: Path) -> None:
    raw(old_file, "CREATE TABLE turns (mine TEXT)")
    with pytest.raises(StoreError, match="turns already exists"):
        Store.open(old_file)
    assert raw(old_file, "PRAGMA user_version") == [(1,)]
    columns = [row[1] for row in raw(old_file, "PRAGMA table_info(deliveries)")]
    assert "agent_id" not in columns
    raw(old_file, "DROP TABLE turns")
    using(old_file, lambda store: store.agents())


def test_without_room_for_a_copy_nothing_is_changed(old_file: Path) -> None:
    old_file.with_name("deliveries.db.schema-1").mkdir()
    with pytest.raises(StoreError, match=r"no copy could be made.*schema-1"):
        Store.open(old_file)
    assert raw(old_file, "PRAGMA user_version") == [(1,)]


def test_a_file_is_not_changed_below_a_server_that_uses_it(old_file: Path) -> None:
    held = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(old_file.with_name("deliveries.db.lease"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert held.stdout is not None
    held.stdout.readline()
    try:
        with pytest.raises(StoreError, match="another process") as caught:
            Store.open(old_file)
        assert caught.value.code is Code.STORE_LEASED
    finally:
        held.communicate()
    using(old_file, lambda store: store.agents())


HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_migrations_make_the_tables_that_the_code_knows(place: Place) -> None:
    def differences(connection: sa.Connection) -> object:
        options = {"compare_type": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), tables().all)

    assert using(place, lambda store: store._read(differences)) == []


def test_the_newest_migration_is_the_schema_of_the_code() -> None:
    names = sorted(file.stem for file in (MIGRATIONS / "versions").glob("schema_*.py"))
    assert names == [f"schema_{revision(number)}" for number in range(1, SCHEMA + 1)]


def test_a_current_file_is_opened_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    using(path, lambda store: store.agents())
    code = f"""
import asyncio, sys
from paneward.store import Store
asyncio.run(Store.open({str(path)!r}, lease="me").close())
print("alembic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# --- PostgreSQL


@pytest.fixture
def old_database(postgres: Cluster) -> str:
    url = postgres.new_database()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        upgrade(connection, 0, to=1)
    engine.dispose()
    postgres.ask(name_of(url), INSERT)
    return url


INSERT = """INSERT INTO deliveries (message_id, tmux, pane, pane_pid, text_hash, length, phase, created_at, updated_at)
    VALUES ('m1', 's', '%1', 1, '', 1, 'done', '9', '9')"""


def name_of(url: str) -> str:
    return str(sa.make_url(url).database)


def test_a_database_of_schema_1_is_taken_over_after_a_copy(old_database: str, postgres: Cluster) -> None:
    found = using(old_database, lambda store: store.find("m1"))
    assert found is not None
    assert found.intent == ""
    copied = postgres.ask(name_of(old_database), "SELECT message_id FROM paneward_schema_1.deliveries")
    assert copied == [("m1",)]


def test_a_role_that_may_make_no_copy_is_told_of_pg_dump(old_database: str, postgres: Cluster) -> None:
    name = name_of(old_database)
    role = f"poor_{name}"
    postgres.ask(name, f"CREATE ROLE {role} LOGIN")
    postgres.ask(name, f"GRANT ALL ON SCHEMA public TO {role}")
    for table in ("deliveries", "alembic_version"):
        postgres.ask(name, f"ALTER TABLE {table} OWNER TO {role}")
    with pytest.raises(StoreError, match="no copy could be made") as caught:
        Store.open(postgres.url(name, role))
    assert "pg_dump" in caught.value.hint
    postgres.ask(name, "CREATE SCHEMA paneward_schema_1")  # as the hint says
    using(postgres.url(name, role), lambda store: store.agents())


def test_a_database_of_a_newer_version_is_refused_and_left_alone(postgres: Cluster) -> None:
    url = postgres.new_database()
    using(url, lambda store: store.agents())
    postgres.ask(name_of(url), f"UPDATE alembic_version SET version_num = '{revision(SCHEMA + 1)}'")
    for lease in (None, "me"):
        with pytest.raises(StoreError, match=f"schema {SCHEMA + 1}") as caught:
            Store.open(url, lease=lease)
        assert "upgrade" in caught.value.hint
