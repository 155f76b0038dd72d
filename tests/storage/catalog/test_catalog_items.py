"""Pages of the catalog, and the states by which their items are cached."""

import pytest

from openapi.vocabulary import AdapterType
from storage.catalog.catalog_items import items_of, page_items
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import save_sources

ALL = ["acme.s0", "acme.s1", "acme.s2", "acme.s3", "globex.mail"]


@pytest.fixture
def pages(database, row, now):
    """Total and slugs of a page: ``pages(filter, limit, offset)``."""
    with database.write() as session:
        save_sources(session, [row(slug) for slug in ALL])

    def pages(filter_, limit, offset):
        with database.read() as session:
            total, items = page_items(session, filter_, limit=limit, offset=offset, now=now)
        return total, [item.slug for item in items]

    return pages


@pytest.mark.parametrize(
    ("filter_", "slugs"),
    [
        (SourceFilter(), ALL),
        (SourceFilter(vendor="acme"), ALL[:4]),
        (SourceFilter(q="GLOBEX"), ALL[4:]),
        (SourceFilter(q="%"), []),
        (SourceFilter(adapter_type=AdapterType.HTML, kind="changelog"), []),
        (SourceFilter(kind="podcast"), []),
        (
            SourceFilter(slugs=frozenset({"acme.s1", "globex.mail", "acme.nonsense"})),
            ["acme.s1", "globex.mail"],
        ),
        (SourceFilter(vendor="acme", slugs=frozenset({"acme.s1", "globex.mail"})), ["acme.s1"]),
        (SourceFilter(slugs=frozenset()), []),
    ],
    ids=lambda value: value if isinstance(value, list) else "",
)
@pytest.mark.parametrize(("limit", "offset"), [(2, 0), (2, 1), (50, 0), (50, 9), (None, 1)])
def test_a_page_has_the_sources_that_the_filter_lets_through(pages, filter_, slugs, limit, offset):
    end = None if limit is None else offset + limit

    assert pages(filter_, limit, offset) == (len(slugs), slugs[offset:end])


def test_items_come_in_the_order_of_their_ids_however_many(database, row, now):
    with database.write() as session:
        save_sources(session, [row(f"acme.s{number}") for number in range(205)])

    with database.read() as session:
        _, items = page_items(session, SourceFilter(), now=now)
        ids = [item.id for item in reversed(items)]
        found = items_of(session, [*ids, 10**9], now=now)

    assert (len(items), [item.id for item in found]) == (205, ids)
