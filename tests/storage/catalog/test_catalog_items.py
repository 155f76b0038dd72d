"""The states of the catalog's items are those of the items on the same page."""

import pytest
from sqlalchemy import update

from openapi.vocabulary import AdapterType
from storage.catalog.catalog_items import page_states, states_of
from storage.catalog.sources import SourceFilter, page_sources, save_sources
from storage.entries.states import catalog_totals
from storage.models import FetchFacts


@pytest.fixture
def lists(database, row, now):
    """Total and ids of a page, as states and as items: ``lists(filter, limit, offset)``."""
    with database.write() as session:
        save_sources(session, [row(f"acme.s{number}") for number in range(4)])
        save_sources(session, [row("globex.mail")])

    def lists(wanted, limit, offset):
        with database.read() as session:
            everything = catalog_totals(session).sources
            states = page_states(session, wanted, everything=everything, limit=limit, offset=offset)
            page = page_sources(session, wanted, limit=limit, offset=offset, now=now)
        return (
            (states.total, [each for each, _, _ in states.states]),
            (page.total, [each.source.id for each in page.items]),
        )

    return lists


@pytest.mark.parametrize(
    "wanted",
    [
        SourceFilter(),
        SourceFilter(vendor="acme"),
        SourceFilter(q="GLOBEX"),
        SourceFilter(q="%"),
        SourceFilter(adapter_type=AdapterType.HTML, kind="changelog"),
        SourceFilter(kind="podcast"),
        SourceFilter(slugs=frozenset({"acme.s1", "globex.mail", "acme.nonsense"})),
        SourceFilter(vendor="acme", slugs=frozenset({"acme.s1", "globex.mail"})),
        SourceFilter(slugs=frozenset()),
    ],
    ids=lambda asked: f"{asked.vendor} {asked.q} {asked.kind} {sorted(asked.slugs or ())}",
)
@pytest.mark.parametrize(("limit", "offset"), [(2, 0), (2, 1), (50, 0), (50, 9)])
def test_a_page_of_states_is_the_page_of_items(lists, wanted, limit, offset):
    states, items = lists(wanted, limit, offset)

    assert states == items


def test_states_come_in_the_order_they_are_asked_for(database, catalog):
    asked = sorted(catalog.values(), reverse=True)

    with database.read() as session:
        assert [each.id for each in states_of(session, [*asked, 10**9])] == asked
        assert states_of(session, []) == []


def test_the_facts_of_a_source_move_its_state_alone(database, catalog):
    def states():
        with database.read() as session:
            page = page_states(session, SourceFilter(), everything=5, limit=50, offset=0)
        return {each[0]: each for each in page.states}

    before, one = states(), catalog["acme.s1"]
    with database.write() as session:
        facts = update(FetchFacts).where(FetchFacts.source_id == one)
        session.execute(facts.values(fail_score=2.5))
    after = states()

    assert {each for each in after if after[each] != before[each]} == {one}
