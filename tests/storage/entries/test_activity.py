"""How much a source published, and its history narrowed."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Category
from storage.entries.activity import DayOfEntries, activity, counted, oldest_entry_at
from storage.entries.documents import EntryText
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.entries.history import page_history

NONE = frozenset()
BREAKING = frozenset({Category.BREAKING})
BOTH = frozenset({Category.BREAKING, Category.SECURITY})


def importance(categories):
    names = ",".join(f'"{each.value}"' for each in sorted(categories))
    return f'{{"categories":[{names}],"evidence":[]}}'.encode() if categories else None


@pytest.fixture
def published(database, catalog, now):
    """Store entries of a source, ``(hours ago, categories)`` each; return the source's id."""

    slug = min(catalog)

    def published(*entries):
        new = [
            EntryRecord(
                EntryText(
                    str(number), slug, "acme", now - timedelta(hours=hours),
                    f"Number {number}", None, "Some words.", {}, (),
                ),
                "0" * 64,
                importance(categories),
                1,
            )
            for number, (hours, categories) in enumerate(entries)
        ]  # fmt: skip
        with database.write() as session:
            save_entries(session, catalog[slug], new=new, edited=[], now=now)
        return catalog[slug]

    return published


def test_entries_are_counted_by_day_in_utc_and_kind(database, published, now):
    source_id = published((1, NONE), (11.99, NONE), (12.01, BREAKING), (13, BOTH), (14, NONE))

    with database.read() as session:
        found = activity(session, source_id, since=now - timedelta(days=9), until=now)

    today, yesterday = now.date(), now.date() - timedelta(days=1)
    assert set(found) == {
        DayOfEntries(today, NONE, 2),
        DayOfEntries(yesterday, BREAKING, 1),
        DayOfEntries(yesterday, BOTH, 1),
        DayOfEntries(yesterday, NONE, 1),
    }
    assert [day.day for day in found] == sorted(day.day for day in found)
    assert (counted(found), counted(found, Category.BREAKING)) == (5, 2)


def test_what_lies_outside_is_not_counted(database, published, now):
    source_id = published((-1, NONE), (0, NONE), (24, NONE), (48, BREAKING))

    with database.read() as session:
        found = activity(session, source_id, since=now - timedelta(hours=24), until=now)

        assert counted(found) == 1
        assert oldest_entry_at(session, source_id) == now - timedelta(hours=48)
        assert oldest_entry_at(session, source_id + 1) is None


@pytest.mark.parametrize(
    ("filter_", "words", "total"),
    [
        ({}, None, 4),
        ({"category": BREAKING}, None, 2),
        ({"since": 30}, None, 2),
        ({"until": 30}, None, 2),
        ({"since": 1, "until": 30}, None, 0),
        ({}, "number", 4),
        ({"category": BREAKING}, "number", 2),
        ({"since": 30, "until": 2}, '"some words"', 1),
        ({}, "nothing", 0),
        ({}, '"', 0),
    ],
)
def test_a_history_is_narrowed_alike_with_and_without_words(
    database, published, now, filter_, words, total
):
    source_id = published((1, NONE), (3, BREAKING), (50, BOTH), (99, NONE))
    given = {
        name: now - timedelta(hours=value) if isinstance(value, int) else value
        for name, value in filter_.items()
    }

    with database.read() as session:
        page = page_history(
            session, source_id, EntryFilter(**given), words=words, limit=2, offset=0, now=now
        )

    assert page.total == total
    assert len(page.entries) == min(total, 2)
    assert [entry.published_at for entry in page.entries] == sorted(
        (entry.published_at for entry in page.entries), reverse=True
    )
