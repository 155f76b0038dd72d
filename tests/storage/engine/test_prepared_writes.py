"""Prepared writes write what SQLAlchemy would write."""

from datetime import timedelta, timezone

import pytest
from sqlalchemy import bindparam, event, insert, null, select, update
from sqlalchemy.exc import IntegrityError

from openapi.vocabulary import Plan
from storage.engine.statements import PreparedWrite
from storage.models import Account

TABLE = Account.__table__
COLUMNS = ["email", "plan", "diffs_addon", "created_at"]
ADD = PreparedWrite(lambda _: insert(TABLE), COLUMNS)
ADD_ONE = PreparedWrite(lambda _: insert(TABLE).returning(TABLE.c.id), COLUMNS)
PROMOTE = PreparedWrite(
    lambda _: (
        update(TABLE)
        .where(TABLE.c.email == bindparam("who"))
        .values(plan=bindparam("to", type_=TABLE.c.plan.type))
    )
)
FORGET = PreparedWrite(lambda _: update(TABLE).where(TABLE.c.email == "a").values(plan=null()))


def row(email, at, **more):
    fixed = {"plan": Plan.FREE, "diffs_addon": False, "operator": False, "created_at": at}
    return {"email": email, **fixed, **more}


@pytest.fixture
def people(database):
    """Read the accounts back, by mail address."""

    def people():
        with database.read() as session:
            query = select(*(getattr(Account, name) for name in COLUMNS)).order_by(Account.email)
            return [tuple(row) for row in session.execute(query)]

    return people


def test_values_are_written_in_the_types_of_their_columns(database, people, now):
    elsewhere = now.astimezone(timezone(timedelta(hours=5)))

    with database.write() as session:
        ADD.run(session, [row("a", elsewhere, plan=Plan.ALL, diffs_addon=True), row("b", now)])

    assert people() == [("a", Plan.ALL, True, now), ("b", Plan.FREE, False, now)]


def test_a_write_returns_how_many_rows_it_wrote(database, people, now):
    with database.write() as session:
        ADD.run(session, [row("a", now), row("b", now)])
        counted = PROMOTE.run(
            session, [{"who": who, "to": Plan.STARTER} for who in ("a", "b", "nobody")]
        )

    assert counted == 2
    assert [plan for _, plan, *_ in people()] == [Plan.STARTER, Plan.STARTER]


def test_a_write_of_no_rows_writes_nothing(database, people):
    with database.write() as session:
        assert ADD.run(session, []) == 0

    assert people() == []


def test_what_a_statement_returns_comes_back(database, now):
    with database.write() as session:
        first = ADD_ONE.run_returning(session, row("a", now))
        second = ADD_ONE.run_returning(session, row("b", now))
        stored = session.execute(select(Account.id, Account.email)).all()

    assert sorted(map(tuple, stored)) == [(first, "a"), (second, "b")]


@pytest.mark.parametrize("rows", [1, 2])
def test_errors_of_the_driver_are_raised_as_sqlalchemy_raises_them(database, people, now, rows):
    with database.write() as session:
        ADD.run(session, [row("a", now)])

    with pytest.raises(IntegrityError), database.write() as session:
        ADD.run(session, [row("a", now) for _ in range(rows)])

    assert len(people()) == 1


def test_what_a_statement_itself_says_needs_no_value(database, now):
    with database.write() as session:
        ADD.run(session, [row("a", now)])

    with pytest.raises(IntegrityError), database.write() as session:
        FORGET.run(session, [{}])


def test_listeners_for_statements_are_called(database, now):
    many_rows = []
    event.listen(database.engine, "before_cursor_execute", lambda *args: many_rows.append(args[5]))

    with database.write() as session:
        ADD.run(session, [row("a", now)])
        ADD.run(session, [row("b", now), row("c", now)])

    assert many_rows[-2:] == [False, True]
