"""When vendors publish, and how long a wait lasts meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.rhythm import mean_speed, measured_rhythm, speeds_of_week, stretched

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
EVERY_HOUR = [MONDAY - number * 5 * HOUR - timedelta(minutes=7) for number in range(168)]
OFFICE = [
    MONDAY - week * WEEK + day * DAY + hour * HOUR + timedelta(minutes=11)
    for week in range(1, 9)
    for day in range(5)
    for hour in (13, 15, 17)
]
RHYTHM = measured_rhythm(OFFICE)
TIMES = st.lists(st.integers(0, 700 * 24 * 60).map(lambda ago: MONDAY - ago * MINUTE), max_size=60)


def test_few_entries_have_no_rhythm():
    assert measured_rhythm(OFFICE[:4]) == ""


def test_entries_of_all_hours_make_all_hours_about_alike():
    assert max(speeds_of_week(measured_rhythm(EVERY_HOUR))) < 1.15


def test_time_passes_faster_in_the_office_hours_of_a_vendor():
    speeds = speeds_of_week(RHYTHM)

    assert speeds[15] > 1.5 > 0.7 > speeds[3]  # Monday
    assert speeds[15] > 2 * speeds[5 * 24 + 15]  # Saturday


def test_dates_without_a_time_say_something_about_weekdays_only():
    dates = [at.replace(hour=0, minute=0) for at in OFFICE]

    speeds = speeds_of_week(measured_rhythm(dates))

    assert speeds[0] == speeds[15] > 2 * speeds[5 * 24]


@pytest.mark.parametrize(
    ("start", "shorter"), [(MONDAY + 14 * HOUR, True), (MONDAY + 5 * DAY, False)]
)
def test_a_wait_is_shorter_while_entries_are_likely(start, shorter):
    waited = stretched(RHYTHM, 3 * HOUR, now=start, longest=DAY)

    assert (waited < 3 * HOUR) is shorter


def test_no_wait_is_longer_than_the_longest():
    assert stretched(RHYTHM, 20 * HOUR, now=MONDAY + 5 * DAY, longest=DAY) == DAY
    assert stretched("", 30 * HOUR, now=MONDAY, longest=DAY) == DAY


@given(TIMES)
def test_the_mean_speed_of_a_week_is_one(times):
    if rhythm := measured_rhythm(times):
        assert len(rhythm) == 26
        assert sum(speeds_of_week(rhythm)) / 168 == pytest.approx(1.0)
        assert 0 < mean_speed(rhythm) < 1.1


@given(TIMES, st.integers(0, 7 * 24 * 60))
def test_a_wait_of_a_week_is_a_week_from_any_time(times, minute):
    rhythm = measured_rhythm(times)
    start = MONDAY + minute * timedelta(minutes=1)

    waited = stretched(rhythm, WEEK, now=start, longest=10 * WEEK)

    assert waited / WEEK == pytest.approx(1.0, abs=1e-6)


@given(TIMES, st.integers(0, 7 * 24 * 60), st.floats(0.1, 30), st.floats(0.1, 30))
def test_waits_add_up(times, minute, first, second):
    rhythm, start = measured_rhythm(times), MONDAY + minute * timedelta(minutes=1)
    longest = 10 * WEEK

    once = stretched(rhythm, (first + second) * HOUR, now=start, longest=longest)
    half = stretched(rhythm, first * HOUR, now=start, longest=longest)
    rest = stretched(rhythm, second * HOUR, now=start + half, longest=longest)

    assert once / HOUR == pytest.approx((half + rest) / HOUR, abs=0.01)
