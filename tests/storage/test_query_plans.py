"""The questions that are asked all day are answered from indexes, on either database."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event, insert, text, update

from storage.archive import known_entries, newest_entries, publish_times, url_key
from storage.changes import changes_after, newest_change
from storage.database import on_postgresql, open_database, upgrade
from storage.due import claim, is_due
from storage.entries import (
    EntryFilter,
    newest_for_readers,
    page_entries,
    page_important,
    page_latest,
)
from storage.models import Entry, FetchFacts, Source
from storage.sources import SourceFilter, find_source, ids_of, page_sources, save_sources

SOURCES = 2_000
BUSY_SOURCES = 100
ENTRIES = 50_000
HOUR = timedelta(hours=1)
BY_EXTERNAL_ID = ("sqlite_autoindex_entries_", "(external_id)::text = ANY")
FULL_SCAN = re.compile(r"Seq Scan on entr(ies|y_changes)\b|\bSCAN entr(ies|y_changes)(?! USING)")
BY_NUMBER = ("USING INTEGER PRIMARY KEY (rowid>?)", "pk_entry_changes")


@pytest.fixture(scope="module")
def busy(new_database_url, now, make_row):
    """Fifty thousand entries of a hundred sources among two thousand, few of which are due."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    slugs = [f"vendor{number % 300:03}.s{number:04}" for number in range(SOURCES)]
    with database.write() as session:
        save_sources(session, [make_row(slug) for slug in slugs])
        ids = sorted(ids_of(session, slugs).values())
        for number in range(0, ENTRIES, 5_000):
            some = range(number, number + 5_000)
            session.execute(insert(Entry), [_entry(each, ids, now) for each in some])
        session.execute(update(FetchFacts).values(next_check_at=now + HOUR))
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.source_id.in_(ids[:20]))
            .values(next_check_at=now - HOUR)
        )
        session.execute(
            update(Source)
            .where(Source.id.in_(ids[:BUSY_SOURCES]))
            .values(entry_count=ENTRIES // BUSY_SOURCES, important_count=10)
        )
    by_itself_in_time = "VACUUM ANALYZE" if on_postgresql(database.engine) else "ANALYZE"
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(by_itself_in_time))
    yield database, ids
    database.close()


def _entry(number, ids, now):
    url = f"https://acme.example/{number}"
    return {
        "source_id": ids[number % BUSY_SOURCES],
        "external_id": f"entry {number}",
        "published_at": now - number * HOUR / 10,
        "title": f"Version {number}",
        "url": url,
        "url_key": url_key(url),
        "content_hash": "0" * 64,
        "first_seen_at": now,
        "changed_at": now,
        "important": number % 50 == 0,
        "importance": b"{}" if number % 50 == 0 else None,
        "document": b"{}" * 300,
        "public_document": b"{}" * 100,
    }


def explained(database, question):
    """Ask a question and return the plans of its statements as one text."""
    seen = []

    def notice(connection, cursor, statement, parameters, context, executemany):
        seen.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", notice)
    with database.write() as session:
        question(session)
        session.rollback()
    event.remove(database.engine, "before_cursor_execute", notice)
    word = "EXPLAIN" if on_postgresql(database.engine) else "EXPLAIN QUERY PLAN"
    lines = []
    with database.engine.connect() as connection:
        for statement, given in seen:
            if statement.startswith(("SELECT", "UPDATE")):
                rows = connection.exec_driver_sql(f"{word} {statement}", given)
                lines += [row[-1] for row in rows]
    return "\n".join(lines)


def three_sources(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids[:3])), limit=50, offset=0)


def three_sources_since_a_time(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids[:3]), now - 99 * HOUR), limit=50, offset=0)


def a_hundred_sources(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids[:100])), limit=100, offset=200)


def a_hundred_sources_since_a_time(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids[:100]), now - 99 * HOUR), limit=50, offset=0)


def the_latest(session, ids, now):
    page_latest(session, limit=50, offset=0, now=now)


def the_important_ones(session, ids, now):
    page_important(session, limit=50, offset=0, now=now)


def a_feed(session, ids, now):
    newest_for_readers(session, most=50, now=now, only_important=False)


def a_feed_of_important_ones(session, ids, now):
    newest_for_readers(session, most=50, now=now, only_important=True)


def the_feed_of_a_source(session, ids, now):
    newest_for_readers(session, most=50, now=now, only_important=False, source_id=ids[0])


def a_page_of_sources(session, ids, now):
    page_sources(session, SourceFilter(), limit=50, offset=0, now=now)


def one_source(session, ids, now):
    find_source(session, "vendor001.s0001", now=now)


def a_claim(session, ids, now):
    claim(session, is_due(now), now=now, most=8, per_host=4, mine=())


def what_a_document_may_hold_already(session, ids, now):
    urls = [f"https://acme.example/{number}" for number in range(50)]
    known_entries(session, ids[0], ids=(), urls=urls)


def what_a_vendor_numbered(session, ids, now):
    known_entries(session, ids[0], ids=[f"entry {number}" for number in range(50)], urls=())


def what_is_new_to_a_source(session, ids, now):
    newest_entries(session, ids[0], most=100)


def the_rhythm_of_a_source(session, ids, now):
    publish_times(session, ids[0])


def the_beginning_of_three_sources(session, ids, now):
    changes_after(session, 0, limit=50, source_ids=ids[:3])


def what_three_sources_did_lately(session, ids, now):
    newest = newest_change(session)
    changes_after(session, newest - 1000, limit=50, source_ids=ids[:3])


def the_beginning_of_a_hundred_sources(session, ids, now):
    changes_after(session, 0, limit=100, source_ids=ids[:100])


def the_beginning_of_the_whole_catalog(session, ids, now):
    changes_after(session, 0, limit=100)


def what_a_large_selection_did_lately(session, ids, now):
    changes_after(session, newest_change(session) - 1000, limit=100, source_ids=ids[:1000])


@pytest.mark.parametrize(
    ("question", "index"),
    [
        (three_sources, "ix_entries_page"),
        (three_sources_since_a_time, "ix_entries_page"),
        (a_hundred_sources, "ix_entries_page"),
        (a_hundred_sources_since_a_time, "ix_entries_page"),
        (the_latest, "ix_entries_latest"),
        (the_important_ones, "ix_entries_important"),
        (a_feed, "ix_entries_latest"),
        (a_feed_of_important_ones, "ix_entries_important"),
        (the_feed_of_a_source, "ix_entries_page"),
        (a_page_of_sources, "ix_entries_page"),
        (one_source, "ix_entries_page"),
        (a_claim, "ix_fetch_facts_next_check_at"),
        (what_a_document_may_hold_already, "ix_entries_url"),
        (what_a_vendor_numbered, BY_EXTERNAL_ID),
        (what_is_new_to_a_source, "ix_entries_page"),
        (the_rhythm_of_a_source, "ix_entries_page"),
        (the_beginning_of_three_sources, "ix_entry_changes_source"),
        (what_three_sources_did_lately, "ix_entry_changes_source"),
        (the_beginning_of_a_hundred_sources, "ix_entry_changes_source"),
        (the_beginning_of_the_whole_catalog, BY_NUMBER),
        (what_a_large_selection_did_lately, "ix_entry_changes_source"),
    ],
)
def test_it_is_answered_from_an_index(busy, now, question, index):
    database, ids = busy

    plan = explained(database, lambda session: question(session, ids, now))

    assert any(each in plan for each in ([index] if isinstance(index, str) else index)), plan
    assert not FULL_SCAN.search(plan), plan
