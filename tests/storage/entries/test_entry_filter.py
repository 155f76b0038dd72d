"""A filter means the same in a list, to a follower, and of one entry that is at hand."""

from dataclasses import dataclass, fields, replace
from datetime import timedelta

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openapi.queries import ListChanges
from openapi.vocabulary import Category, Kind
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database, upgrade
from storage.entries.change_log import read_filtered_log
from storage.entries.changes import BEGINNING, changes_after
from storage.entries.entry_filter import FILTERS, EntryFilter
from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import LISTED, PUBLIC, PUBLIC_IMPORTANT, EntryList
from storage.entries.entry_writes import save_entries
from storage.entries.filter_matching import filtered_entries, lets_through
from storage.entries.search.matching import Scope

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
WORDS = ("fix", "fixed", "webhook", "Crème")
CATEGORIES = [(), *[(each,) for each in Category], (Category.BREAKING, Category.SECURITY)]
ANY_TEST = settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)


@dataclass(frozen=True)
class Stored:
    """An entry as it was stored; ``age`` in hours, ``word`` its text."""

    id: str
    slug: str
    age: int
    categories: tuple[Category, ...]
    listed: bool
    prerelease: bool | None
    word: str


ENTRIES = [
    Stored(
        f"{number:03}",
        list(SOURCES)[number * 7 % len(SOURCES)],
        number % 40 - 2,
        CATEGORIES[number * 3 % len(CATEGORIES)],
        number % 11 != 0,
        (None, False, True)[number % 3],
        WORDS[number % len(WORDS)],
    )
    for number in range(200)
]


def means(filter_, stored, now):
    """Return by itself whether a filter lets an entry through."""
    vendor, kind, tags = SOURCES[stored.slug]
    published_at = now - stored.age * HOUR
    return (
        (filter_.sources is None or stored.slug in filter_.sources)
        and filter_.vendor in (None, vendor)
        and filter_.kind in (None, kind.value)
        and (filter_.tag is None or filter_.tag in tags)
        and (filter_.category is None or bool(filter_.category & set(stored.categories)))
        and (filter_.prerelease is None or filter_.prerelease == (stored.prerelease is True))
        and (filter_.since is None or published_at > filter_.since)
        and (filter_.until is None or published_at <= filter_.until)
        and (filter_.q is None or (filter_.q == stored.word) != filter_.q.startswith("-"))
    )


