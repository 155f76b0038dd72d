"""Pages far from the newest entry are those that a reader reaches page by page."""

from datetime import timedelta

import orjson
import pytest
from sqlalchemy import insert, select, update

from openapi.vocabulary import Category
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import page_entries, page_important, page_latest
from storage.entries.history import page_history
from storage.models import Entry, Source

AHEAD = 10
PER_SOURCE = 1_200
BREAKING = EntryFilter(categories=frozenset({Category.BREAKING}))
STABLE = EntryFilter(prerelease=False)


@pytest.fixture
def sources(database, catalog, now):
    """Two sources with many entries, two at a time, some ahead of now, all of them important."""
    ids = sorted(catalog.values())[:2]
    with database.write() as session:
        for source_id in ids:
            rows = [_entry(source_id, number, now) for number in range(PER_SOURCE)]
            session.execute(insert(Entry), rows)
        counts = {"entry_count": PER_SOURCE, "important_count": PER_SOURCE}
        session.execute(update(Source).where(Source.id.in_(ids)).values(counts))
    return ids


def _entry(source_id, number, now):
    document = orjson.dumps({"place": f"{source_id} {number}"})
    return {
        "source_id": source_id,
        "external_id": f"entry {number}",
        "published_at": now + timedelta(hours=AHEAD - number // 2),
        "title": f"Version {number}",
        "content_hash": "0" * 64,
        "first_seen_at": now,
        "changed_at": now,
        "important": True,
        "categories": 1,
        "importance": b"{}",
        "document": document,
        "public_document": document,
        "prerelease": False,
    }


def latest(session, sources, now, **place):
    return page_latest(session, now=now, **place)


def latest_with_future(session, sources, now, **place):
    return page_latest(session, now=now, future=True, **place)


def stable_latest(session, sources, now, **place):
    return page_latest(session, STABLE, now=now, **place)


def important(session, sources, now, **place):
    return page_important(session, now=now, **place)


def breaking(session, sources, now, **place):
    return page_important(session, BREAKING, now=now, **place)


def of_sources(session, sources, now, **place):
    return page_entries(session, sources, **place)


def of_sources_until_now(session, sources, now, **place):
    return page_entries(session, sources, EntryFilter(until=now), **place)


@pytest.mark.parametrize(
    "page_of",
    [
        latest,
        latest_with_future,
        stable_latest,
        important,
        breaking,
        of_sources,
        of_sources_until_now,
    ],
)
def test_a_deep_page_goes_on_where_the_one_before_it_ends(database, sources, now, page_of):
    with database.read() as session:
        pages = [page_of(session, sources, now, limit=70, offset=at) for at in range(0, 2_450, 70)]
        newest_first = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
        stored = session.scalars(select(Entry.document).order_by(*newest_first)).all()

    found = [place(each) for page in pages for each in page.documents]

    assert {page.total for page in pages} == {len(found)}
    assert found == [place(each) for each in stored[-len(found) :]]


def place(document):
    return orjson.loads(document)["place"]


def test_a_deep_page_of_one_source_goes_on_too(database, sources, now):
    def page(session, offset):
        everything = EntryFilter()
        return page_history(
            session, sources[0], everything, words=None, limit=70, offset=offset, now=now
        )

    with database.read() as session:
        pages = [page(session, offset) for offset in range(0, 1_260, 70)]

    found = [place(entry.public) for page in pages for entry in page.entries]

    assert found == [f"{sources[0]} {number}" for number in _newest_first(range(PER_SOURCE))]


def _newest_first(numbers):
    """Two have the same time: of those the greater id comes first."""
    return sorted(numbers, key=lambda number: (-(number // 2), f"entry {number}"), reverse=True)
