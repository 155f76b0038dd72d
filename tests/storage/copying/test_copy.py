"""A copy has everything, in either direction, goes on after an interruption, and is compared."""

import shutil
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest
from specimen.site import fill_site
from sqlalchemy import inspect, make_url, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from storage.copying.copy import copy_database, differences
from storage.copying.read_only import allow_writes, is_read_only, refuse_writes
from storage.copying.rows import TABLES, rows_after
from storage.engine.database import (
    DatabaseUnavailable,
    faults,
    open_database,
    require_current,
)
from storage.models import Account, ApiDay
from storage.people.accounts import add_account, find_account
from storage.people.keys import find_live_key

pytestmark = pytest.mark.slow


def nothing(table, rows):
    pass


class Interrupted(Exception):
    pass


def stop_at(name):
    def report(table, rows):
        if table == name:
            raise Interrupted

    return report


@pytest.fixture(scope="module")
def model(request, tmp_path_factory, now):
    """Databases with something of everything, one of each kind, made once; gives their sites."""

    @cache
    def model(kind):
        if kind == "postgresql":
            server = request.getfixturevalue("server")
            empty = request.getfixturevalue("empty_database_name")
            return fill_site(server.address(server.create(empty)), now=now)
        file = tmp_path_factory.mktemp("model") / "model.db"
        shutil.copy(request.getfixturevalue("empty_database_file"), file)
        return fill_site(f"sqlite:///{file}", now=now)

    return model


@pytest.fixture
def new_address(request, tmp_path):
    """Make a database of a kind at the newest revision, or like another; gives its address."""

    def new_address(kind, like=None):
        if kind == "postgresql":
            server = request.getfixturevalue("server")
            name = like or request.getfixturevalue("empty_database_name")
            return server.address(server.create(name))
        new_address.count += 1
        file = tmp_path / f"{new_address.count}.db"
        shutil.copy(like or request.getfixturevalue("empty_database_file"), file)
        return f"sqlite:///{file}"

    new_address.count = 0
    return new_address


@pytest.fixture
def filled(model, new_address):
    """Make a database with something of everything; gives its site."""

    def filled(kind="sqlite"):
        site = model(kind)
        like = site.file if kind == "sqlite" else make_url(site.url).database
        return replace(site, url=new_address(kind, like))

    return filled


DIRECTIONS = [
    ("sqlite", "postgresql"),
    ("postgresql", "sqlite"),
    ("sqlite", "sqlite"),
    ("postgresql", "postgresql"),
]


@pytest.fixture(params=DIRECTIONS, ids=" to ".join)
def pair(request, filled, new_address):
    """A filled database and an empty one, and the keys to the first."""
    site = filled(request.param[0])
    with (
        closing(open_database(site.url)) as source,
        closing(open_database(new_address(request.param[1]))) as target,
    ):
        yield source, target, site


@pytest.fixture
def files(filled, new_address):
    """The same, on SQLite."""
    site = filled()
    with (
        closing(open_database(site.url)) as source,
        closing(open_database(new_address("sqlite"))) as target,
    ):
        yield source, target


def rows_of(database, table):
    with database.read() as session:
        return int(session.scalar(text(f"SELECT COUNT(*) FROM {table}")))


def test_a_copy_is_the_same_and_sound(pair):
    source, target, _ = pair

    assert copy_database(source, target, nothing) is False

    assert differences(source, target) == []
    assert faults(target) == []
    assert rows_of(target, "entries") > 0


def test_keys_open_the_copy(pair, now):
    source, target, site = pair
    copy_database(source, target, nothing)

    with target.read() as session:
        assert find_live_key(session, site.keys["all"], now=now) is not None


def test_words_are_found_in_the_copy(pair):
    source, target, _ = pair
    copy_database(source, target, nothing)

    assert rows_of(target, "entry_words") == rows_of(source, "entry_words") > 0


def test_numbers_go_on_where_they_were(pair, now):
    source, target, _ = pair
    with source.write() as session:
        highest = add_account(session, "last@acme.example", now=now).id
    copy_database(source, target, nothing)

    with target.write() as session:
        assert add_account(session, "new@acme.example", now=now).id == highest + 1


def test_what_the_copy_learns_has_a_higher_number(pair):
    source, target, _ = pair
    copy_database(source, target, nothing)

    with target.write() as session:
        before = session.scalar(text("SELECT MAX(number) FROM entry_changes"))
        session.execute(text("UPDATE entries SET revision = revision + 1 WHERE id = 1"))
        session.flush()
    with target.read() as session:
        assert session.scalar(text("SELECT MAX(number) FROM entry_changes")) > before


def test_a_copy_back_is_what_was_copied(filled, new_address):
    with (
        closing(open_database(filled().url)) as first,
        closing(open_database(new_address("postgresql"))) as second,
        closing(open_database(new_address("sqlite"))) as third,
    ):
        copy_database(first, second, nothing)
        copy_database(second, third, nothing)

        assert differences(first, third) == []


def test_a_copy_on_sqlite_has_the_indexes_and_triggers_of_a_new_database(files, new_address):
    source, target = files
    copy_database(source, target, nothing)
    made = "SELECT name, sql FROM sqlite_master ORDER BY name"
    with closing(open_database(new_address("sqlite"))) as fresh, fresh.read() as session:
        expected = session.execute(text(made)).all()

    with target.read() as session:
        assert session.execute(text(made)).all() == expected


