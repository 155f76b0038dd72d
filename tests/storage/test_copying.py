"""A copy has everything, in either direction, and is compared with what it was made from."""

import shutil
from contextlib import closing

import pytest
from specimen.site import fill_site
from sqlalchemy import text

from storage.copying import copy_database, differences
from storage.engine.database import DatabaseUnavailable, faults, open_database
from storage.people.accounts import add_account, find_account

pytestmark = pytest.mark.slow
KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="module")
def new_address(request, tmp_path_factory):
    """Make an empty database of a kind; gives its address."""

    def new_address(kind):
        if kind == "postgresql":
            server = request.getfixturevalue("server")
            return server.address(server.create(request.getfixturevalue("empty_database_name")))
        file = tmp_path_factory.mktemp("copying") / "changewire.db"
        shutil.copy(request.getfixturevalue("empty_database_file"), file)
        return f"sqlite:///{file}"

    return new_address


@pytest.fixture(scope="module", params=KINDS)
def site(request, new_address, now):
    """A site of one kind, which nobody changes."""
    return fill_site(new_address(request.param), now=now)


@pytest.fixture(scope="module", params=KINDS, ids="to {}".format)
def copied(request, site, new_address):
    """That site's database and its copy of either kind, which nobody changes."""
    with (
        closing(open_database(site.url)) as source,
        closing(open_database(new_address(request.param))) as target,
    ):
        assert dict(copy_database(source, target))["entries"] > 0
        yield source, target


@pytest.fixture
def pair(new_address, now):
    """A small database on SQLite and an empty one on PostgreSQL."""
    with (
        closing(open_database(new_address("sqlite"))) as source,
        closing(open_database(new_address("postgresql"))) as target,
    ):
        with source.write() as session:
            add_account(session, "ada@acme.example", now=now)
        yield source, target


def rename(database, email):
    with database.write() as session:
        session.execute(text("UPDATE accounts SET email = :email"), {"email": email})


def test_a_copy_is_equal_and_sound(copied):
    source, target = copied

    assert differences(source, target) == []
    assert faults(target) == []


def test_the_copy_is_searched_at_once(copied):
    counts = []
    for database in copied:
        with database.read() as session:
            counts.append(session.scalar(text("SELECT COUNT(*) FROM entry_words")))

    assert counts[0] == counts[1] > 0


def test_new_rows_of_the_copy_get_higher_numbers(copied, now):
    _, target = copied
    with target.write() as session:
        accounts = session.scalar(text("SELECT MAX(id) FROM accounts"))
        changes = session.scalar(text("SELECT MAX(number) FROM entry_changes"))
        assert add_account(session, "new@acme.example", now=now).id == accounts + 1
        session.execute(text("UPDATE entries SET revision = revision + 1 WHERE id = 1"))
        assert session.scalar(text("SELECT MAX(number) FROM entry_changes")) > changes
        session.rollback()


def test_a_number_that_was_given_out_once_is_never_given_out_again(pair):
    source, target = pair
    highest = "INSERT INTO sqlite_sequence (name, seq) VALUES ('entry_changes', 9000)"
    with source.write() as session:
        session.execute(text(highest))
    list(copy_database(source, target))

    with target.write() as session:
        number = session.scalar(text("SELECT nextval('entry_changes_number_seq')"))
    assert number == 9001


def test_a_row_that_differs_and_one_that_is_missing_are_found(pair, now):
    source, target = pair
    list(copy_database(source, target))

    rename(target, "eve@acme.example")
    assert differences(source, target) == ["accounts has other content"]

    with target.write() as session:
        add_account(session, "bob@acme.example", now=now)
    assert differences(source, target) == ["accounts has 2 rows, not 1"]


def test_an_interrupted_copy_leaves_the_target_empty(pair):
    source, target = pair
    copying = copy_database(source, target)
    assert any(name == "accounts" for name, _ in copying)
    copying.close()

    with target.read() as session:
        assert find_account(session, "ada@acme.example") is None
    list(copy_database(source, target))
    assert differences(source, target) == []


def test_a_database_with_rows_is_left_alone(pair):
    source, target = pair

    with pytest.raises(DatabaseUnavailable, match="name an empty database"):
        list(copy_database(target, source))
    with pytest.raises(DatabaseUnavailable, match="same database"):
        list(copy_database(source, source))
