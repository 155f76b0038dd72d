"""The filter of entries: what the database finds is what each entry by itself would be told."""

from dataclasses import dataclass, replace
from datetime import timedelta

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openapi.vocabulary import Category, Kind
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database, upgrade
from storage.entries.change_log import read_filtered_log
from storage.entries.changes import BEGINNING
from storage.entries.documents import EntryText
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import page_entries, page_important, page_latest
from storage.entries.entry_writes import EntryRecord, save_entries

HOUR = timedelta(hours=1)
VERSIONS = {False: "v1.0.0", True: "v1.0.0-rc.1"}
VENDORS = ("acme", "globex", "hooli")
TAGS = ("cloud", "cloud-native", "c++", "données", "a b")
SOURCES = {
    f"{vendor}.s{number}": (
        vendor,
        list(Kind)[number % len(Kind)],
        tuple(tag for place, tag in enumerate(TAGS) if (number + place) % 3),
    )
    for number, vendor in enumerate(VENDORS * 5)
}
CATEGORIES = [(), *[(each,) for each in Category], (Category.BREAKING, Category.SECURITY)]


@dataclass(frozen=True)
class Stored:
    """An entry as it was stored; ``age`` in hours."""

    id: str
    slug: str
    age: int
    categories: tuple[Category, ...]
    listed: bool
    prerelease: bool | None


ENTRIES = [
    Stored(
        f"{number:03}",
        list(SOURCES)[number * 7 % len(SOURCES)],
        number % 40 - 2,
        CATEGORIES[number * 3 % len(CATEGORIES)],
        number % 11 != 0,
        (None, False, True)[number % 3],
    )
    for number in range(200)
]


def lets_through(filter_, stored, now):
    """Tell by itself whether a filter lets an entry through."""
    vendor, kind, tags = SOURCES[stored.slug]
    published_at = now - stored.age * HOUR
    return (
        (filter_.sources is None or stored.slug in filter_.sources)
        and filter_.vendor in (None, vendor)
        and filter_.kind in (None, kind.value)
        and (filter_.tag is None or filter_.tag in tags)
        and (not filter_.categories or bool(filter_.categories & set(stored.categories)))
        and (filter_.prerelease is None or filter_.prerelease == (stored.prerelease is True))
        and (filter_.since is None or published_at > filter_.since)
        and (filter_.until is None or published_at <= filter_.until)
    )


