"""Drawings: where rectangles, marks and labels stand."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from handlers.site.drawings import Mark, axis, bars, distribution, strip

TODAY = date(2026, 11, 21)


def mark(day, label=""):
    return Mark(day, "removal", "The old console is removed", label)


def test_a_strip_is_as_high_as_its_highest_column():
    drawn = strip([("first", {"breaking": 1, "other": 3}, False), ("second", {"other": 2}, False)])

    assert [(box.y, box.height, box.kind) for box in drawn.rectangles] == [
        (54.0, 18.0, "breaking"),
        (0.0, 54.0, "other"),
        (36.0, 36.0, "other"),
    ]


def test_a_column_without_anything_is_a_line_and_one_that_is_missing_is_hatched():
    gaps = [("gap", {}, True), ("gap", {"other": 2}, True)]
    drawn = strip([("quiet", {"other": 0}, False), *gaps])

    assert [(box.kind, box.height) for box in drawn.rectangles] == [
        ("none", 1),
        ("missing", 72),
        ("missing", 72),
        ("other", 72.0),
    ]


def test_a_bar_shows_what_is_missing_to_the_whole():
    drawn = bars([("a", "healthy", 1.0), ("b", "degraded", 0.5), ("c", "", None)], "then", "now")

    assert [(box.kind, box.height) for box in drawn.rectangles] == [
        ("healthy", 34.0),
        ("rest", 34),
        ("degraded", 17.0),
        ("missing", 34),
    ]
    assert [label.text for label in drawn.labels] == ["then", "now"]


def test_a_distribution_divides_the_whole_width():
    drawn = distribution([("a", "healthy", 3), ("b", "ok", 0), ("c", "degraded", 1)])

    assert [(box.x, box.width, box.kind) for box in drawn.rectangles] == [
        (0.0, 75.0, "healthy"),
        (75.0, 25.0, "degraded"),
    ]


def test_nothing_at_all_can_be_drawn():
    assert strip([]).rectangles == bars([], "", "").rectangles == distribution([]).rectangles == ()
    assert axis([], start=TODAY, end=TODAY).marks == ()


def test_marks_of_one_day_stand_above_each_other():
    drawn = axis([mark(TODAY), mark(TODAY)], start=TODAY, end=TODAY + timedelta(days=365))

    assert [(x, y) for _, x, y in drawn.marks] == [(0.0, 23), (0.0, 8)]


def test_marks_outside_of_the_axis_are_not_drawn():
    marks = [mark(TODAY - timedelta(days=1)), mark(TODAY + timedelta(days=11))]

    assert axis(marks, start=TODAY, end=TODAY + timedelta(days=10)).marks == ()


def test_labels_that_would_touch_are_left_out():
    marks = [mark(TODAY + timedelta(days=days), str(days)) for days in (0, 10, 180, 365)]

    drawn = axis(marks, start=TODAY, end=TODAY + timedelta(days=365))

    assert [(label.text, label.anchor) for label in drawn.labels] == [
        ("0", "start"),
        ("180", "middle"),
        ("365", "end"),
    ]


def test_months_are_named_and_january_by_its_year():
    drawn = axis([], start=TODAY, end=date(2027, 3, 15), today=TODAY)

    assert [label.text for label in drawn.months] == ["Dec", "2027", "Feb", "Mar"]
    assert drawn.today == 0


@given(st.lists(st.dictionaries(st.sampled_from(["breaking", "other"]), st.integers(0, 10**6))))
def test_whatever_is_counted_stays_inside_of_a_strip(counts):
    drawn = strip([("", parts, False) for parts in counts])

    for box in drawn.rectangles:
        assert 0 <= box.x <= box.x + box.width <= 100.1
        assert box.y >= 0


@given(st.lists(st.integers(0, 800), max_size=40))
def test_whatever_is_marked_stays_inside_of_an_axis(days):
    marks = [mark(TODAY + timedelta(days=day), "a label") for day in days]

    drawn = axis(marks, start=TODAY, end=TODAY + timedelta(days=800))

    assert len(drawn.marks) == len(days)
    assert all(0 <= x <= 100 and 0 < y < drawn.line for _, x, y in drawn.marks)
