"""Prepared queries return what SQLAlchemy would return."""

from datetime import UTC, timedelta, timezone

import pytest
from sqlalchemy import bindparam, select

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


def test_all_that_one_view_reads_is_one_state(database, people, now):
    with database.one_view():
        with database.read() as session:
            before = SINCE.values(session, {"since": now})
        with database.write() as session:
            add_account(session, "eve@acme.example", now=now)
        with database.read() as session:
            after = SINCE.values(session, {"since": now})

    assert before == after == ["ada@acme.example"]