@pytest.fixture(scope="module")
def full(new_database_url, now, make_row):
    """A database with all those entries."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    rows = [make_row(slug, kind=kind, tags=tags) for slug, (_, kind, tags) in SOURCES.items()]
    with database.write() as session:
        save_sources(session, rows)
        ids = ids_of(session, SOURCES)
        for slug, source_id in ids.items():
            new = [record(stored, now) for stored in ENTRIES if stored.slug == slug]
            save_entries(session, source_id, new=new, edited=[], now=now)
    yield database, ids
    database.close()


def record(stored, now):
    vendor, _, tags = SOURCES[stored.slug]
    text = EntryText(
        external_id=stored.id,
        source=stored.slug,
        vendor=vendor,
        published_at=now - stored.age * HOUR,
        title=stored.id,
        url=None,
        summary=None,
        raw={} if stored.prerelease is None else {"tag_name": VERSIONS[stored.prerelease]},
        tags=tags,
    )
    why = orjson.dumps({"categories": stored.categories}) if stored.categories else None
    return EntryRecord(text, stored.id.ljust(64, "0"), why, 1, listed=stored.listed)


def filters(now):
    """Draw any filter."""
    moment = st.none() | st.integers(-4, 42).map(lambda age: now - age * HOUR)
    slugs = st.frozensets(st.sampled_from([*SOURCES, "acme.gone"]), max_size=6)
    return st.builds(
        EntryFilter,
        sources=st.none() | slugs,
        vendor=st.none() | st.sampled_from([*VENDORS, "nobody"]),
        tag=st.none() | st.sampled_from([*TAGS, "cloud-nativ", "loud"]),
        kind=st.none() | st.sampled_from([*map(str, Kind), "no kind"]),
        categories=st.frozensets(st.sampled_from(list(Category))),
        since=moment,
        until=moment,
        prerelease=st.none() | st.booleans(),
    )


def ids_in(documents):
    return [orjson.loads(document)["id"] for document in documents]


def pages(read, size=17):
    """Return the ids of all pages, and check that each tells the same total."""
    found, totals, offset = [], set(), 0
    while True:
        page = read(limit=size, offset=offset)
        totals.add(page.total)
        found += ids_in(page.documents)
        offset += size
        if offset >= page.total:
            break
    assert totals == {len(found)}
    return found


def in_order(entries):
    return [entry.id for entry in sorted(entries, key=lambda e: (-e.age, e.id), reverse=True)]


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(data=st.data(), future=st.booleans())
def test_public_lists_have_the_entries_that_each_by_itself_would_be_let_through(
    full, now, data, future
):
    database, _ = full
    filter_ = data.draw(filters(now))
    public = [e for e in ENTRIES if e.listed and lets_through(filter_, e, now)]

    with database.read() as session:
        latest = pages(lambda **p: page_latest(session, filter_, now=now, future=future, **p))
        important = pages(lambda **page: page_important(session, filter_, now=now, **page))

    assert latest == in_order(e for e in public if future or e.age >= 0)
    assert important == in_order(e for e in public if e.categories and e.age >= 0)


@pytest.mark.parametrize("future", [False, True])
def test_lists_without_prereleases_have_all_other_entries(full, now, future):
    database, _ = full
    stable = EntryFilter(prerelease=False)
    public = [e for e in ENTRIES if e.listed and not e.prerelease]

    with database.read() as session:
        latest = pages(lambda **p: page_latest(session, stable, now=now, future=future, **p))
        important = pages(lambda **page: page_important(session, stable, now=now, **page))

    assert latest == in_order(e for e in public if future or e.age >= 0)
    assert important == in_order(e for e in public if e.categories and e.age >= 0)


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_entries_of_some_sources_are_those_that_are_let_through(full, now, data):
    database, ids = full
    filter_ = data.draw(filters(now))
    chosen = data.draw(st.lists(st.sampled_from(list(SOURCES)), unique=True))
    expected = [e for e in ENTRIES if e.slug in chosen and lets_through(filter_, e, now)]

    with database.read() as session:
        keys = [ids[slug] for slug in chosen]
        found = pages(lambda **page: page_entries(session, keys, filter_, **page))

    assert found == in_order(expected)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data(), limit=st.integers(1, 30), window=st.integers(1, 90))
def test_following_a_filter_gives_every_entry_of_it_once(full, now, data, limit, window):
    database, _ = full
    filter_ = data.draw(filters(now))
    place, found, more = BEGINNING, [], True
    with pytest.MonkeyPatch.context() as patch, database.read() as session:
        patch.setattr("storage.entries.changes.MOST_READ", window)
        while more:
            page = read_filtered_log(session, place, filter_, limit=limit, sources=None)
            found += ids_in(change.document for change in page.changes)
            before, more = place, page.more
            place = page.changes[-1].number if page.next is None else page.next
            assert place > before or not more

    assert sorted(found) == sorted(e.id for e in ENTRIES if lets_through(filter_, e, now))


def test_many_sources_are_read_as_few_are(full, now, monkeypatch):
    database, _ = full
    filter_ = EntryFilter(tag="cloud", categories=frozenset({Category.SECURITY}))
    with database.read() as session:
        merged = page_latest(session, filter_, limit=50, offset=3, now=now)
        monkeypatch.setattr("storage.entries.filtered_list.MOST_MERGED", 2)
        walked = page_latest(session, filter_, limit=50, offset=3, now=now)
        of_sources = page_latest(
            session, replace(filter_, categories=frozenset()), limit=9, offset=0, now=now
        )

    assert merged == walked
    assert merged.documents
    assert of_sources.total > merged.total


def test_a_span_that_is_none_has_no_entries(full, now):
    database, _ = full
    with database.read() as session:
        page = page_latest(session, EntryFilter(since=now, until=now), limit=9, offset=0, now=now)

    assert (page.total, page.documents) == (0, [])
