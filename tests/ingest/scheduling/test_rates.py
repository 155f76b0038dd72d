"""How many entries are expected of a source."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.rhythm import expected_rate

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def days_ago(*days: float) -> list[datetime]:
    return sorted({NOW - number * DAY for number in days})


def every(gap: float, *, since: float = 400) -> list[datetime]:
    return days_ago(*(number * gap for number in range(int(since / gap) + 1)))


def test_nothing_known_is_two_entries_in_thirty_days():
    assert expected_rate([], now=NOW) == pytest.approx(2 / 30)


@pytest.mark.parametrize("gap", [0.5, 1, 3, 10])
def test_a_steady_vendor_is_expected_to_go_on(gap):
    assert expected_rate(every(gap), now=NOW) == pytest.approx(1 / gap, rel=0.15)


def test_a_vendor_that_fell_silent_is_expected_to_publish_seldom():
    assert expected_rate(days_ago(200, 300, 400), now=NOW) < 1 / 90


def test_the_first_entry_of_a_source_counts_as_its_beginning_only():
    assert expected_rate(days_ago(1), now=NOW) == pytest.approx(2 / 31, rel=0.05)


def test_a_burst_raises_what_is_expected_of_the_next_days():
    quiet = days_ago(20, 60, 100, 140, 179, 300)

    assert expected_rate([*quiet, *days_ago(1, 2, 3)], now=NOW) > 2 * expected_rate(quiet, now=NOW)


@given(st.lists(st.floats(0, 500), min_size=1, max_size=40), st.floats(0.01, 6.9))
def test_one_more_entry_this_week_never_lowers_what_is_expected(ages, newer):
    past = days_ago(*ages, 8)
    more = sorted({*past, NOW - newer * DAY})

    assert expected_rate(more, now=NOW) >= expected_rate(past, now=NOW)


@given(st.lists(st.floats(0, 500), max_size=40))
def test_something_is_expected_of_everybody(ages):
    assert 0 < expected_rate(days_ago(*ages), now=NOW) <= len(ages) + 2
