"""The questions that are asked all day: answered from indexes, on either database."""

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import text

from storage.catalog.sources import ids_of
from storage.engine.database import on_postgresql
from storage.entries.changes import changes_after, newest_change
from storage.entries.deadlines import select_deadlines
from storage.entries.edits import newest_edits
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.entry_pages import newest_feed_entries, page_documents
from storage.entries.entry_query import PUBLIC, PUBLIC_IMPORTANT, EntryList
from storage.entries.entry_writes import known_entries, save_entries
from storage.entries.search.matching import Scope
from storage.people.credentials import new_key
from storage.people.keys import find_live_key
from storage.scheduling.due import claim_sources, is_due

pytestmark = pytest.mark.slow

HOUR = timedelta(hours=1)
WORDS = {
    "sqlite": "INSERT INTO entry_words (rowid, words)"
    " SELECT id, 'z0 f tthe pword' || id % 1000 || ' s' || source_id FROM entries",
    "postgresql": "INSERT INTO entry_words (entry_id, words) SELECT id, array_to_tsvector("
    "ARRAY['z0', 'f', 'tthe', 'pword' || id % 1000, 's' || source_id]) FROM entries",
}
FORGET = {
    "sqlite": "INSERT INTO entry_words (entry_words) VALUES ('delete-all')",
    "postgresql": "DELETE FROM entry_words",
}
A_KEY = new_key()
BY_CATEGORY = ("ix_entries_categories", "pk_entries")  # the latter of few, on PostgreSQL
BY_NUMBER = ("USING INTEGER PRIMARY KEY (rowid>?)", "pk_entry_changes")


def three_sources(session, ids, now):
    page_documents(
        session, EntryList(now, source_ids=ids[:3], scope=Scope.WHOLE), limit=50, offset=0
    )


def a_hundred_sources_since_a_time(session, ids, now):
    since = EntryFilter(since=now - 99 * HOUR)
    entries = EntryList(now, filter=since, source_ids=ids[:100], scope=Scope.WHOLE)
    page_documents(session, entries, limit=50, offset=0)


def the_latest(session, ids, now, chosen=PUBLIC, filter_=EVERYTHING):
    page_documents(session, EntryList(now, chosen, filter_), limit=50, offset=0)


the_important_ones = partial(the_latest, chosen=PUBLIC_IMPORTANT)
no_prereleases = partial(the_important_ones, filter_=EntryFilter(prerelease=False))
BREAKING = EntryFilter(category=frozenset({"breaking"}))


def a_feed_of_important_prereleases(session, ids, now):
    newest_feed_entries(
        session, EntryFilter(prerelease=True), most=50, now=now, only_important=True
    )


def a_key(session, ids, now):
    find_live_key(session, A_KEY, now=now)


def a_claim(session, ids, now):
    claim_sources(session, is_due(now), now=now, most=8, per_host=4, mine=())


def what_a_document_may_hold_already(session, ids, now):
    urls = [f"https://acme.example/{number}" for number in range(50)]
    known_entries(session, ids[0], ids=(), urls=urls)


def what_a_large_selection_did_lately(session, ids, now):
    changes_after(session, newest_change(session) - 1000, limit=100, source_ids=ids[:1000])


@pytest.mark.parametrize(
    ("question", "index"),
    [
        (three_sources, "ix_entries_page"),
        (a_hundred_sources_since_a_time, "ix_entries_page"),
        (the_latest, "ix_entries_listed"),
        (the_important_ones, "ix_entries_listed_important"),
        (partial(the_important_ones, filter_=BREAKING), "ix_entries_categories"),
        (lambda s, _, now: s.execute(select_deadlines(s, BREAKING, now=now)), BY_CATEGORY),
        (lambda s, *_: ids_of(s, ("acme.api", "hooli.mail")), "(slug"),
        (a_claim, "ix_fetch_facts_next_check_at"),
        (what_a_document_may_hold_already, "ix_entries_url"),
        (lambda s, *_: changes_after(s, 0, limit=100), BY_NUMBER),
        (what_a_large_selection_did_lately, "ix_entry_changes_source"),
    ],
)
def test_it_is_answered_from_an_index(busy, explained, scanned, now, question, index):
    _, ids = busy

    plan = explained(lambda session: question(session, ids, now))

    assert any(name in plan for name in ([index] if isinstance(index, str) else index)), plan
    assert not scanned(plan), plan


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
        session.execute(text(FORGET[kind]))


@pytest.mark.parametrize(
    "filter_",
    [
        EntryFilter(q="the"),
        EntryFilter(q="the word7 -word8"),
        EntryFilter(q="the", vendor="vendor001"),
    ],
)
def test_a_search_asks_the_index_of_words_first(searched, explain, scanned, now, filter_):
    database, _ = searched

    plan = explain(database, lambda session: the_latest(session, (), now, filter_=filter_))

    if on_postgresql(database.engine):
        assert "Index Scan using pk_entries on entries" in plan
    else:
        assert "SCAN entry_words VIRTUAL TABLE" in plan
        assert "SEARCH entries USING INTEGER PRIMARY KEY" in plan
    assert not scanned(plan), plan


@pytest.mark.only_on("sqlite")  # without statistics, as it is in use
@pytest.mark.parametrize(
    ("question", "index"),
    [
        (the_latest, "ix_sources_counts"),
        (a_feed_of_important_prereleases, "ix_entries_listed_important"),
        (no_prereleases, "ix_entries_listed_important"),
        (lambda session, *_: newest_edits(session, most=40), "ix_entry_revisions_replaced_at"),
    ],
)
def test_no_page_is_sorted_that_an_index_has(database, three, explain, now, question, index):
    plan = explain(database, lambda session: question(session, three, now))

    assert index in plan, plan
    assert "TEMP B-TREE" not in plan, plan


@pytest.fixture
def three(database, catalog, learned, now):
    """The ids of three sources with an important entry each: pages that are empty ask less."""
    sources = sorted(catalog.items())[:3]
    with database.write() as session:
        for slug, source_id in sources:
            new = [learned(slug, source=slug, importance=b'{"categories":["security"]}')]
            save_entries(session, source_id, new=new, edited=[], now=now)
    return [source_id for _, source_id in sources]


@pytest.mark.only_on("sqlite")  # would look at the value of a bare LIMIT, and plan by it each time
@pytest.mark.parametrize("question", [three_sources, the_latest, the_important_ones, a_key])
def test_a_query_that_runs_again_is_not_planned_again(database, three, now, question):
    planned = []

    def authorize(*what):
        planned.append(what)
        return 0

    with database.read() as session:
        handle = session.connection().connection.driver_connection
        handle.set_authorizer(authorize)  # SQLite asks it whenever it plans
        question(session, three, now)
        once = len(planned)
        question(session, three, now)
        handle.set_authorizer(None)

    assert 0 < once == len(planned)
