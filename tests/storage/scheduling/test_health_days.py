"""The health of a source on each of the last days."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.vocabulary import Health
from storage.scheduling.health_days import KEPT_DAYS, last_days, with_check

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
DAY = timedelta(days=1)


def checked(days, until, health=Health.HEALTHY, *, due_at=None, now=NOW):
    return with_check(days, until, health, now=now, due_at=due_at)


@pytest.mark.parametrize(
    ("before", "health", "after"),
    [
        ("h", Health.DEGRADED, "d"),
        ("d", Health.HEALTHY, "d"),
        ("d", Health.PROBLEMATIC, "p"),
        ("o", Health.HEALTHY, "o"),
        ("u", Health.HEALTHY, "h"),
        ("h", Health.UNKNOWN, "h"),
    ],
)
def test_a_day_counts_its_worst_health(before, health, after):
    assert checked(f"p{before}", TODAY, health) == (f"p{after}", TODAY)


def test_days_on_which_a_check_was_missed_are_missing():
    assert checked("h", TODAY - 3 * DAY, due_at=NOW - 3 * DAY) == ("h--h", TODAY)


def test_on_days_on_which_none_was_due_a_source_is_as_before():
    assert checked("d", TODAY - 3 * DAY, due_at=NOW) == ("dddh", TODAY)


def test_a_clock_that_is_set_back_changes_nothing():
    assert checked("hh", TODAY + DAY, Health.PROBLEMATIC) == ("hh", TODAY + DAY)


def test_what_is_shown_ends_today_and_invents_nothing():
    assert last_days("hd", TODAY - 2 * DAY, now=NOW) == " " * 86 + "hd--"
    assert last_days("", None, now=NOW) == " " * 90
    assert last_days("h", TODAY + DAY, now=NOW) == " " * 90
    assert last_days("h", TODAY - DAY, now=NOW, due_at=NOW + DAY) == " " * 88 + "hh"
    assert last_days("h" * 90, date(2020, 1, 1), now=NOW) == "-" * 90


@given(st.lists(st.tuples(st.integers(-2, 200), st.sampled_from(Health), st.integers(-200, 200))))
def test_the_record_is_bounded_and_ends_with_the_last_check(checks):
    days, until, now = "", None, NOW
    for later, health, due in checks:
        now += later * DAY
        days, until = with_check(days, until, health, now=now, due_at=now + due * DAY)

        assert 1 <= len(days) <= KEPT_DAYS
        assert len(last_days(days, until, now=now)) == KEPT_DAYS
        assert set(days) <= set("uhodp-")
