"""Entries that are not listed are stored and served by source, and are in no public list."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from openapi.vocabulary import DeadlineKind
from storage.catalog.catalog_items import find_item
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_pages import newest_feed_entries
from storage.entries.entry_writes import publish_times, save_entries

HOUR = timedelta(hours=1)


@pytest.fixture
def stored(database, catalog, learned, now):
    """Four entries of acme.s0, all important: the two newer ones are not listed."""
    source_id = catalog["acme.s0"]
    day = (now + 48 * HOUR).date()
    new = [
        replace(
            learned(f"{hours}", hours=hours),
            importance=b'{"categories":["security"]}',
            deadlines=[DeadlineRecord(DeadlineKind.REMOVAL, day, day, f"API {hours} is removed")],
            listed=hours > 2,
        )
        for hours in (1, 2, 3, 4)
    ]
    with database.write() as session:
        save_entries(session, source_id, new=new, edited=[], now=now)
    return source_id


@pytest.mark.parametrize("only_important", [True, False])
@pytest.mark.parametrize("of_all", [True, False])
def test_public_feeds_leave_them_out(database, stored, now, only_important, of_all):
    with database.read() as session:
        entries = newest_feed_entries(
            session,
            most=9,
            now=now,
            only_important=only_important,
            source_id=None if of_all else stored,
        )

    assert [orjson.loads(entry.public)["id"] for entry in entries] == ["3", "4"]


def test_their_deadlines_are_in_calendars(database, stored, now):
    with database.read() as session:
        coming = coming_deadlines(session, now=now, most=9)

    assert [orjson.loads(deadline.public)["id"] for deadline in coming] == ["4", "3", "2", "1"]


def test_they_say_nothing_of_when_the_source_publishes(database, stored, now):
    with database.read() as session:
        times = publish_times(session, stored)
        item = find_item(session, "acme.s0", now=now)

    assert times == [now - 3 * HOUR, now - 4 * HOUR]
    assert item.last_updated_at == now - 3 * HOUR
