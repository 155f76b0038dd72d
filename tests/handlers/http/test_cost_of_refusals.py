"""No refusal asks more of the database than its success."""

from datetime import timedelta

import pytest
from sqlalchemy import event

from openapi.vocabulary import Plan, Scope

ENTRIES = "/api/v1/entries?sources=acme.mail"
REFUSALS = {
    "an unknown slug": ("GET", "/api/v1/entries?sources=acme.mial", 403),
    "a source that is not selected": ("GET", "/api/v1/entries?sources=hooli.mail", 403),
    "more sources than slots": (
        "GET",
        "/api/v1/entries?sources=acme.mail,hooli.mail,wonka.mail,globex.mail",
        403,
    ),
    "a wrong parameter": ("GET", f"{ENTRIES}&limit=0", 400),
    "an unknown path": ("GET", "/api/v1/nowhere", 404),
    "another method": ("POST", "/api/v1/entries", 405),
    "no key": ("GET", ENTRIES, 401),
    "a wrong key": ("GET", ENTRIES, 401),
    "a key without the scope": ("GET", ENTRIES, 403),
    "no add-on": ("GET", "/api/v1/diffs?source=acme.mail", 402),
}


@pytest.fixture
def statements(database):
    """The statements that were sent to the database since it was emptied."""
    seen = []

    def note(connection, cursor, statement, parameters, context, executemany):
        seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield seen
    event.remove(database.engine, "before_cursor_execute", note)


@pytest.fixture
def ask(client, new_key, publish):
    """Ask as a refusal needs it: ``ask(name)``; ``ask(None)`` for the success."""
    publish("acme.mail", **{f"e{n}": timedelta(hours=1) for n in range(50)})
    good = new_key(Plan.FREE, sources=["acme.mail"])
    others = [scope for scope in Scope if scope != Scope.READ_ENTRIES]
    other = {
        "no key": {},
        "a wrong key": {"X-Api-Key": "cw_live_wrong"},
        "a key without the scope": new_key(Plan.FREE, sources=["acme.mail"], scopes=others),
    }

    def ask(name):
        method, target, status = REFUSALS.get(name, ("GET", ENTRIES, 200))
        response = client.request(method, target, headers=other.get(name, good))
        assert response.status_code == status

    return ask


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_sends_no_more_statements_than_its_success(ask, statements, name):
    counts = {}
    for each in (None, name):
        ask(each)
        statements.clear()
        ask(each)
        counts[each] = len(statements)

    assert counts[name] <= counts[None]
