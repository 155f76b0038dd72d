"""What is said about PostgreSQL itself: its settings, its faults in words, its races."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from storage.engine.database import DatabaseUnavailable, open_database, upgrade
from storage.engine.postgresql import Connections
from storage.people.accounts import add_account, find_account, list_accounts

pytestmark = pytest.mark.only_on("postgresql")


@pytest.fixture(scope="module")
def own_server(new_server):
    """A server that these tests may stop and start as they like."""
    server = new_server()
    server.start()
    return server


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("statement_timeout", "30s"),
        ("lock_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("TimeZone", "UTC"),
        ("application_name", "changewire"),
        ("client_encoding", "UTF8"),
    ],
)
def test_every_connection_has_its_bounds(database, setting, expected):
    with database.read() as session:
        assert session.scalar(text(f"SHOW {setting}")) == expected


def test_a_page_and_its_total_are_of_one_moment(database, now):
    with database.read() as reading:
        before = len(list_accounts(reading))
        with database.write() as session:
            add_account(session, "ada@acme.example", now=now)
        after = len(list_accounts(reading))

    assert (before, after) == (0, 0)


def test_a_block_that_reads_cannot_write(database, now):
    with pytest.raises(DBAPIError, match="read-only"), database.read() as session:
        add_account(session, "ada@acme.example", now=now)


def test_texts_are_ordered_by_code_point_whatever_the_language(database, now):
    addresses = ["Zoe@acme.example", "_x@acme.example", "a-b@acme.example", "ab@acme.example"]
    addresses += ["a.c@acme.example", "é@acme.example"]
    with database.write() as session:
        for address in addresses:
            add_account(session, address, now=now)

    with database.read() as session:
        found = [account.email for account in list_accounts(session)]

    assert found == sorted(address.casefold() for address in addresses)


def test_the_character_that_postgresql_cannot_hold_is_replaced(database, now):
    with database.write() as session:
        add_account(session, "a\0b@acme.example", now=now)

    with database.read() as session:
        found = find_account(session, "a\0b@acme.example")
        assert found is not None
        assert found.email == "a\ufffdb@acme.example"


def test_an_upgrade_waits_longer_than_any_statement_may(new_database_url):
    address = new_database_url(empty=True)
    impatient = "&options=-c%20lock_timeout%3D100%20-c%20statement_timeout%3D100"
    code = "import sys; from storage.engine.database import *; upgrade(open_database(sys.argv[1]))"
    database = open_database(address)
    with database.engine.connect() as other:
        other.execute(text("SELECT pg_advisory_lock(:key)"), {"key": 0x6368_6772})
        waiting = subprocess.Popen([sys.executable, "-c", code, address + impatient])
        seen = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while other.execute(text(seen)).scalar_one() == 0:
            assert waiting.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=0.5)
        other.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": 0x6368_6772})
        assert waiting.wait(timeout=60) == 0
    database.close()


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_server_that_may_lose_writes_is_refused(own_server, setting):
    own_server.stop()
    own_server.start(**{setting: "off"})
    address = own_server.address("postgres")
    try:
        with pytest.raises(DatabaseUnavailable, match=rf"{setting} is off: a crash can lose"):
            open_database(address)
        open_database(address, may_lose_writes=True).close()
    finally:
        own_server.stop()
        own_server.start()


@pytest.mark.parametrize(
    ("database", "user", "words"),
    [
        ("latin", "postgres", r"its encoding is LATIN1; .*--encoding=UTF8"),
        ("none", "postgres", r"The database none does not exist; make it"),
        ("postgres", "nobody", r"refuses this user; check the user .*nobody"),
    ],
)
def test_a_database_that_cannot_be_used_is_explained(own_server, database, user, words):
    own_server.execute("DROP DATABASE IF EXISTS latin")
    own_server.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")

    with pytest.raises(DatabaseUnavailable, match=words):
        open_database(own_server.address(database, user=user))


def test_a_wrong_password_is_never_shown(own_server):
    own_server.execute("CREATE ROLE guarded LOGIN PASSWORD 'the right one'")
    rules = own_server.data / "pg_hba.conf"
    rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
    own_server.stop()
    own_server.start()

    with pytest.raises(DatabaseUnavailable, match="check user and password") as refused:
        open_database(own_server.address("postgres", user="guarded:hunter2"))
    assert "hunter2" not in str(refused.value)


def test_a_server_that_is_down_is_explained(own_server):
    address = own_server.address("postgres")
    own_server.stop()
    try:
        with pytest.raises(DatabaseUnavailable, match="The database postgres does not answer"):
            open_database(address)
    finally:
        own_server.start()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_server_that_comes_back_is_used_again(own_server, now, end):
    name = own_server.create()
    database = open_database(own_server.address(name))
    upgrade(database)
    with database.write() as session:
        add_account(session, f"{end}@acme.example", now=now)

    with database.read() as session:
        find_account(session, f"{end}@acme.example")
        getattr(own_server, end)()
        with pytest.raises(DBAPIError):
            session.scalar(text("SELECT 1"))
    with pytest.raises(DBAPIError), database.read() as session:
        session.scalar(text("SELECT 1"))
    own_server.start()

    with database.write() as session:
        found = find_account(session, f"{end}@acme.example")
        assert found is not None
        found.created_at = now + timedelta(days=1)
    database.close()


def test_threads_wait_for_each_other_where_there_are_fewer_connections(new_database_url):
    database = open_database(new_database_url(), connections=Connections(2, longest_wait=60))

    def hold(number):
        with database.read() as session:
            session.execute(text("SELECT pg_sleep(0.05)"))
            return number, database.engine.pool.checkedout()

    with ThreadPoolExecutor(8) as pool:
        held = list(pool.map(hold, range(16)))
    database.close()
    assert [number for number, _ in held] == list(range(16))
    assert max(count for _, count in held) == 2
