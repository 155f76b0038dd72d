"""Opening, upgrading and copying the database; every fault in one clear line."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, text

from storage.engine.database import (
    MIGRATION_LOCK,
    DatabaseUnavailable,
    faults,
    on_postgresql,
    open_database,
    require_current,
    upgrade,
)
from storage.engine.postgresql import lock_for_migration
from storage.engine.sqlite import MIGRATING, driver
from storage.models import Base
from storage.people.accounts import add_account, find_account

only_on_sqlite = pytest.mark.only_on("sqlite")


def test_the_migrations_make_what_the_models_say(database):
    def ours(name, kind, _parents):  # the others are the queue's library's, and the search index
        return kind != "table" or not name.startswith(("procrastinate_", "entry_words"))

    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        assert compare_metadata(context, Base.metadata) == []


@only_on_sqlite
@pytest.mark.parametrize(
    ("pragma", "expected"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 10000)],
)
def test_every_connection_keeps_its_promises(database, pragma, expected):
    with database.engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == expected


def test_a_failing_block_leaves_nothing_behind(database, now):
    with pytest.raises(ZeroDivisionError), database.write() as session:
        add_account(session, "ada@acme.example", now=now).plan = 1 / 0

    with database.read() as session:
        assert find_account(session, "ada@acme.example") is None


def test_a_time_without_a_zone_is_refused(database):
    with pytest.raises(Exception, match="has no time zone"), database.write() as session:
        add_account(session, "ada@acme.example", now=datetime(2026, 1, 1))  # noqa: DTZ001 - the point


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "not an address of a database"),
        ("mysql://x/y", "not an address of a database"),
        ("postgresql+asyncpg://x/y", "not an address of a database"),
        ("sqlite://", "in memory is gone"),
        ("sqlite:////proc/nothing/x.db", "There is no folder /proc/nothing"),
        ("postgresql+psycopg://127.0.0.1:1/x", "The database x does not answer; check .*refused"),
    ],
)
def test_an_address_that_does_not_work_is_explained(url, message):
    with pytest.raises(DatabaseUnavailable, match=message):
        open_database(url)


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    database = open_database(f"sqlite:///{tmp_path}/changewire.db")
    upgrade(database)
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    database.close()

    assert set(modes.values()) == {0o600}, modes


def test_a_file_that_is_no_database_is_named(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("This is not a database. " * 100)

    with pytest.raises(DatabaseUnavailable, match=r"notes\.txt is not a database"):
        open_database(f"sqlite:///{file}")


def test_a_newer_database_that_goes_with_this_program_is_used(database):
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))

    require_current(database)
    assert not upgrade(database)
    assert faults(database) == []


@pytest.mark.parametrize("revision", ["from-2030", "9000_from_8999"])
def test_a_newer_database_that_asks_for_a_newer_program_is_left_alone(database, revision):
    with database.engine.begin() as connection:
        connection.execute(
            text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision}
        )

    for what in (upgrade, require_current):
        with pytest.raises(DatabaseUnavailable, match="newer Changewire made"):
            what(database)


@pytest.mark.slow
def test_four_upgrades_at_once_make_one_schema(new_database_url):
    code = (
        "import sys; from storage.engine.database import *; "
        "d = open_database(sys.argv[1]); upgrade(d); require_current(d)"
    )
    address = new_database_url(empty=True)
    running = [subprocess.Popen([sys.executable, "-c", code, address]) for _ in range(4)]

    assert [process.wait(timeout=60) for process in running] == [0] * 4


def test_a_program_that_finds_a_newer_database_behind_the_lock_leaves_it_alone(database):
    waits = threading.Event()

    def notice(connection, cursor, statement, parameters, context, executemany):
        if "EXCLUSIVE" in statement or "pg_advisory_xact_lock" in statement:
            waits.set()

    with database.engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    with ThreadPoolExecutor(1) as pool:
        with database.engine.execution_options(**MIGRATING).begin() as newer:
            if on_postgresql(database.engine):
                lock_for_migration(newer, MIGRATION_LOCK)
            event.listen(database.engine, "before_cursor_execute", notice)
            upgrading = pool.submit(upgrade, database)
            assert waits.wait(30)
            newer.execute(text("INSERT INTO alembic_version VALUES ('9000')"))

        assert upgrading.result(30) is False


@only_on_sqlite
def test_a_damaged_reference_is_a_fault(database):
    connection = driver.connect(database.engine.url.database)  # without PRAGMA foreign_keys
    connection.execute("INSERT INTO selections (key_id, source_id) VALUES (1, 1)")
    connection.commit()
    connection.close()

    assert sorted(faults(database)) == [
        "selections: a row refers to a missing row of api_keys",
        "selections: a row refers to a missing row of sources",
    ]
