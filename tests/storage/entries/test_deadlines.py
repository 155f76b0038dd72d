"""Days by which readers have to act: stored with an entry, edited with it (docs/decisions/0026)."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import select

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import coming_deadlines, replace_deadlines
from storage.entries.entry_writes import Edit, known_entries, save_entries
from storage.models import EntryDeadline

DAY = timedelta(days=1)
TODAY = date(2026, 11, 21)


def removal(day, until=None, of=""):
    evidence = f"{of} removed on {day}".strip()
    return DeadlineRecord(DeadlineKind.REMOVAL, day, until or day, evidence)


@pytest.fixture
def save(database, catalog, learned, now):
    """Store an entry, or its edit, that sets deadlines: ``save(id, deadlines, age=DAY)``."""

    def save(external_id, deadlines, *, age=DAY, at=now):
        entry = learned(external_id, external_id, age / timedelta(hours=1))
        written = replace(entry, deadlines=tuple(deadlines))
        with database.write() as session:
            known = known_entries(session, catalog["acme.s0"], ids=[external_id], urls=())
            save_entries(
                session,
                catalog["acme.s0"],
                new=[] if known else [written],
                edited=[Edit(known[0], written)] if known else [],
                now=at,
            )

    return save


@pytest.fixture
def coming(database, now):
    """Read the days that are shown, in their order."""

    def coming(most=100, at=now):
        with database.read() as session:
            return [deadline.last_day for deadline in coming_deadlines(session, now=at, most=most)]

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


@pytest.mark.parametrize(
    ("age", "shown"), [(DAY, True), (5 * 365 * DAY, True), (6 * 365 * DAY, False), (-DAY, False)]
)
def test_what_very_old_entries_and_those_of_the_future_set_is_not_shown(save, coming, age, shown):
    save("a", [removal(TODAY + DAY)], age=age)

    assert bool(coming()) is shown


@pytest.fixture
def told(database, now):
    """Read after all edits of each deadline: its place, its day, those before it, who set it."""

    def told():
        with database.read() as session:
            found = coming_deadlines(session, now=now + 2 * DAY, most=100)
        return [
            (one.set_as_place, one.last_day, [last for _, last in one.replaced], one.set_by_id)
            for one in found
        ]

    return told


def test_a_day_that_an_edit_moves_is_told_as_moved(save, told, now):
    save("a", [removal(TODAY + DAY, of="the Aurora gateway")])

    save("a", [removal(TODAY + 9 * DAY, of="the Aurora gateway")], at=now + DAY)
    save("a", [removal(TODAY + 5 * DAY, of="the old Aurora gateway")], at=now + 2 * DAY)

    assert told() == [(0, TODAY + 5 * DAY, [TODAY + DAY, TODAY + 9 * DAY], "a")]


def test_a_deadline_keeps_its_place_when_an_edit_puts_another_before_it(save, told, now):
    aurora, basalt = removal(TODAY + DAY, of="Aurora"), removal(TODAY + 2 * DAY, of="Basalt")
    save("a", [aurora])

    save("a", [basalt, removal(TODAY + 3 * DAY, of="Aurora")], at=now + DAY)

    assert told() == [(1, TODAY + 2 * DAY, [], "a"), (0, TODAY + 3 * DAY, [TODAY + DAY], "a")]


@pytest.mark.parametrize(
    "after",
    [
        [removal(TODAY + 3 * DAY, of="Basalt")],
        [DeadlineRecord(DeadlineKind.MIGRATION, TODAY + 3 * DAY, TODAY + 3 * DAY, "from Aurora")],
        [DeadlineRecord(DeadlineKind.REMOVAL, TODAY + DAY, TODAY + DAY, "Aurora: now gone")],
        [],
    ],
)
def test_an_edit_that_moves_no_day_replaces_none(save, told, now, after):
    save("a", [removal(TODAY + DAY, of="Aurora")])

    save("a", after, at=now + DAY)

    assert [before for _, _, before, _ in told()] == [[]] * len(after)


def test_a_day_that_an_edit_takes_back_is_told_no_longer(save, told, now):
    save("a", [removal(TODAY + DAY, of="Aurora")])
    save("a", [removal(TODAY + 3 * DAY, of="Aurora")], at=now + DAY)

    save("a", [], at=now + 2 * DAY)

    assert told() == []


def test_a_day_that_other_rules_read_from_the_same_words_is_not_moved(save, told, now):
    sentence = "Aurora is removed at the end of winter"
    save("a", [DeadlineRecord(DeadlineKind.REMOVAL, TODAY + DAY, TODAY + DAY, sentence)])

    later = TODAY + 9 * DAY
    save("a", [DeadlineRecord(DeadlineKind.REMOVAL, later, later, sentence)], at=now + DAY)

    assert told() == [(0, later, [], "a")]


def test_what_an_edit_says_last_holds_over_the_entry_that_moved_the_day_between(save, told, now):
    save("a", [removal(TODAY + DAY, of="the Aurora gateway of Basalt")], age=9 * DAY)
    save("b", [removal(TODAY + 2 * DAY, of="the Aurora gateway of Basalt")], age=5 * DAY)

    save("a", [removal(TODAY + 3 * DAY, of="the Aurora gateway of Basalt")], at=now)

    assert told() == [(0, TODAY + 3 * DAY, [TODAY + DAY, TODAY + 2 * DAY], "a")]


def test_a_day_holds_until_the_entry_that_moves_it_is_published(save, coming, now):
    save("a", [removal(TODAY + DAY, of="the Aurora gateway")])
    save("b", [removal(TODAY + 9 * DAY, of="the Aurora gateway")], age=-DAY)

    assert coming() == [TODAY + DAY]
    assert coming(at=now + DAY) == [TODAY + 9 * DAY]


def test_what_an_old_entry_set_is_shown_where_it_was_repeated(save, told):
    for name, age in (("old", 6 * 365 * DAY), ("new", DAY)):
        save(name, [removal(TODAY + 9 * DAY, of="Aurora gateway")], age=age)

    assert told() == [(0, TODAY + 9 * DAY, [], "old")]


def test_rules_that_judge_anew_keep_places_and_tell_of_no_edit(save, told, database, now):
    save("a", [removal(TODAY + DAY, of="Aurora"), removal(TODAY + 2 * DAY, of="Basalt")])
    with database.write() as session:
        key = session.scalar(select(EntryDeadline.entry_id))
        replace_deadlines(session, {key: [removal(TODAY + 3 * DAY, of="Basalt")]})

    assert told() == [(1, TODAY + 3 * DAY, [], "a")]
