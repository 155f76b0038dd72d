"""Sources to search among."""

import pytest

from openapi.vocabulary import Kind, Tier
from storage.catalog.search.index import IndexedSource, SearchIndex


@pytest.fixture
def source():
    """Make an indexed source: ``source("acme.mail", "Acme Mail", tier=Tier.BLOG)``."""
    count = iter(range(1, 1000))

    def source(slug, name, *, tier=Tier.PRODUCT, tags=(), aliases=(), kind=Kind.CHANGELOG):
        vendor = slug.partition(".")[0]
        return IndexedSource(next(count), slug, vendor, name, kind, "rss", tier, tags, aliases)

    return source


@pytest.fixture
def find():
    """Return the slugs that a search finds among sources, in order."""

    def find(sources, text):
        return [found.slug for found in SearchIndex(sources).find(text)]

    return find
