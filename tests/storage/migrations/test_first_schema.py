"""The first schema comes and goes, and a database of revision 0034 becomes one of it."""

import re
from datetime import date

import pytest
from alembic import command
from alembic.config import Config
from old_database import make_0034
from sqlalchemy import inspect, select

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
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_query import EntryList
from storage.entries.search.search import find_entries
from storage.models import Entry
from storage.people.accounts import find_account

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
def at_0034(empty):
    """A database of revision 0034, with rows."""
    make_0034(empty)
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


def test_a_database_of_0034_becomes_like_a_new_one(at_0034, new_database_url):
    with pytest.raises(DatabaseUnavailable, match="run: changewire db upgrade"):
        require_current(at_0034)

    assert upgrade(at_0034)

    new = open_database(new_database_url())
    assert (current_revision(at_0034), faults(at_0034)) == (NEWEST_REVISION, [])
    assert named(at_0034) == named(new)
    assert described(at_0034) == described(new)
    new.close()


def test_a_database_of_0034_keeps_its_rows_and_the_order_of_its_changes(at_0034):
    upgrade(at_0034)

    with at_0034.read() as session:
        page = changes_after(session, BEGINNING, limit=10)
        account = find_account(session, "ada@acme.example")
        assert ids_of(session, ["acme.mail"]) == {"acme.mail": 7}
    assert [change.revision for change in page.changes] == [1, 2]
    assert (account.plan, account.diffs_addon) == ("all", True)


def test_a_database_of_0034_gets_addresses_of_its_entries(at_0034):
    upgrade(at_0034)

    with at_0034.read() as session:
        addresses = set(session.scalars(select(Entry.address)))
    assert addresses
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-[a-z0-9-]+", address) for address in addresses)


def test_a_database_of_0034_finds_phrases(at_0034, now):
    upgrade(at_0034)

    with at_0034.read() as session:
        found, _ = find_entries(session, EntryList(now, filter=EntryFilter(q='"end of life"')))
    assert len(found) == 1


def test_a_database_of_0034_has_concluded_deadlines(at_0034, now):
    upgrade(at_0034)

    with at_0034.read() as session:
        [deadline] = coming_deadlines(session, now=now, most=9)
    assert (deadline.last_day, deadline.set_as_place) == (date(2026, 12, 24), 1)
    assert deadline.replaced == ((date(2026, 12, 1), date(2026, 12, 1)),)


@pytest.mark.parametrize("revision", ["0001", "0033"])
def test_an_older_database_is_refused_in_one_line(database, revision):
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")

    for use in (upgrade, require_current):
        with pytest.raises(DatabaseUnavailable) as refused:
            use(database)
        assert f"revision {revision}, which is too old to upgrade" in str(refused.value)
        assert "\n" not in str(refused.value)
