"""A search asks the database little."""

import pytest
from sqlalchemy import event

from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import find_feed_entries

YEAR = 24 * 365  # hours


@pytest.fixture
def statements(database):
    """The statements that were sent to the database, but for settings of PostgreSQL."""
    seen = []

    def note(connection, cursor, statement, parameters, context, executemany):
        if "set_config" not in statement:
            seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield seen
    event.remove(database.engine, "before_cursor_execute", note)


def searched(database, words, now):
    """Return when the entries were published that a page of a search shows."""
    with database.read() as session:
        found = find_feed_entries(session, EntryFilter(q=words), limit=40, offset=0, now=now)
    return [entry.published_at for entry in found.entries]


def test_a_search_that_finds_nothing_looks_at_three_spans_of_days_and_reads_no_entry(
    database, store, make_entry, statements, now
):
    store(*(make_entry(n, "words", hours=n * YEAR) for n in range(1, 40, 6)))
    statements.clear()

    assert searched(database, "nothinglikeit", now) == []
    assert len(statements) == 3
    assert all("entry_words" in statement for statement in statements)


def test_the_last_span_of_a_search_has_the_oldest_entries(database, store, make_entry, now):
    store(*(make_entry(n, "words", hours=n * YEAR) for n in range(1, 50, 6)))

    assert len(searched(database, "words", now)) == 9
