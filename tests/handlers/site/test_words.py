"""Facts in words."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from handlers.site.words import ago, days_away, in_time, number, price, span


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (59, "just now"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86400 * 30, "1 month ago"),
        (86400 * 800, "2 years ago"),
        (-7200, "in 2 hours"),
    ],
)
def test_how_long_ago_something_was(now, seconds, words):
    assert ago(now - timedelta(seconds=seconds), now) == words


def test_from_a_day_on_the_days_of_the_calendar_are_counted():
    evening, morning = datetime(2026, 11, 13, 17, tzinfo=UTC), datetime(2026, 11, 24, 9, tzinfo=UTC)

    assert ago(evening, morning) == "11 days ago"
    assert days_away(date(2026, 12, 16), date(2026, 11, 23)) == "in 23 days"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "in 1 minute"), (61, "in 2 minutes"), (5941, "in 2 hours")]
)
def test_a_wait_is_never_said_shorter_than_it_is(seconds, words):
    assert in_time(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2027-03-01", "2027-03-01", "1 March 2027"),
        ("2027-12-01", "2027-12-31", "December 2027"),
        ("2027-01-01", "2027-12-31", "2027"),
        ("2027-03-02", "2027-03-31", "2 March 2027 to 31 March 2027"),
    ],
)
def test_a_span_is_said_as_a_vendor_would(first, last, words):
    assert span(date.fromisoformat(first), date.fromisoformat(last)) == words


def test_counts_and_prices():
    assert number(6519) == "6,519"
    assert price(Decimal("9.99"), "USD") == "$9.99"
    assert price(Decimal("49.99"), "CHF") == "CHF\N{NO-BREAK SPACE}49.99"
