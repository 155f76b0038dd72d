"""Entry by entry a filter lets through what its queries find, on either database."""

from dataclasses import fields
from datetime import timedelta
from typing import NamedTuple

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openapi.vocabulary import Category, Kind
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database, open_database, upgrade
from storage.entries.change_log import read_filtered_log
from storage.entries.changes import BEGINNING, ChangeRecord, changes_after
from storage.entries.documents import EntryText
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import page_entries
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.entries.filter_matching import FilteredEntry, filtered_entries, lets_through
from storage.entries.search.search import search_entries

pytestmark = pytest.mark.slow

HOUR = timedelta(hours=1)
VENDORS = ("acme", "globex")
TAGS = ("cloud", "cloud-native", "c++", "données")
SOURCES = {
    f"{vendor}.s{number}": (
        vendor,
        list(Kind)[number % len(Kind)],
        tuple(tag for place, tag in enumerate(TAGS) if (number + place) % 3),
    )
    for number, vendor in enumerate(VENDORS * 4)
}
WORDS = (
    *("the", "fix", "fixed", "CVE-2026-1", "CVE-2026-12", "v1.2.3", "1.2", "C++", "Crème", "京都"),
    *("read_only", "spring.datasource.url", "foo/bar", '"quoted"', "webhooks"),
)
WHY = [(), *[(each,) for each in Category], (Category.BREAKING, Category.SECURITY)]
RELEASES = ("", "acme 2.0.0-rc.1", "acme 2.0.0")
ENTRIES, EDITED = 160, 60


def record(number, now, *, edited=False):
    """Return an entry, or what it says after its edit."""
    slug = list(SOURCES)[number % len(SOURCES)]
    vendor, _, tags = SOURCES[slug]
    first = number + 7 * edited
    words = [WORDS[(first * step + step) % len(WORDS)] for step in (1, 2, 3, 5, 7)]
    text = EntryText(
        external_id=f"{number:03}",
        source=slug,
        vendor=vendor,
        published_at=now - (number % 40 - 2) * HOUR,
        title=" ".join([RELEASES[(number + edited) % len(RELEASES)], *words[:2]]),
        url=None,
        summary=" ".join(words[2:]),
        raw={},
        tags=tags,
    )
    categories = WHY[(number * 3 + edited) % len(WHY)]
    why = orjson.dumps({"categories": categories}) if categories else None
    return EntryRecord(text, f"{number}{edited}".ljust(64, "0"), why, 1, listed=number % 11 != 0)


class Full(NamedTuple):
    """A database, the keys of its sources, and each change with what a filter looks at."""

    database: Database
    ids: list[int]
    changes: list[tuple[ChangeRecord, FilteredEntry]]

    def __repr__(self):
        """Show how much there is."""
        return f"{len(self.changes)} changes"


@pytest.fixture(scope="module")
def full(new_database_url, now, make_row):
    """A database with all those entries, some of which were edited."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    rows = [make_row(slug, kind=kind, tags=tags) for slug, (_, kind, tags) in SOURCES.items()]
    with database.write() as session:
        save_sources(session, rows)
        ids = ids_of(session, SOURCES)
        for place, slug in enumerate(SOURCES):
            of_source = range(place, ENTRIES, len(SOURCES))
            new = [record(number, now) for number in of_source]
            save_entries(session, ids[slug], new=new, edited=[], now=now)
            again = [record(number, now, edited=True) for number in of_source if number < EDITED]
            names = [written.text.external_id for written in again]
            stored = known_entries(session, ids[slug], ids=names, urls=[])
            edits = [Edit(*each) for each in zip(stored, again, strict=True)]
            save_entries(session, ids[slug], new=[], edited=edits, now=now)
    with database.read() as session:
        changes = changes_after(session, BEGINNING, limit=ENTRIES + EDITED).changes
        entries = filtered_entries(session, changes)
    assert len(changes) == ENTRIES + EDITED
    pairs = [(change, entries[change.number]) for change in changes]
    yield Full(database, sorted(ids.values()), pairs)
    database.close()


def filters(now):
    """Draw any filter."""
    moment = st.none() | st.integers(-4, 42).map(lambda age: now - age * HOUR)
    piece = st.tuples(
        st.sampled_from(["", "", "", "-", '"', '-"']),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join),
        st.sampled_from(["", "", "*", '"']),
    ).map("".join)
    return st.builds(
        EntryFilter,
        sources=st.none() | st.frozensets(st.sampled_from([*SOURCES, "acme.gone"]), max_size=6),
        vendor=st.none() | st.sampled_from([*VENDORS, "nobody"]),
        tag=st.none() | st.sampled_from([*TAGS, "cloud-nativ", "loud"]),
        kind=st.none() | st.sampled_from([*map(str, Kind), "no kind"]),
        categories=st.frozensets(st.sampled_from(list(Category))),
        since=moment,
        until=moment,
        prerelease=st.none() | st.booleans(),
        q=st.none() | st.lists(piece, min_size=1, max_size=3).map(" ".join) | st.text(max_size=9),
    )


def test_every_field_of_a_filter_is_drawn_and_tested():
    drawn = "sources vendor tag kind categories since until q prerelease"

    of_entries = {field.name for field in fields(EntryFilter)} - {"below"}  # where a page begins
    assert of_entries == set(drawn.split())


def listed(session, ids, filter_, now):
    """Return the documents that a query finds, whatever makes it."""
    if filter_.q is None:
        return page_entries(session, ids, filter_, limit=ENTRIES, offset=0).documents
    return search_entries(session, ids, filter_, limit=ENTRIES, offset=0, now=now)[1]


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_each_entry_is_let_through_that_a_query_finds_and_no_other(full, now, data):
    filter_ = data.draw(filters(now))
    newest = {change.entry_key: change.number for change, _ in full.changes}
    told = [
        change.document
        for change, entry in full.changes
        if newest[change.entry_key] == change.number and lets_through(filter_, entry)
    ]

    with full.database.read() as session:
        assert sorted(told) == sorted(listed(session, full.ids, filter_, now))


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_each_change_is_let_through_that_followers_of_the_filter_get(full, now, data):
    filter_ = data.draw(filters(now))
    told = [change.number for change, entry in full.changes if lets_through(filter_, entry)]

    with full.database.read() as session:
        most = len(full.changes)
        page = read_filtered_log(session, BEGINNING, filter_, limit=most, sources=None)
    assert told == [change.number for change in page.changes]
