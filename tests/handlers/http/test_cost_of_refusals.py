"""No refusal costs more than its success: statements are counted, processor time is compared."""

import time
from datetime import timedelta

import pytest
from sqlalchemy import event

from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import near_slugs, save_sources

PAGE = 50
ROUNDS, TIMES = 5, 8
MOST = 1.5
MARGIN = 1.3
"""Processor time of the same requests differs by that much on a machine with other work."""
ENTRIES = "/api/v1/entries?sources=acme.mail"
PARTS = ("acme", "globex", "mail", "compute", "storage", "queue", "search", "data")
REFUSALS = {
    "an unknown slug": ("GET", "/api/v1/entries?sources=acme.mial", 403),
    "a source that is not selected": ("GET", "/api/v1/entries?sources=hooli.mail", 403),
    "more sources than slots": (
        "GET",
        "/api/v1/entries?sources=acme.mail,hooli.mail,wonka.mail,globex.mail",
        403,
    ),
    "a wrong parameter": ("GET", f"{ENTRIES}&limit=0", 400),
    "an unknown parameter": ("GET", f"{ENTRIES}&nothing=1", 400),
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
    publish("acme.mail", **{f"e{n}": timedelta(hours=1) for n in range(PAGE)})
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


def cost(ask, name):
    began = time.process_time()
    for _ in range(TIMES):
        ask(name)
    return time.process_time() - began


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_costs_at_most_half_as_much_again_as_its_success(ask, statements, name):
    counts = {}
    for each in (None, name):
        ask(each)
        statements.clear()
        ask(each)
        counts[each] = len(statements)

    pairs = [(cost(ask, None), cost(ask, name)) for _ in range(ROUNDS)]
    success, refusal = (min(times) for times in zip(*pairs, strict=True))

    assert counts[name] <= counts[None]
    assert refusal <= success * MOST * MARGIN


def test_proposing_slugs_for_a_wrong_one_takes_two_milliseconds_at_most(database, row):
    vendors = [f"{a}{b}" for a in PARTS for b in PARTS]
    with database.write() as session:
        save_sources(session, [row(f"{v}.{p}-{q}") for v in vendors for p in PARTS for q in PARTS])
    times = []
    with database.read() as session:
        near_slugs(session, "acmee.compute-mail")
        for number in range(20):
            began = time.process_time()
            near_slugs(session, f"acmee.comptue-mail{number}")
            times.append(time.process_time() - began)

    assert min(times) <= 0.002
