"""The catalog as it is stored is searched."""

from dataclasses import replace

import pytest

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.catalog_items import page_items
from storage.catalog.removal import remove_sources
from storage.catalog.search.catalog_search import search_index
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of, near_slugs, save_sources


@pytest.fixture
def load(database):
    """Load rows of a catalog."""

    def load(*rows):
        with database.write() as session:
            save_sources(session, rows)

    return load


@pytest.fixture
def search(database, now):
    """Return the total and the slugs of a page: ``search(q="mail", limit=2)``."""

    def search(q=None, *, limit=50, offset=0, products_first=False, **narrowed):
        with database.read() as session:
            total, items = page_items(
                session,
                SourceFilter(q=q, **narrowed),
                now=now,
                limit=limit,
                offset=offset,
                products_first=products_first,
            )
        return total, [item.slug for item in items]

    return search


def test_a_search_has_pages(load, search, row):
    load(*(row(f"acme.s{n}", name=f"Mail {n}") for n in range(5)))

    assert search("mail", limit=2) == (5, ["acme.s0", "acme.s1"])
    assert search("mail", limit=2, offset=4) == (5, ["acme.s4"])
    assert search("mail", limit=2, offset=9) == (5, [])


def test_a_search_is_narrowed_by_the_other_filters(load, search, row):
    load(
        row("acme.mail"),
        row("acme.post", adapter_type=AdapterType.ATOM),
        row("globex.mail", kind=Kind.UPDATES),
        row("globex.blog", tier=Tier.BLOG),
    )

    assert search("mail", vendor="acme")[1] == ["acme.mail", "acme.post"]
    assert search("mail", adapter_type=AdapterType.ATOM)[1] == ["acme.post"]
    assert search("mail", kind="updates")[1] == ["globex.mail"]
    assert search("mail", tier=Tier.BLOG)[1] == ["globex.blog"]
    assert search("mail", slugs=frozenset({"globex.mail"}))[1] == ["globex.mail"]


def test_browsing_begins_with_products(load, search, row):
    load(
        row("acme.a", tier=Tier.BLOG),
        row("acme.b", tier=Tier.COMPONENT),
        row("acme.c", tier=Tier.PRODUCT),
        row("acme.d", tier=Tier.PRODUCT),
    )

    assert search(products_first=True)[1] == ["acme.c", "acme.d", "acme.b", "acme.a"]
    assert search()[1] == ["acme.a", "acme.b", "acme.c", "acme.d"]


def test_a_search_sees_what_has_changed(database, load, search, row):
    load(row("acme.mail"))
    assert search("mail")[1] == ["acme.mail"]

    load(replace(row("acme.mail"), name="Acme Post", aliases=("Pigeon",)), row("acme.mail2"))
    assert search("pigeon")[1] == ["acme.mail"]
    assert search("post")[1] == ["acme.mail"]

    with database.write() as session:
        remove_sources(session, ids_of(session, ["acme.mail"]).values(), now=None)
    assert search("pigeon")[1] == []


def test_the_index_is_kept_while_the_catalog_stays_as_it_is(database, load, row):
    load(row("acme.mail"))

    with database.read() as session:
        index = search_index(session)
        assert search_index(session) is index


def test_a_wrong_slug_costs_no_query_of_the_catalog(database, load, row):
    load(row("acme.storage"), row("globex.storage"))
    with database.read() as session:
        near_slugs(session, "acme.storgae")

        assert near_slugs(session, "acme.stroage") == ["acme.storage"]
