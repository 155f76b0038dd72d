"""Searches and filters are answered from indexes, on either database."""

from datetime import timedelta

import pytest
from sqlalchemy import event, text

from openapi.vocabulary import Category
from storage.engine.database import on_postgresql
from storage.entries.change_log import read_filtered_log
from storage.entries.changes import newest_change
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import page_entries, page_important, page_latest
from storage.entries.search.search import search_entries

pytestmark = pytest.mark.slow

DAY = timedelta(days=1)
PAGE = {"limit": 10, "offset": 0}
SECURITY = frozenset({Category.SECURITY})
WORDS = {
    "sqlite": "INSERT INTO entry_words (rowid, words)"
    " SELECT id, 'a f tthe pword' || id % 1000 || ' s' || source_id FROM entries",
    "postgresql": "INSERT INTO entry_words (entry_id, words) SELECT id, array_to_tsvector("
    "ARRAY['a', 'f', 'tthe', 'pword' || id % 1000, 's' || source_id]) FROM entries",
}
FORGET = {"sqlite": "INSERT INTO entry_words (entry_words) VALUES ('delete-all')"}


@pytest.fixture(scope="module")
def searched(busy):
    """Fifty thousand entries with some words each, all of which one word has."""
    database, ids = busy
    kind = "postgresql" if on_postgresql(database.engine) else "sqlite"
    with database.write() as session:
        session.execute(text(WORDS[kind]))
    if kind == "postgresql":
        with database.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text("VACUUM ANALYZE entry_words"))
    yield database, ids
    with database.write() as session:
        session.execute(text(FORGET.get(kind, "DELETE FROM entry_words")))


@pytest.fixture
def plan_of(searched):
    """Ask a question and return the plans of its statements, as it runs them: a text."""
    database, _ = searched
    word = "EXPLAIN" if on_postgresql(database.engine) else "EXPLAIN QUERY PLAN"

    def plan_of(question):
        seen, lines = [], []

        def notice(connection, cursor, statement, parameters, context, executemany):
            seen.append((statement, parameters))

        event.listen(database.engine, "before_cursor_execute", notice)
        with database.read() as session:
            question(session)
        event.remove(database.engine, "before_cursor_execute", notice)
        with database.engine.begin() as connection:
            for statement, given in seen:
                if statement.startswith(("SELECT", "WITH")):
                    rows = connection.exec_driver_sql(f"{word} {statement}", given)
                    lines += [row[-1] for row in rows]
        return "\n".join(lines)

    return plan_of


def a_common_word(session, ids, now):
    page_latest(session, EntryFilter(q="the"), now=now, **PAGE)


def a_rare_word_among_common_ones(session, ids, now):
    page_latest(session, EntryFilter(q="the word7 -word8"), now=now, **PAGE)


def words_of_some_sources(session, ids, now):
    search_entries(session, ids[:3], EntryFilter(q="the"), now=now, **PAGE)


def words_of_a_vendor_since(session, ids, now):
    filter_ = EntryFilter(q="the", vendor="vendor001", since=now - DAY)
    page_latest(session, filter_, now=now, **PAGE)


@pytest.mark.parametrize(
    "question",
    [
        a_common_word,
        a_rare_word_among_common_ones,
        words_of_some_sources,
        words_of_a_vendor_since,
    ],
)
def test_a_search_asks_the_index_of_words_first(searched, plan_of, scanned, now, question):
    database, ids = searched

    plan = plan_of(lambda session: question(session, ids, now))

    if on_postgresql(database.engine):
        assert "Index Scan using pk_entries on entries" in plan
    else:
        assert "SCAN entry_words VIRTUAL TABLE" in plan
        assert "SEARCH entries USING INTEGER PRIMARY KEY" in plan
    assert not scanned(plan), plan


def a_vendor(session, ids, now):
    page_latest(session, EntryFilter(vendor="vendor001"), now=now, **PAGE)


def a_category(session, ids, now):
    page_latest(session, EntryFilter(categories=SECURITY), now=now, **PAGE)


def an_important_category_since(session, ids, now):
    filter_ = EntryFilter(categories=SECURITY, since=now - DAY)
    page_important(session, filter_, now=now, **PAGE)


def a_span(session, ids, now):
    page_latest(session, EntryFilter(since=now - 2 * DAY, until=now - DAY), now=now, **PAGE)


def a_category_of_some_sources(session, ids, now):
    page_entries(session, ids[:3], EntryFilter(categories=SECURITY), **PAGE)


def what_changed_of_a_vendor(session, ids, now):
    place = newest_change(session) - 500
    filter_ = EntryFilter(vendor="vendor001", categories=SECURITY)
    read_filtered_log(session, place, filter_, limit=10, sources=None)


def what_changed_with_a_category(session, ids, now):
    place = newest_change(session) - 500
    filter_ = EntryFilter(categories=SECURITY)
    read_filtered_log(session, place, filter_, limit=10, sources=None)


@pytest.mark.parametrize(
    "question",
    [
        a_vendor,
        a_category,
        an_important_category_since,
        a_span,
        a_category_of_some_sources,
        what_changed_of_a_vendor,
        what_changed_with_a_category,
    ],
)
def test_a_filter_reads_an_index(searched, plan_of, scanned, now, question):
    _, ids = searched

    plan = plan_of(lambda session: question(session, ids, now))

    assert plan
    assert not scanned(plan), plan
