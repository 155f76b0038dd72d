"""Migrations only add, so that programs of before go on (docs/decisions/0048)."""

from importlib.resources import files

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect

from storage.engine.database import open_database
from storage.engine.revisions import REVISION
from storage.engine.sqlite import MIGRATING


@pytest.fixture
def empty(new_database_url):
    """A database without tables."""
    database = open_database(new_database_url(empty=True))
    yield database
    database.close()


@pytest.mark.slow
def test_each_later_migration_only_adds(empty):
    """What a program of before says of a table goes on meaning the same, unless the name warns."""
    before = {}
    for revision in revisions():
        migrate(empty, revision)
        after = described(empty)
        oldest = REVISION.fullmatch(revision)[2]
        if oldest is None:
            assert faults_of_change(before, after) == []
        before = after


def test_a_database_that_once_needed_a_newer_program_needs_it_ever_after():
    oldest = [REVISION.fullmatch(revision)[2] or "" for revision in revisions()]

    assert oldest == sorted(oldest)


def revisions():
    """Every revision, oldest first."""
    versions = files("storage.migrations").joinpath("versions").iterdir()
    return sorted(found[0] for version in versions if (found := REVISION.match(version.name, 1)))


def migrate(database, revision):
    """Go to a revision."""
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config()
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def described(database):
    """Return what a program that writes has to know of each table."""
    found = inspect(database.engine)
    return {
        table: {
            "columns": {column["name"]: column for column in found.get_columns(table)},
            "unique": {
                tuple(constraint["column_names"])
                for constraint in [*found.get_unique_constraints(table), *found.get_indexes(table)]
                if constraint.get("unique", True)
            },
            "foreign": {tuple(e["constrained_columns"]) for e in found.get_foreign_keys(table)},
        }
        for table in found.get_table_names()
    }


def faults_of_change(before, after):
    """Say what a program that knows only ``before`` would stumble over."""
    found = [f"{table} is gone" for table in before if table not in after]
    for table in before.keys() & after.keys():
        old, new = before[table]["columns"], after[table]["columns"]
        found += [f"{table}.{name} is gone" for name in old if name not in new]
        for name in old.keys() & new.keys():
            if str(old[name]["type"]) != str(new[name]["type"]):
                found.append(f"{table}.{name} has another type")
            if old[name]["nullable"] and not new[name]["nullable"]:
                found.append(f"{table}.{name} must be given now")
        found += [
            f"{table}.{name} must be given"
            for name in new.keys() - old.keys()
            if not new[name]["nullable"] and new[name]["default"] is None
        ]
        for rule in ("unique", "foreign"):
            stricter = after[table][rule] - before[table][rule]
            found += [f"{table}: {rule} {columns} is new" for columns in stricter]
    return found


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("ALTER TABLE keys DROP COLUMN note", "keys.note is gone"),
        ("ALTER TABLE keys ADD COLUMN x integer", None),
        ("ALTER TABLE keys ADD COLUMN x integer NOT NULL DEFAULT 3", None),
        ("CREATE UNIQUE INDEX x ON keys (note)", "keys: unique ('note',) is new"),
        ("CREATE INDEX x ON keys (note)", None),
        ("ALTER TABLE keys RENAME COLUMN note TO notes", "keys.note is gone"),
        ("DROP TABLE keys", "keys is gone"),
        ("CREATE TABLE others (id integer NOT NULL)", None),
    ],
)
def test_a_change_that_takes_something_away_is_found(empty, change, fault):
    with empty.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE keys (id integer NOT NULL, note varchar(9))")
    before = described(empty)

    with empty.engine.begin() as connection:
        connection.exec_driver_sql(change)

    assert faults_of_change(before, described(empty)) == ([] if fault is None else [fault])
