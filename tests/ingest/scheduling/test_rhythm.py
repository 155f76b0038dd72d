"""How many entries are expected of a vendor and when, and how long a wait lasts meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.schedule import (
    expected_rate,
    mean_speed,
    measured_rhythm,
    speeds_of_week,
    stretched,
)

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
OFFICE = [
    MONDAY - week * WEEK + day * DAY + hour * HOUR + timedelta(minutes=11)
    for week in range(1, 9)
    for day in range(5)
    for hour in (13, 15, 17)
]
RHYTHM = measured_rhythm(OFFICE)
TIMES = st.lists(st.integers(0, 700 * 24 * 60).map(lambda ago: MONDAY - ago * MINUTE), max_size=60)


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


def days_ago(*days: float) -> list[datetime]:
    return sorted({MONDAY - number * DAY for number in days})


def every(gap: float, *, since: float = 400) -> list[datetime]:
    return days_ago(*(number * gap for number in range(int(since / gap) + 1)))


def test_nothing_known_is_two_entries_in_thirty_days():
    assert expected_rate([], now=MONDAY) == pytest.approx(2 / 30)


@pytest.mark.parametrize("gap", [0.5, 10])
def test_a_steady_vendor_is_expected_to_go_on(gap):
    assert expected_rate(every(gap), now=MONDAY) == pytest.approx(1 / gap, rel=0.15)


def test_a_vendor_that_fell_silent_is_expected_to_publish_seldom():
    assert expected_rate(days_ago(200, 300, 400), now=MONDAY) < 1 / 90


def test_a_burst_raises_what_is_expected_of_the_next_days():
    quiet = days_ago(20, 60, 100, 140, 179, 300)

    assert expected_rate([*quiet, *days_ago(1, 2, 3)], now=MONDAY) > 2 * expected_rate(
        quiet, now=MONDAY
    )


@given(st.lists(st.floats(0, 500), min_size=1, max_size=40), st.floats(0.01, 6.9))
def test_one_more_entry_this_week_never_lowers_what_is_expected(ages, newer):
    past = days_ago(*ages, 8)
    more = sorted({*past, MONDAY - newer * DAY})

    assert expected_rate(more, now=MONDAY) >= expected_rate(past, now=MONDAY)
