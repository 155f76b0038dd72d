"""How much a source published, and its history narrowed."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Category
from storage.entries.activity import DayOfEntries, activity, counted, oldest_entry_at
from storage.entries.entry_writes import save_entries

NONE = frozenset()
BREAKING = frozenset({Category.BREAKING})
BOTH = frozenset({Category.BREAKING, Category.SECURITY})


def importance(categories):
    names = ",".join(f'"{each.value}"' for each in sorted(categories))
    return f'{{"categories":[{names}],"evidence":[]}}'.encode() if categories else None


@pytest.fixture
def published(database, catalog, learned, now):
    """Store entries of a source, ``(hours ago, categories)`` each; return the source's id."""

    slug = min(catalog)

    def published(*entries):
        new = [
            learned(str(number), hours=hours, importance=importance(categories))
            for number, (hours, categories) in enumerate(entries)
        ]
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
