"""The catalog we ship: large, clean, in order, with the vendors people look for."""

from pathlib import Path

import pytest

from ingest.catalog import as_csv, canonical_tags, read_catalog, shipped_catalog
from ingest.catalog.rows import BASES
from openapi.vocabulary import AddressStatus, Tier

VENDORS = Path(__file__).with_name("vendors.txt").read_text(encoding="utf-8").split()


@pytest.fixture(scope="module")
def shipped():
    rows, bad = read_catalog(shipped_catalog())
    assert bad == []
    return rows


def test_it_has_more_than_5000_sources(shipped):
    assert len(shipped) > 5000


def test_it_is_written_as_the_writer_writes_it(shipped):
    assert as_csv(shipped) == shipped_catalog()


def test_every_address_is_on_https(shipped):
    addresses = {row.homepage for row in shipped} | {row.changelog_url for row in shipped}
    addresses |= {row.feed_url for row in shipped}

    assert {it for it in addresses if it and not it.startswith("https://")} == set()


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_well_known_vendor_is_there(shipped, vendor):
    assert any(row.vendor == vendor for row in shipped)


def test_every_row_says_what_it_stands_for_and_that_nobody_has_read_it_yet(shipped):
    assert {row.tier for row in shipped} == set(Tier)
    assert {row.basis for row in shipped} == set(BASES)
    assert {row.status for row in shipped} == {AddressStatus.UNCONFIRMED}


def test_every_canonical_tag_says_what_it_covers():
    assert len(canonical_tags()) == 60
    assert all(canonical_tags().values())


def test_every_canonical_tag_is_used(shipped):
    assert set(canonical_tags()) == {tag for row in shipped for tag in row.tags}