@pytest.mark.parametrize("table", ["sources", "entries", "entry_changes", "entry_words"])
def test_a_copy_that_was_interrupted_goes_on(pair, table):
    source, target, _ = pair
    with pytest.raises(Interrupted):
        copy_database(source, target, stop_at(table))

    assert copy_database(source, target, nothing) is True

    assert differences(source, target) == []
    assert faults(target) == []


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_rows_that_are_kept_by_the_day_go_on_after_a_day(kind, new_address, now):
    days = [(now - timedelta(days=ago)).date() for ago in (2, 1, 0)]
    with closing(open_database(new_address(kind))) as database:
        with database.write() as session:
            session.add_all(
                ApiDay(day=day, first_minute=0, last_minute=9, minutes=10, requests=1, failures=0)
                for day in days
            )
        with database.engine.connect() as connection:
            table = ApiDay.__table__
            rest = [row for rows in rows_after(connection, table, [str(days[0])]) for row in rows]

    assert [row[0] for row in rest] == [str(day) for day in days[1:]]


def test_half_a_copy_is_used_by_no_program(files):
    source, target = files
    with pytest.raises(Interrupted):
        copy_database(source, target, stop_at("entries"))

    with pytest.raises(DatabaseUnavailable, match="changewire db copy"):
        require_current(target)


def test_half_a_copy_of_another_database_is_refused(files, filled):
    source, target = files
    with pytest.raises(Interrupted):
        copy_database(source, target, stop_at("entries"))

    with (
        closing(open_database(filled().url)) as other,
        pytest.raises(DatabaseUnavailable, match="name an empty database"),
    ):
        copy_database(other, target, nothing)


def test_a_database_with_something_in_it_is_left_alone(files, now):
    source, target = files
    with target.write() as session:
        add_account(session, "ada@acme.example", now=now)

    with pytest.raises(DatabaseUnavailable, match="name an empty database"):
        copy_database(source, target, nothing)

    with target.read() as session:
        assert find_account(session, "ada@acme.example") is not None
    assert not is_read_only(source)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_without_any_table_is_filled(kind, files, new_address, server, tmp_path):
    source, _ = files
    on_sqlite = f"sqlite:///{tmp_path / 'new.db'}"
    address = on_sqlite if kind == "sqlite" else server.address(server.create())
    with closing(open_database(address)) as target:
        copy_database(source, target, nothing)

        assert differences(source, target) == []


def test_a_database_is_not_copied_into_itself(files):
    source, _ = files

    with pytest.raises(DatabaseUnavailable, match="same database"):
        copy_database(source, source, nothing)


def test_an_older_database_is_upgraded_first(files):
    source, target = files
    with source.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))

    with pytest.raises(DatabaseUnavailable, match="changewire db upgrade"):
        copy_database(source, target, nothing)


def test_every_table_is_copied_but_what_the_queue_and_migrations_keep(filled, new_address):
    with closing(open_database(filled("postgresql").url)) as database:
        there = set(inspect(database.engine).get_table_names())

    others = {"alembic_version", "catalog_totals", "entry_words"}
    queue = {name for name in there if name.startswith("procrastinate_")}
    assert there - queue - others == {table.name for table in TABLES}


def test_a_row_that_differs_is_found(pair):
    source, target, _ = pair
    copy_database(source, target, nothing)
    with target.write() as session:
        session.execute(text("UPDATE sources SET name = 'other' WHERE id = 1"))
        session.execute(text("DELETE FROM diffs WHERE id = 1"))

    found = differences(source, target)

    assert [each.split()[0] for each in found] == ["sources", "diffs", "catalog_totals"]
    assert "has other content" in found[0]
    assert "rows there" in found[1]


def test_a_difference_deep_in_a_long_text_is_found(files):
    source, target = files
    title = "UPDATE entries SET title = :title WHERE id = 1"
    with source.write() as session:
        session.execute(text(title), {"title": f"{'x' * 2000}a{'x' * 2000}"})
    copy_database(source, target, nothing)
    with target.write() as session:
        session.execute(text(title), {"title": f"{'x' * 2000}b{'x' * 2000}"})

    assert differences(source, target) == ["entries has other content in the copy"]


def test_what_postgresql_cannot_hold_is_no_difference(filled, new_address, now):
    site = filled()
    with (
        closing(open_database(site.url)) as source,
        closing(open_database(new_address("postgresql"))) as target,
    ):
        with source.write() as session:
            session.execute(
                text("UPDATE entries SET title = :title WHERE id = 1"), {"title": "a\0b"}
            )
        copy_database(source, target, nothing)

        assert differences(source, target) == []


def test_a_database_that_is_copied_can_be_read_and_not_written(pair, now):
    source, target, _ = pair
    copy_database(source, target, nothing)

    with pytest.raises(DBAPIError) as refused, source.write() as session:
        add_account(session, "new@acme.example", now=now)

    assert "read-only" in str(refused.value.orig)
    assert not isinstance(refused.value, IntegrityError)  # which nobody would try again
    assert rows_of(source, "accounts") == rows_of(target, "accounts")
    assert not is_read_only(target)


def test_it_can_be_written_again(pair, now):
    source, _, _ = pair
    refuse_writes(source)
    assert is_read_only(source)

    allow_writes(source)

    assert not is_read_only(source)
    with source.write() as session:
        session.add(Account(email="new@acme.example", created_at=now))


def test_a_constraint_that_is_broken_is_still_called_so(files, now):
    source, _ = files
    with pytest.raises(IntegrityError), source.write() as session:
        session.execute(text("INSERT INTO selections (key_id, source_id) VALUES (9999, 9999)"))
