"""Searches find what a plain scan finds, in the same order, on either database."""

import os
import random
from datetime import timedelta
from itertools import count, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, text, update

from openapi.vocabulary import SearchOrder
from storage.entries.documents import EntryRelease
from storage.entries.entry_query import AHEAD, EntryList
from storage.entries.entry_writes import Edit, newest_entries, save_entries
from storage.entries.reclassification import RejudgedEntry, save_importance
from storage.entries.search import search as searching
from storage.entries.search.index import (
    IMPORTANT,
    LAST_DAY,
    index_missing,
    missing_keys,
    words_of_days,
    words_of_documents,
)
from storage.entries.search.matching import Scope, matches, searched_text
from storage.entries.search.query import parse_query
from storage.entries.search.search import EntrySearch, find_entries
from storage.models import Entry, Source

SEARCHES = int(os.environ.get("CHANGEWIRE_SEARCHES", "1000"))
WORDS = """
    the a fix fixes fixed read read_only read-only only CVE-2026-1 CVE-2026-12 cve 2026 v1.2.3 1.2.3
    0.1.2.3 1.2 v17 17 C++ C# .NET asp.net Crème creme STRASSE straße 東京都 東京 京 都の天気 한국어
    spring.datasource.url datasource webhook webhooks "quoted" (bracketed) don't foo/bar --force x:y
    ' \\ & | ! :* * " NOT AND OR NEAR title: <-> % _ __init__ हिन्दी ﬁx é … — -
""".split()  # noqa: SIM905 - a hundred quotation marks would not help
QUERIES = st.lists(
    st.tuples(
        st.sampled_from(["", "", "", "-", '"', '-"']),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        st.sampled_from(["", "", "*", '"']),
    ).map("".join),
    max_size=4,
).map(" ".join)


class Stored(list):
    """Every entry in order, with its texts; a failing test does not show them all."""

    def __repr__(self):
        """Show how many there are."""
        return f"{len(self)} entries"


@pytest.fixture
def stored(store, make_entry, database):
    """Two hundred entries of ten years, half of them longer than what is public."""
    chance = random.Random(7)

    def words(most):
        return " ".join(chance.choice(WORDS) for _ in range(chance.randint(0, most)))

    entries = [
        make_entry(
            number,
            words(4),
            words(8) if number % 2 else f"{words(5)} {'long ' * 110}{words(9)}",
            hours=chance.choice([-9000, -1, 3, 30, 300, 3000, 30000, 90000]) + number // 9,
            listed=number % 7 > 0,
            importance=b"{}" if number % 3 == 0 else None,
        )
        for number in range(200)
    ]
    store(*entries)
    with database.read() as session:
        return scanned(session)


def scanned(session):
    """Return every entry in order, with its texts."""
    order = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
    rows = session.execute(
        select(
            Entry.id, Entry.document, Entry.public_document, Entry.listed, Entry.important
        ).order_by(*order)
    )
    return Stored(
        (row.id, searched_text(row.document, row.public_document), row.listed, row.important)
        for row in rows
    )


def found(database, query, now, scope=Scope.PUBLIC, **options):
    with database.read() as session:
        search = EntrySearch(parse_query(query), scope, **options)
        return find_entries(session, search, now=now).keys


def differences(database, stored, query, now):
    """Return what a search finds and a scan does not, or the other way round, in any scope."""
    differing, parsed = [], parse_query(query)
    for scope in Scope:
        expected = [key for key, texts, *_ in stored if matches(parsed, texts, scope)]
        if found(database, query, now, scope) != expected:
            differing.append((query, scope))
        ranked = found(database, query, now, scope, order=SearchOrder.RELEVANCE)
        if sorted(ranked) != sorted(expected):
            differing.append((query, scope, "ranked"))
    return differing


@pytest.mark.slow
@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(query=QUERIES | st.text(max_size=30))
def test_a_search_finds_what_a_scan_finds(database, stored, now, query):
    assert differences(database, stored, query, now) == []


