"""Entries that are not listed are stored and served by source, and are in no public list."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select, update

from openapi.vocabulary import DeadlineKind
from storage.catalog.catalog_items import find_item
from storage.entries.deadlines import DeadlineRecord, coming_deadlines
from storage.entries.entry_pages import (
    newest_feed_entries,
    page_entries,
    page_important,
    page_latest,
)
from storage.entries.entry_writes import publish_times, save_entries
from storage.entries.states import catalog_totals, feed_state
from storage.models import Entry, Source

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


def ids(page):
    return [orjson.loads(document)["id"] for document in page.documents]


def test_public_lists_leave_them_out_and_do_not_count_them(database, stored, now):
    with database.read() as session:
        latest = page_latest(session, limit=9, offset=0, now=now)
        with_future = page_latest(session, limit=9, offset=0, now=now, future=True)
        important = page_important(session, limit=9, offset=0, now=now)

    for page in (latest, with_future, important):
        assert (page.total, ids(page)) == (2, ["3", "4"])


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


def test_their_deadlines_are_in_no_calendar(database, stored, now):
    with database.read() as session:
        coming = coming_deadlines(session, now=now, most=9)

    assert [orjson.loads(deadline.public)["id"] for deadline in coming] == ["4", "3"]


def test_a_page_of_the_source_has_all_of_them(database, stored):
    with database.read() as session:
        page = page_entries(session, frozenset([stored]), limit=9, offset=0)

    assert (page.total, ids(page)) == (4, ["1", "2", "3", "4"])


def test_they_say_nothing_of_when_the_source_publishes(database, stored, now):
    with database.read() as session:
        times = publish_times(session, stored)
        item = find_item(session, "acme.s0", now=now)

    assert times == [now - 3 * HOUR, now - 4 * HOUR]
    assert item.last_updated_at == now - 3 * HOUR


def test_what_public_feeds_depend_on_changes_when_an_entry_changes_places(database, stored, now):
    with database.write() as session:
        before = feed_state(session, now=now)
        swap = update(Entry).where(Entry.external_id.in_(["1", "3"]))
        session.execute(swap.values(listed=Entry.external_id == "1"))
        assert feed_state(session, now=now) != before


STEPS = st.tuples(st.sampled_from(["learn", "list", "judge", "forget"]), st.booleans())


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(STEPS, st.integers(0, 3)), max_size=15))
def test_the_counts_are_what_counting_finds_whoever_writes(database, catalog, learned, now, steps):
    source_id = catalog["acme.s1"]
    with database.write() as session:
        for place, ((step, flag), number) in enumerate(steps):
            of_source = Entry.source_id == source_id
            some = of_source & (Entry.id % 4 == number)
            if step == "learn":
                record = replace(
                    learned(f"{place}"), listed=flag, importance=b"{}" if number % 2 else None
                )
                save_entries(session, source_id, new=[record], edited=[], now=now)
            elif step == "list":
                session.execute(update(Entry).where(some).values(listed=flag))
            elif step == "judge":
                session.execute(update(Entry).where(some).values(important=flag))
            else:
                session.execute(delete(Entry).where(some))
            unlisted = select(func.count()).select_from(Entry).where(~Entry.listed)
            totals = catalog_totals(session)
            assert (totals.unlisted, totals.unlisted_important) == (
                session.scalar(unlisted),
                session.scalar(unlisted.where(Entry.important)),
            )
        session.rollback()


def test_a_removed_source_takes_its_counts_along(database, stored):
    with database.write() as session:
        session.execute(delete(Source).where(Source.id == stored))
        totals = catalog_totals(session)

    assert (totals.unlisted, totals.unlisted_important) == (0, 0)
