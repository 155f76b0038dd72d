"""Prepared queries return what SQLAlchemy would return."""

from datetime import UTC, timedelta, timezone

import pytest
from sqlalchemy import bindparam, event, literal_column, select
from sqlalchemy.exc import DBAPIError

from openapi.vocabulary import Plan
from storage.engine.statements import PreparedQuery
from storage.models import Account
from storage.people.accounts import add_account

ACCOUNTS = select(Account.email, Account.plan, Account.diffs_addon, Account.created_at)
SINCE = PreparedQuery(
    ACCOUNTS.where(Account.created_at >= bindparam("since")).order_by(Account.email)
)


@pytest.fixture
def people(database, now):
    """Two accounts, one of them older."""
    with database.write() as session:
        add_account(session, "ada@acme.example", now=now, plan=Plan.ALL, diffs_addon=True)
        add_account(session, "bob@acme.example", now=now - timedelta(days=1))


def test_values_are_written_and_read_in_the_types_of_their_columns(database, people, now):
    elsewhere = now.astimezone(timezone(timedelta(hours=5)))

    with database.read() as session:
        rows = SINCE.rows(session, {"since": elsewhere})

    assert rows == [("ada@acme.example", Plan.ALL, True, now)]
    assert rows[0][3].tzinfo is UTC


def test_the_value_of_no_row_is_none(database, people, now):
    with database.read() as session:
        assert SINCE.value(session, {"since": now + timedelta(days=1)}) is None
        assert SINCE.values(session, {"since": now}) == ["ada@acme.example"]


def test_an_error_of_the_driver_is_raised_as_sqlalchemy_raises_it(database):
    wrong = PreparedQuery(select(literal_column("nothing_of_this_name")))

    with database.read() as session, pytest.raises(DBAPIError):
        wrong.rows(session, {})


def test_listeners_for_statements_are_called(database, people, now):
    heard = []

    def hear(connection, cursor, statement, parameters, context, executemany):
        heard.append(statement)

    event.listen(database.engine, "before_cursor_execute", hear)
    with database.read() as session:
        SINCE.rows(session, {"since": now})

    assert any("accounts" in statement for statement in heard)


def test_all_that_one_view_reads_is_one_state(database, people, now):
    with database.one_view():
        with database.read() as session:
            before = SINCE.values(session, {"since": now})
        with database.write() as session:
            add_account(session, "eve@acme.example", now=now)
        with database.read() as session:
            after = SINCE.values(session, {"since": now})

    assert before == after == ["ada@acme.example"]