@pytest.mark.slow
def test_a_thousand_searches_find_what_scans_find(database, stored, now):
    chance = random.Random(11)
    marks = ["", "", "", "-", '"', '-"'], ["", "", "*", '"']
    queries = (
        " ".join(
            chance.choice(marks[0])
            + " ".join(chance.choices(WORDS, k=chance.randint(1, 2)))
            + chance.choice(marks[1])
            for _ in range(chance.randint(1, 3))
        )
        for _ in count()
    )
    differing = [
        differing
        for _, query in zip(range(SEARCHES), queries, strict=False)
        for differing in differences(database, stored, query, now)
    ]

    assert differing == []


@pytest.mark.parametrize(
    "query",
    [
        "the " * 500,
        "w" * 2000,
        '"' * 2000,
        " ".join(f"word{n}" for n in range(SEARCHES)),
        "-" * 2000,
        "* " * 1000,
        '"a ' * 600,
        "-the " * 400,
        "a.b." * 500,
        "京" * 2000,
        "wor* " * 400,
        "\\'" * 999,
    ],
)
def test_long_queries_are_searched_for(database, stored, now, query):
    assert differences(database, stored, query, now) == []


def test_groups_narrow_a_search(database, stored, now):
    groups = [[IMPORTANT]]
    expected = [
        key
        for key, texts, _, important in stored
        if important and matches(parse_query("the"), texts, Scope.PUBLIC)
    ]

    assert found(database, "the", now, groups=groups) == expected


def test_conditions_narrow_a_search(database, stored, now):
    options = {"entries": EntryList(frozenset({AHEAD})), "values": {"until": now}}

    assert 0 < len(found(database, "-nothing", now, **options)) < len(stored)


def test_relevance_prefers_titles_then_what_is_shown(database, store, make_entry, now):
    long = "word " * 150
    store(
        make_entry("hidden", "News", f"{long} webhook", hours=1),
        make_entry("shown", "News", "A webhook", hours=2),
        make_entry("older title", "Webhook", hours=99),
        make_entry("title", "A webhook", hours=3),
        make_entry("nothing", "News", hours=4),
    )
    with database.read() as session:
        ids = dict(session.execute(select(Entry.id, Entry.external_id)).all())

    ranked = found(database, "webhook", now, Scope.WHOLE, order=SearchOrder.RELEVANCE)

    assert [ids[key] for key in ranked] == ["title", "older title", "shown", "hidden"]


def test_at_most_so_many_are_found_the_newest_ones(database, stored, now):
    everything = found(database, "-nothing", now)
    search = EntrySearch(parse_query("-nothing"), Scope.PUBLIC)
    with database.read() as session:
        assert find_entries(session, search, now=now, most=7).keys == everything[:7]


@pytest.mark.parametrize(
    ("most", "most_read", "found", "looked_back"),
    [(3, 5, 3, None), (5, 5, 4, 5), (6, 6, 5, 6), (9, 99, 8, None)],
)
def test_phrases_are_looked_for_in_so_many_entries_and_the_search_says_how_far(
    database, store, make_entry, now, most, most_read, found, looked_back
):
    store(*(make_entry(n, "only read" if n else "read only", hours=n + 1) for n in range(9)))
    search = EntrySearch(parse_query('"only read"'), Scope.PUBLIC, most_read=most_read)

    with database.read() as session:
        hits = find_entries(session, search, now=now, most=most)

    assert len(hits.keys) == found
    moment = hits.looked_back_to and hits.looked_back_to.published_at
    assert moment == (looked_back and now - timedelta(hours=looked_back))


