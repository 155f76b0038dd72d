"""The first schema comes and goes, and a database at the first revision becomes a current one."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date

import pytest
from alembic import command
from alembic.config import Config
from old_database import FIRST, load_dump, make_old
from sqlalchemy import inspect, select
from sqlalchemy.exc import OperationalError

from storage.catalog.sources import ids_of
from storage.engine.database import (
    NEWEST_REVISION,
    DatabaseUnavailable,
    current_revision,
    faults,
    open_database,
    require_current,
    upgrade,
)
from storage.engine.sqlite import MIGRATING
from storage.entries.changes import BEGINNING, changes_after
from storage.models import ApiKey, Diff, Entry, EntryDeadline, Follow, Webhook
from storage.people.accounts import find_account
from storage.people.stacks import stack_names

OBJECTS = {
    "sqlite": "SELECT type, name FROM sqlite_master",
    "postgresql": "SELECT 'class', relname FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace"
    " UNION ALL SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    " UNION ALL SELECT 'trigger', tgname FROM pg_trigger WHERE NOT tgisinternal"
    " UNION ALL SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace",
}


@pytest.fixture
def empty(new_database_url):
    """A database without tables."""
    database = open_database(new_database_url(empty=True))
    yield database
    database.close()


@pytest.fixture
def first(empty):
    """A database at the first revision, with rows."""
    load_dump(empty)
    return empty


def named(database):
    """Return the names of everything in a database."""
    with database.engine.connect() as connection:
        found = connection.exec_driver_sql(OBJECTS[connection.dialect.name])
        return set(map(tuple, found)) - {("class", "alembic_version"), ("table", "alembic_version")}


def described(database):
    """Return the columns, references and indexes of each table."""
    found = inspect(database.engine)
    return {
        table: {
            "columns": {
                each["name"]: (str(each["type"]), each["nullable"], each["default"] is None)
                for each in found.get_columns(table)
            },
            "references": sorted(map(str, found.get_foreign_keys(table))),
            "indexes": sorted(
                (each["name"], each["column_names"], *map(str, each["dialect_options"].values()))
                for each in found.get_indexes(table)
            ),
        }
        for table in found.get_table_names()
        if not table.startswith(("entry_words", "procrastinate_"))
    }


def test_the_first_schema_comes_and_goes(empty):
    before = named(empty)
    assert upgrade(empty)
    full = named(empty)
    assert faults(empty) == []

    with empty.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        command.downgrade(config, "base")

    assert {name for _, name in named(empty) - before} <= {
        *("alembic_version_pkc", "alembic_version", "_alembic_version"),
        *("sqlite_autoindex_alembic_version_1", "sqlite_sequence"),
    }
    assert upgrade(empty)
    assert named(empty) >= full


def test_a_database_of_the_first_schema_is_refused_until_it_is_upgraded(first):
    with pytest.raises(DatabaseUnavailable, match="run: changewire db upgrade"):
        require_current(first)


@pytest.mark.parametrize("release", [FIRST, "1.0.0"])
def test_a_database_of_an_earlier_release_becomes_like_a_new_one(empty, new_database_url, release):
    load_dump(empty, release)

    upgrade(empty)

    new = open_database(new_database_url())
    assert (current_revision(empty), faults(empty)) == (NEWEST_REVISION, [])
    assert named(empty) == named(new)
    assert described(empty) == described(new)
    new.close()


def test_a_database_of_1_0_0_keeps_its_rows(empty):
    load_dump(empty, "1.0.0")

    upgrade(empty)

    with empty.read() as session:
        account = find_account(session, "ada@acme.example")
        page = changes_after(session, BEGINNING, limit=10)
        sources = ids_of(session, ["acme.mail", "acme.api", "globex.api"])
        follows = session.scalars(select(Follow.source_id)).all()
        rows = (ApiKey, Webhook, Diff, EntryDeadline)
        key, webhook, diff, deadline = (session.scalars(select(row)).one() for row in rows)
        assert stack_names(session, account.id) == ["shop"]
    assert {key.account_id, webhook.account_id} == {account.id}
    assert (key.name, key.scopes, webhook.name) == ("first", ["read:entries"], "importer")
    assert (webhook.secret[:6], json.loads(diff.document)["id"]) == ("whsec_", "diff_1")
    assert (deadline.subject, deadline.last_day) == ("The interface", date(2027, 12, 29))
    assert deadline.source_id == sources["acme.api"]
    assert {sources["acme.mail"], sources["acme.api"]} == set(follows)
    assert [change.revision for change in page.changes] == [1, 2, 1, 1, 1, 1, 1]


def test_a_database_of_the_first_schema_keeps_its_rows_and_the_order_of_its_changes(first):
    upgrade(first)

    with first.read() as session:
        page = changes_after(session, BEGINNING, limit=10)
        account = find_account(session, "ada@acme.example")
        assert ids_of(session, ["acme.mail"]) == {"acme.mail": 7}
        addresses = set(session.scalars(select(Entry.address)))
    assert [change.revision for change in page.changes] == [1, 2]
    assert (account.plan, account.diffs_addon) == ("all", True)
    assert addresses
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-[a-z0-9-]+", address) for address in addresses)


@pytest.mark.only_on("postgresql")
def test_an_upgrade_in_a_deadlock_with_a_reader_is_tried_again(empty):
    make_old(empty, "1012")
    with ThreadPoolExecutor() as pool, empty.engine.connect() as reader:
        reader.exec_driver_sql("SELECT id FROM entry_deadlines")
        upgraded = pool.submit(upgrade, empty)
        while not reader.exec_driver_sql("SELECT 1 FROM pg_locks WHERE NOT granted").all():
            assert not upgraded.done()
            time.sleep(0.01)
        with suppress(OperationalError):  # where the server ends the reader instead
            reader.exec_driver_sql("SELECT id FROM entries")
        reader.rollback()
        assert upgraded.result()


@pytest.mark.parametrize("revision", ["0001", "0034"])
def test_an_older_database_is_refused_in_one_line(database, revision):
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")

    for use in (upgrade, require_current):
        with pytest.raises(DatabaseUnavailable) as refused:
            use(database)
        assert f"revision {revision}, which is too old to upgrade" in str(refused.value)
        assert "\n" not in str(refused.value)
