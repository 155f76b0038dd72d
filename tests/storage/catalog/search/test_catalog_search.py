"""The catalog as it is stored is searched."""

from dataclasses import replace

import pytest

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.catalog_items import page_items
from storage.catalog.removal import remove_sources
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of, save_sources


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