@pytest.fixture(scope="module")
def full(new_database_url, now, make_row, learned):
    """A database with all those entries, and the ids of its sources."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    rows = [make_row(slug, kind=kind, tags=tags) for slug, (_, kind, tags) in SOURCES.items()]
    with database.write() as session:
        save_sources(session, rows)
        ids = ids_of(session, SOURCES)
        for slug, source_id in ids.items():
            new = [record(stored, learned) for stored in ENTRIES if stored.slug == slug]
            save_entries(session, source_id, new=new, edited=[], now=now)
    yield database, ids
    database.close()


def record(stored, learned):
    vendor, _, tags = SOURCES[stored.slug]
    raw = {} if stored.prerelease is None else {"tag_name": VERSIONS[stored.prerelease]}
    why = orjson.dumps({"categories": stored.categories}) if stored.categories else None
    texts = {"source": stored.slug, "vendor": vendor, "summary": stored.word, "tags": tags}
    entry = learned(stored.id, stored.id, stored.age, importance=why, raw=raw, **texts)
    return replace(entry, listed=stored.listed)


def values(now):
    """Return what each parameter of a filter is drawn from."""
    moment = st.integers(-4, 42).map(lambda age: now - age * HOUR)
    return {
        "sources": st.frozensets(st.sampled_from([*SOURCES, "acme.gone"]), max_size=6),
        "vendor": st.sampled_from([*VENDORS, "nobody"]),
        "tag": st.sampled_from([*TAGS, "cloud-nativ", "loud"]),
        "kind": st.sampled_from([*map(str, Kind), "no kind"]),
        "category": st.frozensets(st.sampled_from(list(Category)), min_size=1),
        "since": moment,
        "until": moment,
        "prerelease": st.booleans(),
        "q": st.sampled_from(["fix", "fixed", "webhook", "-nothing"]),
    }


def filters(now):
    """Draw any filter."""
    drawn = {name: st.none() | each for name, each in values(now).items()}
    return st.builds(EntryFilter, **drawn)


def test_a_filter_has_the_parameters_of_the_contract_and_each_is_tested(now):
    in_contract = {field.name for field in fields(ListChanges)} - {
        *("after", "following", "limit", "wait")
    }

    assert in_contract == set(FILTERS) == set(values(now))
    assert in_contract | {"cve"} == {field.name for field in fields(EntryFilter) if field.init}


def ids_in(documents):
    return [orjson.loads(document)["id"] for document in documents]


def pages(read, size=17):
    """Return the ids of all pages, and check that each has the same total."""
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


@ANY_TEST
@given(data=st.data(), future=st.booleans())
def test_public_lists_have_the_listed_entries_that_a_filter_means(full, now, data, future):
    database, _ = full
    filter_ = data.draw(filters(now))
    public = [e for e in ENTRIES if e.listed and means(filter_, e, now)]
    listed = frozenset({LISTED}) if future else PUBLIC

    with database.read() as session:
        latest = pages(lambda **p: page_documents(session, EntryList(now, listed, filter_), **p))
        important = pages(
            lambda **p: page_documents(session, EntryList(now, PUBLIC_IMPORTANT, filter_), **p)
        )

    assert latest == in_order(e for e in public if future or e.age >= 0)
    assert important == in_order(e for e in public if e.categories and e.age >= 0)


@ANY_TEST
@given(data=st.data(), merged=st.sampled_from([2, 100]))
def test_the_entries_of_some_sources_are_those_that_a_filter_means(full, now, data, merged):
    database, ids = full
    filter_ = data.draw(filters(now))
    chosen = data.draw(st.lists(st.sampled_from(list(SOURCES)), unique=True))
    expected = [e for e in ENTRIES if e.slug in chosen and means(filter_, e, now)]

    with pytest.MonkeyPatch.context() as patch, database.read() as session:
        patch.setattr("storage.entries.entry_query.MOST_MERGED", merged)
        keys = [ids[slug] for slug in chosen]
        whole = EntryList(now, filter=filter_, source_ids=keys, scope=Scope.WHOLE)
        found = pages(lambda **page: page_documents(session, whole, **page))

    assert found == in_order(expected)


@ANY_TEST
@given(data=st.data(), limit=st.integers(1, 30), window=st.integers(1, 90))
def test_following_a_filter_gives_every_entry_of_it_once(full, now, data, limit, window):
    database, _ = full
    filter_ = data.draw(filters(now))
    place, found, more = BEGINNING, [], True
    with pytest.MonkeyPatch.context() as patch, database.read() as session:
        patch.setattr("storage.entries.changes.MOST_READ", window)
        patch.setattr("storage.entries.changes.MOST_SEARCHED", max(limit, window))
        while more:
            page = read_filtered_log(session, place, filter_, limit=limit, sources=None)
            found += ids_in(change.document for change in page.changes)
            before, more = place, page.more
            place = page.changes[-1].number if page.next is None else page.next
            assert place > before or not more

    assert sorted(found) == sorted(e.id for e in ENTRIES if means(filter_, e, now))


@pytest.fixture(scope="module")
def at_hand(full):
    """What a filter looks at of each entry, with the entry's id."""
    database, _ = full
    with database.read() as session:
        changes = changes_after(session, BEGINNING, limit=len(ENTRIES)).changes
        entries = filtered_entries(session, changes)
    ids = ids_in(change.document for change in changes)
    return dict(zip(ids, (entries[change.number] for change in changes), strict=True))


@ANY_TEST
@given(data=st.data())
def test_an_entry_that_is_at_hand_is_let_through_if_the_filter_means_it(at_hand, now, data):
    filter_ = data.draw(filters(now))

    assert {id_ for id_, entry in at_hand.items() if lets_through(filter_, entry)} == {
        e.id for e in ENTRIES if means(filter_, e, now)
    }
