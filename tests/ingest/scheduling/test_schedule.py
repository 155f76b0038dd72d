"""When to look next: every rule of the pace, at its edges."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.schedule import (
    cadence,
    floor,
    interval,
    next_check,
    wait_after_failures,
    wait_for_entries,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
)


def days_ago(*days: float) -> list[datetime]:
    return [NOW - number * DAY for number in days]


@pytest.mark.parametrize(
    ("published", "gap"),
    [
        ([], None),
        (days_ago(1, 2, 3), DAY),
        (days_ago(1, 2, 3, 400), DAY),
        (days_ago(-1, -2, 1, 2, 4), 1.5 * DAY),
        (days_ago(5, 5, 5), None),
        (days_ago(10, 100, 200), 60 * DAY),
    ],
)
def test_the_median_gap_of_half_a_year(published, gap):
    assert cadence(published, now=NOW).median_gap == gap


@pytest.mark.parametrize(
    ("pull", "pause"), [(1 / 24, DAY), (1 / 12, 12 * HOUR), (1.0, HOUR), (100.0, 30 * MINUTE)]
)
def test_a_source_waits_by_its_pull_between_half_an_hour_and_a_day(pull, pause):
    assert wait_for_entries(pull, "", unit=HOUR, now=NOW) == pause


@pytest.mark.parametrize(
    ("wishes", "has_validators", "shortest"),
    [
        ((), True, None),
        ((2 * HOUR, 3 * HOUR, None), True, 3 * HOUR),
        ((365 * DAY,), True, DAY),
        ((HOUR,), False, 4 * HOUR),
        ((5 * HOUR,), False, 5 * HOUR),
    ],
)
def test_a_floor_is_what_the_vendor_asks_for_and_four_hours_without_validators(
    wishes, has_validators, shortest
):
    assert floor(wishes, has_validators=has_validators) == shortest


@pytest.mark.parametrize(
    ("usual", "shortest", "open_gap", "pause"),
    [
        (HOUR, None, False, HOUR),
        (HOUR, 2 * HOUR, False, 2 * HOUR),
        (3 * HOUR, 2 * HOUR, False, 3 * HOUR),
        (HOUR, None, True, 30 * MINUTE),
        (4 * HOUR, 3 * HOUR, True, 3 * HOUR),
    ],
)
def test_an_open_gap_halves_the_interval_but_not_below_what_the_vendor_asks(
    usual, shortest, open_gap, pause
):
    assert interval(usual, shortest, open_gap=open_gap) == pause


@pytest.mark.parametrize(
    ("failures", "pause"), [(1, 60), (3, 60), (4, 120), (7, 960), (8, 1440), (1000, 1440)]
)
def test_failures_double_a_quarter_of_an_hour_up_to_a_day(failures, pause):
    own = wait_after_failures(HOUR, failures, failing_for=DAY, gone=False)

    assert own == pause * MINUTE


@pytest.mark.parametrize(
    ("failing_for", "gone", "pause"),
    [(30 * DAY - SECOND, False, DAY), (30 * DAY, False, 7 * DAY), (HOUR, True, 7 * DAY)],
)
def test_a_source_that_failed_for_thirty_days_or_is_gone_waits_a_week(failing_for, gone, pause):
    assert wait_after_failures(HOUR, 50, failing_for=failing_for, gone=gone) == pause


@given(
    st.text(min_size=1, max_size=20),
    st.timedeltas(15 * MINUTE, DAY) | st.just(7 * DAY),
    st.none() | st.timedeltas(timedelta(), 31 * DAY),
)
def test_the_next_check_is_never_before_retry_after_and_always_planned(slug, own, retry_after):
    found = next_check(slug, own, retry_after=retry_after, now=NOW)

    assert found >= NOW + (own if own <= DAY else 6 * DAY)
    assert found >= NOW + (retry_after or timedelta())
    assert found <= NOW + max(7 * DAY, (retry_after or timedelta()) + HOUR)
