"""Facts in words."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from handlers.site.words import ago, day, in_time, number, price


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86400, "1 day ago"),
        (86400 * 29, "29 days ago"),
        (86400 * 30, "1 month ago"),
        (86400 * 364, "12 months ago"),
        (86400 * 365, "1 year ago"),
        (86400 * 800, "2 years ago"),
        (-59, "in a moment"),
        (-7200, "in 2 hours"),
    ],
)
def test_how_long_ago_something_was(now, seconds, words):
    assert ago(now - timedelta(seconds=seconds), now) == words


def test_from_a_day_on_the_days_of_the_calendar_are_counted():
    evening, morning = datetime(2026, 11, 13, 17, tzinfo=UTC), datetime(2026, 11, 24, 9, tzinfo=UTC)

    assert ago(evening, morning) == "11 days ago"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "in 1 minute"),
        (61, "in 2 minutes"),
        (99 * 60, "in 99 minutes"),
        (99 * 60 + 1, "in 2 hours"),
        (86400, "in 24 hours"),
    ],
)
def test_a_wait_is_never_said_shorter_than_it_is(seconds, words):
    assert in_time(timedelta(seconds=seconds)) == words


def test_days_counts_and_prices(now):
    assert day(now) == "21 November 2026"
    assert number(6519) == "6,519"
    assert price(Decimal("9.99"), "USD") == "$9.99"
    assert price(Decimal(0), "EUR") == "€0"
    assert price(Decimal("49.99"), "CHF") == "CHF\N{NO-BREAK SPACE}49.99"
