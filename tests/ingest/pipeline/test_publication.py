"""When entries were published, and which of them are news."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import ParsedEntry
from ingest.pipeline.publication import Reading, conclude_dates, day_in_address, is_announced

NOW = datetime(2026, 6, 30, 14, tzinfo=UTC)
DAY = timedelta(days=1)
FIRST, LATER = Reading(NOW, is_first=True), Reading(NOW, is_first=False)


def item(at: datetime | None = None, url: str | None = None) -> ParsedEntry:
    return ParsedEntry(None, "1.2", url, at, "time" if at else "none", None)


def at(month: int, day: int, *, year: int = 2026) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def concluded(*entries: ParsedEntry, reading: Reading = FIRST) -> list[str | None]:
    """Return the days that are concluded, None where none is."""
    dates = conclude_dates(entries, reading)
    return [f"{dates[n][0]:%Y-%m-%d}" if n in dates else None for n in range(len(entries))]


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://acme.example/2024/05/03/faster-charts", at(5, 3, year=2024)),
        ("https://acme.example/changelog/2024-05-03-faster-charts", at(5, 3, year=2024)),
        ("https://acme.example/changelog%232024-05-03", at(5, 3, year=2024)),
        ("https://acme.example/releases/tag/2024.05.03", None),
        ("https://acme.example/2024-02-30", None),
        ("https://acme.example/2024-05-03/2024-05-04", None),
        ("https://acme.example/2027-05-03", None),
        ("https://acme.example/1970-01-01", None),
        ("https://[2024-05-03", None),
        (None, None),
    ],
)
def test_an_address_dates_an_entry_by_the_one_day_that_it_names(url, day):
    assert day_in_address(url, latest=NOW) == day


@pytest.mark.parametrize("ends", [(at(3, 9), at(3, 2)), (at(3, 2), at(3, 9))])
def test_an_entry_between_two_dated_ones_is_as_old_as_the_older(ends):
    assert concluded(item(ends[0]), item(), item(ends[1])) == [None, "2026-03-02", None]


def test_several_between_the_same_two_keep_the_order_of_the_page():
    dates = conclude_dates([item(at(3, 9)), item(), item(), item(at(3, 2))], FIRST)

    assert at(3, 2) < dates[2][0] < dates[1][0] < at(3, 9)
    assert {source for _, source in dates.values()} == {"neighbour"}


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([item(), item(at(3, 2))], id="above the first"),
        pytest.param([item(at(3, 2)), item()], id="below the last"),
        pytest.param([item(at(9, 1, year=2025)), item(), item(at(3, 2, year=2025))], id="apart"),
        pytest.param([item(at(3, 9)), item(at(3, 1)), item(), item(at(3, 5))], id="in no order"),
        pytest.param([item(), item()], id="none is dated"),
    ],
)
def test_without_two_close_neighbours_in_order_nothing_is_made_up(entries):
    assert set(concluded(*entries)) == {None}


@given(st.lists(st.none() | st.integers(0, 9000).map(lambda days: NOW - days * DAY)), st.booleans())
def test_a_concluded_date_lies_between_two_dates_of_the_document(moments, is_first):
    entries = [item(moment) for moment in moments]

    dates = conclude_dates(entries, Reading(NOW, is_first))

    known = [moment for moment in moments if moment is not None]
    assert all(moments[place] is None for place in dates)
    assert all(
        min(known) <= at <= max(known) + timedelta(milliseconds=len(entries))
        for at, _ in dates.values()
    )


@pytest.mark.parametrize(
    ("published_at", "date_source", "reading", "announced"),
    [
        (NOW - 7 * DAY, "pubDate", FIRST, True),
        (NOW - 7 * DAY - timedelta(seconds=1), "pubDate", FIRST, False),
        (NOW + DAY, "pubDate", FIRST, False),
        (NOW, "undated", FIRST, False),
        (NOW - 99 * DAY, "pubDate", LATER, True),
        (NOW, "first_seen", LATER, True),
    ],
)
def test_a_first_reading_announces_the_last_seven_days(
    published_at, date_source, reading, announced
):
    assert is_announced(published_at, date_source, reading) is announced
