"""What the page of a source draws, in numbers and words."""

from datetime import UTC, date, datetime, timedelta

import pytest

from handlers.site.pages.source_drawings import cadence_words, health_picture, weeks
from openapi.vocabulary import Category
from storage.entries.activity import DayOfEntries

TODAY = date(2026, 11, 21)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (None, ""),
        (timedelta(), ""),
        (timedelta(minutes=20), "about every hour"),
        (timedelta(hours=5), "every 5 hours"),
        (timedelta(days=2.1), "every 2.1 days"),
        (timedelta(days=3), "every 3 days"),
        (timedelta(days=36.4), "every 36 days"),
    ],
)
def test_how_often_a_source_publishes(gap, words):
    assert cadence_words(gap) == words


def test_an_entry_of_several_kinds_is_drawn_once():
    both = frozenset({Category.DEPRECATION, Category.BREAKING})

    week = weeks([DayOfEntries(TODAY, both, 2)], [], oldest=TODAY, today=TODAY)[-1]

    assert week.parts == {"breaking": 2, "security": 0, "deprecation": 0, "other": 0}


def test_nothing_is_known_from_before_the_first_entry():
    found = weeks([], [], oldest=TODAY - 7 * DAY, today=TODAY)

    assert [bool(week.missing) for week in found[-3:]] == [True, False, False]
    assert all(week.missing for week in weeks([], [], oldest=None, today=TODAY))


def test_weeks_of_an_open_gap_are_marked():
    at = datetime(2026, 11, 10, 12, tzinfo=UTC)
    found = weeks([], [(at, at + DAY)], oldest=date(2000, 1, 1), today=TODAY)

    assert [week.missing for week in found[-3:]] == ["", "entries may be missing", ""]


def test_each_day_of_health_is_a_bar_and_a_row():
    picture = health_picture("-" * 87 + "hdo", today=TODAY)

    assert picture.rows[:4] == (
        ("21 November 2026", "OK"),
        ("20 November 2026", "degraded"),
        ("19 November 2026", "healthy"),
        ("18 November 2026", "no record"),
    )
    assert len(picture.drawing.rectangles) == 90 + 2
