"""Copies are whole, made while others write, and come back, on either database."""

import resource
import threading
from pathlib import Path

import pytest
from old_database import FIRST, load_dump
from sqlalchemy import make_url, text

from storage.engine.backup import _database, _environment, backup, restore
from storage.engine.database import (
    NEWEST_REVISION,
    DatabaseUnavailable,
    current_revision,
    faults,
    on_postgresql,
    open_database,
    upgrade,
)
from storage.people.accounts import add_account, find_account


@pytest.fixture(autouse=True)
def programs(request, database, monkeypatch):
    """The programs of the tests' own PostgreSQL, where it is used."""
    if on_postgresql(database.engine):
        server = request.getfixturevalue("server")
        monkeypatch.setenv("PATH", str(server.programs), prepend=":")


@pytest.fixture
def add(database, now):
    def add(email):
        with database.write() as session:
            add_account(session, email, now=now)

    return add


@pytest.fixture
def knows(database):
    def knows(email):
        with database.read() as session:
            return find_account(session, email) is not None

    return knows


@pytest.fixture
def copy(tmp_path) -> Path:
    return tmp_path / "copy"


def test_what_was_there_comes_back_and_what_came_later_is_gone(database, add, knows, copy):
    add("ada@acme.example")
    backup(database, copy)
    add("bob@acme.example")

    restore(database, copy, previous=None)

    assert (knows("ada@acme.example"), knows("bob@acme.example")) == (True, False)
    assert faults(database) == []


def test_a_copy_is_for_its_owner_alone(database, copy):
    backup(database, copy)

    assert copy.stat().st_mode & 0o077 == 0


def test_a_copy_for_which_there_is_no_room_leaves_no_file(database, copy):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(DatabaseUnavailable, match=r"copy|pg_dump failed"):
            backup(database, copy)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert not copy.exists()


def test_a_copy_never_overwrites(database, copy):
    copy.write_text("mine")

    with pytest.raises(DatabaseUnavailable, match="exists already"):
        backup(database, copy)

    assert copy.read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"nothing that a database wrote", b"\x00" * 5000])
def test_what_is_no_copy_changes_nothing(database, add, knows, copy, content):
    add("ada@acme.example")
    copy.write_bytes(content)

    with pytest.raises(DatabaseUnavailable) as refused:
        restore(database, copy, previous=None)

    assert copy.name in str(refused.value)
    assert "CHANGEWIRE_DATABASE_URL" not in str(refused.value)
    assert knows("ada@acme.example")


@pytest.mark.parametrize(
    ("revision", "why"), [("9999_from_9998", "a newer Changewire made"), ("0033", "is too old")]
)
def test_a_copy_of_a_version_that_is_not_known_is_refused(
    database, add, knows, copy, revision, why
):
    update = text("UPDATE alembic_version SET version_num = :revision")
    with database.write() as session:
        session.execute(update, {"revision": revision})
    backup(database, copy)
    with database.write() as session:
        session.execute(update, {"revision": NEWEST_REVISION})
    add("ada@acme.example")

    with pytest.raises(DatabaseUnavailable, match=why):
        restore(database, copy, previous=None)

    assert knows("ada@acme.example")


def test_half_a_copy_changes_nothing(database, add, knows, copy, now):
    with database.write() as session:
        for number in range(2000):
            add_account(session, f"{number}@acme.example", now=now)
    backup(database, copy)
    copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    add("ada@acme.example")

    with pytest.raises(DatabaseUnavailable):
        restore(database, copy, previous=None)

    assert knows("ada@acme.example")
    assert faults(database) == []


def test_postgresqls_programs_connect_as_the_address_says_and_show_no_password():
    address = make_url("postgresql+psycopg://cw:secret@db/cw?sslmode=verify-full&password=secret")

    assert _database(address) == "--dbname=postgresql://cw@db/cw?sslmode=verify-full"
    assert _environment(address)["PGPASSWORD"] == "secret"


def test_a_copy_from_before_an_upgrade_comes_back_and_can_be_upgraded(new_database_url, copy):
    old = open_database(new_database_url(empty=True))
    load_dump(old)
    backup(old, copy)
    upgrade(old)

    restore(old, copy, previous=None)

    assert current_revision(old) == FIRST
    assert upgrade(old)
    assert faults(old) == []
    old.close()


def test_copies_made_while_others_write_are_sound(database, now, tmp_path):
    stop = threading.Event()
    written = []

    def write():
        while not stop.is_set():
            email = f"n{len(written)}@acme.example"
            with database.write() as session:
                add_account(session, email, now=now)
            written.append(email)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        before = []
        for number in range(3):
            before.append(len(written))
            backup(database, tmp_path / f"copy{number}")
    finally:
        stop.set()
        writer.join()

    for number, least in enumerate(before):
        restore(database, tmp_path / f"copy{number}", previous=None)
        with database.read() as session:
            emails = session.execute(text("SELECT email FROM accounts ORDER BY id")).scalars().all()
        assert faults(database) == []
        assert emails == written[: len(emails)]
        assert len(emails) >= least