def test_a_phrase_is_found_behind_a_thousand_entries_that_have_its_words(
    database, store, make_entry, now
):
    store(*(make_entry(n, "only read", hours=n) for n in range(1_100)))
    store(*(make_entry(f"later {n}", "read only", hours=2_000 + n) for n in range(3)))
    store(*(make_entry(f"last {n}", "read only", hours=9_000 + n) for n in range(1_100)))

    phrase = found(database, '"read only"', now)
    ranked = found(database, '"read only"', now, order=SearchOrder.RELEVANCE)

    assert len(phrase) == searching.MOST_HITS
    assert phrase == ranked
    assert len(found(database, 'read -"only read"', now)) == searching.MOST_HITS


def test_an_edit_replaces_what_an_entry_is_found_by(database, catalog, store, make_entry, now):
    store(make_entry("a", "old words"))
    source_id = catalog["acme.s0"]
    with database.write() as session:
        [before] = newest_entries(session, source_id, most=9)
        edit = Edit(before, make_entry("a", "new words"))
        save_entries(session, source_id, new=[], edited=[edit], now=now)

    assert [found(database, query, now) for query in ("old", "new")] == [[], [before.key]]


def test_another_judgement_is_found(database, store, make_entry, now):
    store(make_entry("a", "words"))
    with database.write() as session:
        row = session.execute(select(Entry)).scalar_one()
        public = row.public_document.replace(b'"headline":"words"', b'"headline":"clearer"')
        judged = RejudgedEntry(
            row.id,
            row.content_hash,
            b"{}",
            (),
            public,
            row.document,
            EntryRelease(None, None),
            words_of_documents(row.document, public),
        )
        save_importance(session, [judged], version=2)

    assert found(database, "clearer", now, groups=[[IMPORTANT]]) != []


def test_what_is_removed_with_its_source_is_found_no_more(database, store, make_entry, now):
    store(make_entry("a", "words"))
    store(make_entry("b", "words"), source="acme.s1")
    with database.write() as session:
        session.execute(delete(Source).where(Source.slug == "acme.s0"))

    assert len(found(database, "words", now)) == 1


def test_entries_of_a_program_that_knows_no_index_are_indexed_in_batches(
    database, store, make_entry, now
):
    store(*(make_entry(n, f"number {n}") for n in range(5)))
    with database.write() as session:
        session.execute(text("DELETE FROM entry_words"))
        session.execute(update(Entry).values(indexed_revision=0))

    counts = []
    while not counts or counts[-1]:
        with database.write() as session:
            counts.append(index_missing(session, most=2))

    assert counts == [2, 2, 1, 0]
    assert len(found(database, "number", now)) == 5


def test_new_entries_and_edits_are_indexed_at_once(database, catalog, store, make_entry, now):
    store(make_entry("a"), make_entry("b"))
    with database.write() as session:
        [before, _] = newest_entries(session, catalog["acme.s0"], most=9)
        edit = Edit(before, make_entry(before.external_id, "edited"))
        save_entries(session, catalog["acme.s0"], new=[], edited=[edit], now=now)

    with database.read() as session:
        assert missing_keys(session, most=9) == []


@given(st.integers(0, LAST_DAY), st.integers(0, LAST_DAY))
def test_the_words_of_days_are_those_of_these_days_alone(one, other):
    first, last = sorted((one, other))
    sizes = {"d": 1, "m": 16, "y": 256, "z": 4096}
    words = words_of_days(first, last)
    spans = [(int(word[1:]) * sizes[word[0]], sizes[word[0]]) for word in words]

    assert spans[0][0] == first
    assert sum(spans[-1]) == last + 1
    assert all(sum(span) == after[0] for span, after in pairwise(spans))
    assert len(words) <= 2 * 3 * 15 + 16


def test_time_of_publication_far_away_is_no_trouble(database, store, make_entry, now):
    store(
        make_entry("a", "word", hours=-24 * 365 * 900),
        make_entry("b", "word", hours=24 * 365 * 900),
        make_entry("c", "word", hours=timedelta(days=1).total_seconds() / 3600),
    )

    assert len(found(database, "word", now)) == 3
