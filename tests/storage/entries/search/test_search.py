"""Searches find what a plain scan finds, newest first, on either database."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, event, select

from openapi.vocabulary import SearchOrder
from storage.entries.documents import EntryRelease
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_query import IMPORTANT, LISTED, EntryList
from storage.entries.entry_writes import Edit, newest_entries, save_entries
from storage.entries.reclassification import RejudgedEntry, save_importance
from storage.entries.search import index
from storage.entries.search import search as searching
from storage.entries.search.index import words_of_documents
from storage.entries.search.matching import Scope, matches
from storage.entries.search.query import parse_query
from storage.entries.search.search import find_entries, has_words
from storage.entries.search.words import public_texts, whole_texts
from storage.models import Entry, Source

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
LONG = (
    *("the " * 500, "w" * 2000, '"' * 2000, " ".join(f"word{n}" for n in range(250))),
    *("-" * 2000, "* " * 1000, '"a ' * 600, "-the " * 400, "a.b." * 500, "京" * 2000),
    *("wor* " * 400, "\\'" * 999),
)


class Stored(list):
    """Entries with their texts; a failing test does not show them all."""

    def __repr__(self):
        """Show how many there are."""
        return f"{len(self)} entries"


@pytest.fixture
def stored(store, make_entry, database):
    """Two hundred entries of ten years with their texts, newest first."""
    chance = random.Random(7)

    def words(most):
        return " ".join(chance.choice(WORDS) for _ in range(chance.randint(0, most)))

    entries = [
        make_entry(
            number,
            words(4),
            words(8) if number % 2 else f"{words(5)} {'long ' * 110}{words(9)}",
            hours=chance.choice([-9000, -1, 3, 30, 300, 3000, 30000, 90000]) + number // 9,
            importance=b"{}" if number % 3 == 0 else None,
        )
        for number in range(200)
    ]
    store(*entries)
    with database.read() as session:
        rows = session.execute(select(Entry).order_by(Entry.published_at.desc(), Entry.external_id))
        return Stored(
            (
                entry,
                {
                    Scope.PUBLIC: public_texts(entry.public_document),
                    Scope.WHOLE: whole_texts(entry.document, entry.public_document),
                },
            )
            for (entry,) in rows.fetchall()
        )


@pytest.fixture
def found(database, now):
    """Search and return the keys that are found: ``found(query, scope)``."""

    def found(query, scope=Scope.PUBLIC, *, chosen=(), most=searching.MOST_HITS, **options):
        entries = EntryList(now, frozenset(chosen), EntryFilter(q=query), scope=scope, **options)
        with database.read() as session:
            return find_entries(session, entries, most=most)[0]

    return found


@pytest.mark.slow
@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(query=QUERIES | st.text(max_size=30) | st.sampled_from(LONG))
def test_a_search_finds_what_a_scan_finds(database, stored, found, query):
    parsed = parse_query(query)
    for scope in (Scope.WHOLE, Scope.PUBLIC):
        expected = {entry.id for entry, texts in stored if matches(parsed, texts[scope])}
        listed = found(query, scope, chosen=[LISTED])
        assert set(found(query, scope)) == set(listed) == expected
        assert found(query, scope, chosen=[LISTED], most=5) == listed[:5]
        assert set(found(query, scope, order=SearchOrder.RELEVANCE)) == expected
        important = expected & {entry.id for entry, _ in stored if entry.important}
        assert set(found(query, scope, chosen=[IMPORTANT])) == important
    asked = select(Entry.id)
    with database.read() as session:
        public = has_words(session, Entry.id, index.IMPORTANT, query, among=asked)
        assert set(session.scalars(asked.where(public))) == important


def test_entries_come_newest_first_each_once(stored, found):
    times = {entry.id: entry.published_at for entry, _ in stored}
    keys = found("-nothing")

    assert len(keys) == len(set(keys)) == len(stored)
    assert [times[key] for key in keys] == sorted(times.values(), reverse=True)
    assert found("-nothing", most=7) == keys[:7]


def test_the_public_is_told_nothing_of_what_it_is_not_served(store, make_entry, found):
    store(make_entry("a", "Title", f"{'shown ' * 200} hidden"))

    queries = ("hidden", '"shown hidden"', "-hidden")
    assert [len(found(q, Scope.WHOLE)) for q in queries] == [1, 1, 0]
    assert [len(found(q)) for q in queries] == [0, 0, 1]


@pytest.mark.parametrize(("query", "count"), [("word*", 120), ("word0*", 100), ("word01*", 10)])
def test_a_beginning_finds_all_of_few_words_and_of_many(store, make_entry, found, query, count):
    store(*(make_entry(number, f"word{number:03}") for number in range(120)))

    assert len(found(query)) == count


def test_relevance_prefers_titles(database, store, make_entry, found):
    store(
        make_entry("text", "News", "A webhook", hours=1),
        make_entry("old", "Webhook", hours=99),
        make_entry("new", "A webhook", hours=3),
        make_entry("nothing", "News", hours=4),
    )
    with database.read() as session:
        ids = dict(session.execute(select(Entry.id, Entry.external_id)).all())

    ranked = found("webhook", order=SearchOrder.RELEVANCE)

    assert [ids[key] for key in ranked] == ["new", "old", "text"]


@pytest.mark.parametrize(
    ("most", "read", "count", "is_all"), [(3, 5, 3, False), (5, 6, 5, False), (9, 99, 8, True)]
)
def test_phrases_are_looked_for_in_so_many_entries(
    database, store, make_entry, now, monkeypatch, most, read, count, is_all
):
    monkeypatch.setattr(searching, "MOST_HITS", read)
    monkeypatch.setattr(searching, "_READ_AT_ONCE", 1)
    store(*(make_entry(n, "a b c" if n else "a b, b c", hours=n + 1) for n in range(9)))
    entries = EntryList(now, filter=EntryFilter(q='"a b c"'))

    with database.read() as session:
        keys, whole = find_entries(session, entries, most=most)

    assert (len(keys), whole) == (count, is_all)


def test_an_edit_replaces_what_finds_an_entry(database, catalog, store, make_entry, found, now):
    store(make_entry("a", "old words"))
    with database.write() as session:
        [before] = newest_entries(session, catalog["acme.s0"], most=9)
        edit = Edit(before, make_entry("a", "new words"))
        save_entries(session, catalog["acme.s0"], new=[], edited=[edit], now=now)

    assert [found("old"), found("new")] == [[], [before.key]]


def test_an_entry_judged_anew_is_found_by_its_new_headline(database, store, make_entry, found):
    store(make_entry("a", "words"))
    with database.write() as session:
        row = session.execute(select(Entry)).scalar_one()
        public = row.public_document.replace(b'"headline":"words"', b'"headline":"clearer"')
        words = words_of_documents(row.document, public)
        release = EntryRelease(None, None)
        of_entry = (row.id, row.content_hash, b"{}", (), public, row.document, release, words)
        save_importance(session, [RejudgedEntry(*of_entry)], version=2)

    assert found("clearer", chosen=[IMPORTANT]) != []


@pytest.mark.parametrize(("most", "count"), [(2, 1), (29, 2)])  # nor in spans that have too few
def test_a_common_word_is_looked_for_in_the_newest_entries_alone(
    database, store, make_entry, found, most, count
):
    store(*(make_entry(n, "common", hours=n * 100) for n in range(30)))
    statements = []
    event.listen(database.engine, "before_cursor_execute", lambda *seen: statements.append(seen))

    assert len(found("common", most=most)) == most
    assert len(statements) == count


def test_entries_removed_with_their_source_are_not_found(database, store, make_entry, found):
    store(make_entry("a", "words"))
    store(make_entry("b", "words"), source="acme.s1")
    with database.write() as session:
        session.execute(delete(Source).where(Source.slug == "acme.s0"))

    assert len(found("words")) == 1
