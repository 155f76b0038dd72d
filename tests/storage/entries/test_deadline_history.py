"""Deadlines that are repeated and moved: which one holds, who set it, and who changed it."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import StatedDeadline, conclude

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
MAY, AUGUST, OCTOBER = date(2026, 5, 4), date(2026, 8, 3), date(2026, 10, 16)


def stated(number, evidence, day, *, title="News", kind=DeadlineKind.END_OF_LIFE, place=0):
    """Return what an entry states that was published ``number`` days after the start."""
    id_, at = 10 * number + place, START + number * DAY
    return StatedDeadline(kind, day, day, evidence, id_, number, place, title, at)


def told(*statements):
    """Return the days of each deadline, the one that holds last."""
    deadlines = {}
    for row in sorted(conclude(statements), key=lambda row: (str(row["held_from"]), row["id"])):
        if row["set_by_id"] is not None:
            [day] = [one.last_day for one in statements if one.id == row["id"]]
            deadlines.setdefault(row["set_by_id"], []).append(day)
    return sorted(deadlines.values())


FIRST = stated(1, "Aurora 2 Mini will be retired on May 4, 2026", MAY)


def test_a_date_that_moves_replaces_the_one_before_it():
    second = stated(2, "The retirement of Aurora 2 Mini was moved to August 3, 2026", AUGUST)
    third = stated(3, "Retirement date for Aurora 2 Mini updated to October 16, 2026", OCTOBER)

    assert conclude([third, FIRST, second]) == [
        {
            "id": one.id,
            "set_by_id": FIRST.id,
            "held_from": one.published_at,
            "held_until": until,
            "repeated_at": one.published_at,
        }
        for one, until in [
            (FIRST, second.published_at),
            (second, third.published_at),
            (third, None),
        ]
    ]


def test_a_reminder_of_the_same_day_only_says_that_it_was_repeated():
    reminder = stated(2, "Reminder: on May 4, 2026 we are retiring Aurora 2 Mini", MAY)

    first, second = conclude([FIRST, reminder])

    assert (first["held_until"], first["repeated_at"]) == (None, reminder.published_at)
    assert second == dict.fromkeys(first) | {"id": reminder.id}


@pytest.mark.parametrize(
    "second",
    [
        stated(2, "Aurora 2 Mini will be retired on August 3, 2026", AUGUST),
        stated(2, "It now ends on August 3, 2026", AUGUST, title="Aurora 2 Mini: new date"),
    ],
)
def test_the_same_sentence_or_title_with_another_day_moves_it(second):
    assert told(FIRST, second) == [[MAY, AUGUST]]


@pytest.mark.parametrize(
    "other",
    [
        stated(2, "Aurora 3 Mini will be retired on August 3, 2026", AUGUST),
        stated(2, "The retirement of Aurora 3 Mini was moved to August 3, 2026", AUGUST),
        stated(2, "Basalt Hub will be retired on August 3, 2026", AUGUST),
        stated(1, "Aurora 2 Mini will be retired on August 3, 2026", AUGUST, place=1),
        stated(2, "Migrate from Aurora 2 Mini by May 4, 2026", MAY, kind=DeadlineKind.MIGRATION),
        stated(2, "Aurora 2 Mini in the cloud of Europe will be retired on August 3, 2026", AUGUST),
        stated(2, "Aurora 2 Mini will be retired on August 3, 2226", date(2226, 8, 3)),
        stated(2, "Aurora 2 Mini will be retired on August 3, 2024", date(2024, 8, 3)),
    ],
)
def test_other_deadlines_stand_beside_it(other):
    assert told(FIRST, other) == sorted([[MAY], [other.last_day]])


@pytest.mark.parametrize(
    "said",
    ["Shutdown of select Data Feeds on {}", "The following models end on {}", "It ends on {}"],
)
def test_another_day_of_what_is_not_named_is_another_deadline(said):
    first, second = stated(1, said.format("May 4"), MAY), stated(2, said.format("August 3"), AUGUST)

    assert told(first, second) == [[MAY], [AUGUST]]


@given(
    st.lists(
        st.builds(
            stated,
            st.integers(0, 30),
            st.sampled_from(
                [
                    "Aurora 2 will be retired on May 4, 2026",
                    "The retirement of Aurora 2 was moved to August 3, 2026",
                    "v1 is removed",
                    "",
                ]
            ),
            st.sampled_from([MAY, AUGUST, OCTOBER]),
            place=st.integers(0, 2),
        ),
        unique_by=lambda one: one.id,
    ),
    st.randoms(),
)
def test_each_statement_is_concluded_once_whatever_their_order(statements, random):
    shuffled = random.sample(statements, len(statements))

    concluded = conclude(shuffled)

    assert concluded == conclude(statements)
    assert {row["id"] for row in concluded} == {one.id for one in statements}
