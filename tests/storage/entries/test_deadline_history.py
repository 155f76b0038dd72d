"""Deadlines that are repeated and moved: which one holds, who set it, and who changed it."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.contract import load_contract
from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import StatedDeadline, current_deadlines

START = datetime(2026, 1, 1, tzinfo=UTC)
MAY, AUGUST, OCTOBER = date(2026, 5, 4), date(2026, 8, 3), date(2026, 10, 16)


def stated(
    number: int,
    evidence: str,
    day: date,
    *,
    title: str = "News",
    kind: DeadlineKind = DeadlineKind.END_OF_LIFE,
    source: int = 1,
    place: int = 0,
) -> StatedDeadline:
    at = START + timedelta(days=number)
    return StatedDeadline((number, place), source, kind, day, day, evidence, title, at)


def summary(*statements: StatedDeadline):
    return [
        (
            deadline.stated.last_day,
            deadline.set_by.key[0],
            deadline.stated.key[0] if deadline.replaced else None,
            [before.last_day for before in deadline.replaced],
        )
        for deadline in current_deadlines(statements)
    ]


FIRST = stated(1, "Aurora 2 Mini will be retired on May 4, 2026", MAY)


def test_a_date_that_moves_replaces_the_one_before_it():
    second = stated(2, "The retirement of Aurora 2 Mini was moved to August 3, 2026", AUGUST)
    third = stated(3, "Retirement date for Aurora 2 Mini updated to October 16, 2026", OCTOBER)

    assert summary(third, FIRST, second) == [(OCTOBER, 1, 3, [MAY, AUGUST])]


def test_a_reminder_of_the_same_day_adds_nothing():
    reminder = stated(2, "Reminder: on May 4, 2026 we are retiring Aurora 2 Mini", MAY)

    assert summary(FIRST, reminder) == [(MAY, 1, None, [])]


def test_the_same_sentence_with_another_day_moves_it_without_saying_so():
    again = stated(2, "Aurora 2 Mini will be retired on August 3, 2026", AUGUST)

    assert summary(FIRST, again) == [(AUGUST, 1, 2, [MAY])]


def test_the_title_tells_the_subject_where_the_sentence_only_points():
    one = stated(1, "After May 4, 2026 it stops working", MAY, title="Parcel Gateway v1 retires")
    two = stated(
        2, "It now ends on August 3, 2026", AUGUST, title="Parcel Gateway v1: new retirement date"
    )

    assert summary(one, two) == [(AUGUST, 1, 2, [MAY])]


@pytest.mark.parametrize(
    "other",
    [
        stated(2, "Aurora 3 Mini will be retired on August 3, 2026", AUGUST),
        stated(2, "The retirement of Aurora 3 Mini was moved to August 3, 2026", AUGUST),
        stated(2, "Basalt Hub will be retired on August 3, 2026", AUGUST),
        stated(2, "Aurora 2 Mini will be retired on August 3, 2026", AUGUST, source=2),
        stated(2, "Migrate from Aurora 2 Mini by May 4, 2026", MAY, kind=DeadlineKind.MIGRATION),
        stated(2, "Aurora 2 Mini in the cloud of Europe will be retired on August 3, 2026", AUGUST),
    ],
)
def test_other_deadlines_stand_beside_it(other):
    assert [after is None for _, _, after, _ in summary(FIRST, other)] == [True, True]


def test_two_deadlines_of_one_entry_are_two():
    second = stated(1, "Aurora 2 Mini will be retired on August 3, 2026", AUGUST, place=1)

    assert len(summary(FIRST, second)) == 2


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
            source=st.integers(1, 2),
            place=st.integers(0, 2),
        ),
        unique_by=lambda one: one.key,
    ),
    st.randoms(),
)
def test_every_statement_is_in_one_deadline_at_most_and_the_order_does_not_matter(
    statements, random
):
    deadlines = current_deadlines(statements)
    shuffled = list(statements)
    random.shuffle(shuffled)

    told = [one.key for deadline in deadlines for one in (deadline.stated, *deadline.replaced)]
    assert len(told) == len(set(told))
    assert {current_deadline.stated.key for current_deadline in current_deadlines(shuffled)} == {
        deadline.stated.key for deadline in deadlines
    }
    assert all(
        deadline.set_by.published_at <= deadline.stated.published_at for deadline in deadlines
    )


def test_a_date_that_moves_without_end_keeps_as_many_days_as_the_contract_promises():
    schema = load_contract()["components"]["schemas"]["EntryDeadline"]["properties"]["replaced"]
    moves = [
        stated(number, f"The retirement of Aurora 2 Mini was moved to {day}", day)
        for number in range(schema["maxItems"] + 2)
        for day in [(MAY, AUGUST)[number % 2]]
    ]

    [deadline] = current_deadlines(moves)

    assert len(deadline.replaced) == schema["maxItems"]
    assert deadline.replaced[-1] is moves[-2]
