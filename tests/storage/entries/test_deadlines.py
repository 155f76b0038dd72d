"""Days by which readers have to act: stored with an entry, edited with it (docs/decisions/0026)."""

from datetime import date, timedelta

import pytest
from sqlalchemy import func, select

from openapi.vocabulary import DeadlineKind
from storage.entries.deadlines import DeadlineRecord, coming_deadlines
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.models import EntryDeadline

DAY = timedelta(days=1)
TODAY = date(2026, 11, 21)


def removal(day, until=None):
    return DeadlineRecord(DeadlineKind.REMOVAL, day, until or day, f"removed on {day}")


@pytest.fixture
def save(database, catalog, now):
    """Store an entry, or its edit, that sets deadlines: ``save(id, deadlines, age=DAY)``."""

    def save(external_id, deadlines, *, age=DAY):
        text = EntryText(
            external_id=external_id,
            source="acme.s0",
            vendor="acme",
            published_at=now - age,
            title=external_id,
            url=None,
            summary=None,
            raw={},
            tags=(),
        )
        written = EntryRecord(text, "0" * 64, None, 1, tuple(deadlines))
        with database.write() as session:
            known = known_entries(session, catalog["acme.s0"], ids=[external_id], urls=())
            save_entries(
                session,
                catalog["acme.s0"],
                new=[] if known else [written],
                edited=[Edit(known[0], written)] if known else [],
                now=now,
            )

    return save


@pytest.fixture
def coming(database, now):
    """Read the days that are shown, in their order."""

    def coming(most=100):
        with database.read() as session:
            return [deadline.last_day for deadline in coming_deadlines(session, now=now, most=most)]

    return coming


def test_the_soonest_comes_first(save, coming):
    save("a", [removal(TODAY + 9 * DAY), removal(TODAY + 2 * DAY)])
    save("b", [removal(TODAY + 5 * DAY)])

    assert coming() == [TODAY + 2 * DAY, TODAY + 5 * DAY, TODAY + 9 * DAY]
    assert coming(most=1) == [TODAY + 2 * DAY]


@pytest.mark.parametrize(
    ("days", "shown"), [(-31, False), (-30, True), (0, True), (3653, True), (3654, False)]
)
def test_what_is_long_past_or_far_off_is_not_shown(save, coming, days, shown):
    save("a", [removal(TODAY + days * DAY)])

    assert bool(coming()) is shown


def test_a_quarter_counts_by_its_last_day(save, coming):
    save("a", [removal(TODAY - 60 * DAY, TODAY + DAY)])

    assert coming() == [TODAY + DAY]


@pytest.mark.parametrize(
    ("age", "shown"),
    [(DAY, True), (5 * 365 * DAY, True), (6 * 365 * DAY, False), (-DAY, False)],
)
def test_what_very_old_entries_and_those_of_the_future_set_is_not_shown(save, coming, age, shown):
    save("a", [removal(TODAY + DAY)], age=age)

    assert bool(coming()) is shown


def test_an_edit_replaces_the_deadlines_of_an_entry(save, coming):
    save("a", [removal(TODAY + DAY), removal(TODAY + 2 * DAY)])
    save("b", [removal(TODAY + 3 * DAY)])

    save("a", [removal(TODAY + 4 * DAY)])

    assert coming() == [TODAY + 3 * DAY, TODAY + 4 * DAY]


def test_an_edit_that_sets_none_leaves_none(save, database):
    save("a", [removal(TODAY + DAY)])

    save("a", [])

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(EntryDeadline)) == 0
