"""A line of time: where marks and labels stand."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from handlers.site.drawings import Mark, axis

TODAY = date(2026, 11, 21)


def mark(day):
    return Mark(day, "removal", "The old console is removed")


def test_months_are_named_and_january_by_its_year():
    drawn = axis([], start=TODAY, end=date(2027, 3, 15), today=TODAY)

    assert [label.text for label in drawn.months] == ["Dec", "2027", "Feb", "Mar"]


@given(st.lists(st.integers(-400, 1200), max_size=40))
def test_what_lies_on_an_axis_is_marked_at_a_place_of_its_own(days):
    marks = [mark(TODAY + timedelta(days=day)) for day in days]

    drawn = axis(marks, start=TODAY, end=TODAY + timedelta(days=800))

    assert len(drawn.marks) == sum(0 <= day <= 800 for day in days)
    assert all(0 <= x <= 100 and 0 < y < drawn.line for _, x, y in drawn.marks)
