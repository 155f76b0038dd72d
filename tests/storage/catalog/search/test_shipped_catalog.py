"""Searches as people type them, over the shipped catalog: what they want is there, and first."""

import csv
from pathlib import Path

import pytest

from ingest.catalog import read_catalog, shipped_catalog
from openapi.vocabulary import Tier
from storage.catalog.search.index import IndexedSource, SearchIndex

QUERIES = list(
    csv.DictReader(Path(__file__).with_name("queries.csv").read_text(encoding="utf-8").splitlines())
)


@pytest.fixture(scope="module")
def index():
    rows, _ = read_catalog(shipped_catalog())
    return SearchIndex(
        IndexedSource(
            n, r.slug, r.vendor, r.name, r.kind, r.adapter_type, r.tier, r.tags, r.aliases
        )
        for n, r in enumerate(rows)
    )


def place(index, text, wanted):
    """Return where the first of the wanted sources is, 1 being the first place."""
    found = [source.slug for source in index.find(text)]
    return min(found.index(slug) + 1 for slug in wanted if slug in found)


def test_what_people_want_is_first_or_nearly_so(index):
    places = [place(index, query["query"], query["wanted"].split(";")) for query in QUERIES]

    assert len(places) == 60
    assert sum(place == 1 for place in places) >= 0.8 * 60
    assert sum(place <= 5 for place in places) >= 0.95 * 60


def test_every_product_is_first_for_its_own_name(index):
    products = [source for source in index.sources if source.tier is Tier.PRODUCT]

    assert [
        product.slug for product in products if index.find(product.name)[0].name != product.name
    ] == []
