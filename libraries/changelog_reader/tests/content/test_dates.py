"""The times that vendors write."""

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.content.dates import EARLIEST, LATEST, parse_timestamp

TWO = "2026-06-30T14:00:00Z"
MIDNIGHT = "2026-06-30T00:00:00Z"


def wire(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        # RFC 822 and 2822
        ("Tue, 30 Jun 2026 14:00:00 +0000", TWO),
        ("Tue, 30 Jun 2026 14:00:00 GMT", TWO),
        ("Tue, 30 Jun 2026 14:00:00 Z", TWO),
        ("Tue, 30 Jun 2026 16:00:00 +0200", TWO),
        ("Tue, 30 Jun 2026 10:00:00 EDT", TWO),
        ("Tue, 30 Jun 2026 07:00 PDT", TWO),
        ("30 Jun 2026 14:00:00 -0000", TWO),
        ("30 Jun 26 14:00:00 UT", TWO),
        ("30 Jun 99 14:00:00 UT", "1999-06-30T14:00:00Z"),
        ("Tue, 30 Jun 2026 14:00:00 +0000 (Coordinated Universal Time)", TWO),
        # the liberties of feeds
        ("Wed, 30 jun 2026 14:00:00 gmt", TWO),
        ("Tue,30 Jun 2026 14:00:00GMT", TWO),
        ("Tue, 30 June 2026 14:00:00 +00:00", TWO),
        ("Tue,  30 Jun 2026  14:00:00", TWO),
        ("30-Jun-2026 14:00:00", TWO),
        ("Tuesday, 30 June 2026", MIDNIGHT),
        ("June 30, 2026", MIDNIGHT),
        ("Jun 30, 2026, 2:00 PM UTC", TWO),
        ("June 30, 2026 at 02:00 p.m.", TWO),
        ("30th June 2026", MIDNIGHT),
        ("30 de junio de 2026", MIDNIGHT),
        ("30. Juni 2026, 14:00", TWO),
        ("30 août 2026", "2026-08-30T00:00:00Z"),
        ("lun., 01 janv. 2024 10:00:00 +0100", "2024-01-01T09:00:00Z"),
        ("30.06.2026 14:00", TWO),
        ("Tue Jun 30 14:00:00 2026", TWO),
        ("Tue Jun 30 14:00:00 UTC 2026", TWO),
        ("Tue Jun 30 2026 16:00:00 GMT+0200 (Central European Summer Time)", TWO),
        # RFC 3339 and ISO 8601
        ("2026-06-30T14:00:00Z", TWO),
        ("2026-06-30t14:00:00z", TWO),
        ("2026-06-30T16:00:00+02:00", TWO),
        ("2026-06-30T16:00:00+0200", TWO),
        ("2026-06-30T16:00:00+02", TWO),
        ("2026-06-30T14:00:00.999999999Z", TWO),
        ("2026-06-30T14:00:00,5Z", TWO),
        ("2026-06-30 14:00:00", TWO),
        ("2026-06-30 14:00:00 UTC", TWO),
        ("2026-06-30 16:00:00 +0200 CEST", TWO),
        ("2026-06-30T14:00", TWO),
        ("2026-06-30 T 14:00:00Z", TWO),
        ("20260630T140000Z", TWO),
        ("20260630", MIDNIGHT),
        ("2026/6/30 14:00", TWO),
        ("2026年6月30日", MIDNIGHT),
        ("２０２６-06-30", MIDNIGHT),
        ("2026-06-29T24:00:00Z", MIDNIGHT),
        ("2026-06", "2026-06-01T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        # far away, but a time
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("3026-06-30T14:00:00Z", "3026-06-30T14:00:00Z"),
        ("9998-12-31T23:59:59Z", "9998-12-31T23:59:59Z"),
        ("Tue, 30 Jun 2026 14:00:00 XYZ", TWO),
    ],
)
def test_a_time_is_read(text, moment):
    assert wire(parse_timestamp(text)) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "yesterday",
        "Fri, 31 Feb 2026 10:00:00 GMT",
        "2026-02-29",
        "2026-13-01",
        "2026-07-00",
        "0000-00-00T00:00:00Z",
        "2026-06-30T25:00:00Z",
        "2026-06-30T24:00:01Z",
        "2026-06-30T14:60:00Z",
        "2026-06-30 13:00 PM",
        "2026-06-30T14:00:00+25:00",
        "2026-06-30T14:00:00+02:75",
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-12:00",
        "10000-01-01T00:00:00Z",
        "1704067200",
        "1704067200000",
        "2026",
        "10",
        "March",
        "30 Foo 2026",
        "01/02/2026",
        "version 1.2.3",
        "2026-06-30T14:00:00Z and more",
        "x" * 10_000,
        "9" * 5_000,
    ],
)
def test_what_is_no_time_is_none(text):
    assert parse_timestamp(text) is None


@given(
    st.text()
    | st.text(alphabet="0123456789 :-+TZ./,()GMTjanuebApm年月日")
    | st.from_regex(r"[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [0-9]{2,4} [0-9:]{0,8} [A-Z+0-9:-]*")
)
@example("\ud800")
def test_any_text_is_a_time_in_range_or_none(text):
    moment = parse_timestamp(text)

    if moment is not None:
        assert EARLIEST <= moment <= LATEST
        assert moment.utcoffset() == timedelta(0)
        assert moment.microsecond == 0


MOMENTS = st.integers(1, 250_000_000_000).map(
    lambda seconds: (EARLIEST + timedelta(days=1, seconds=seconds)).replace(tzinfo=None)
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(MOMENTS, ZONES)
def test_a_time_in_iso_format_is_read_back(naive, zone):
    moment = naive.replace(tzinfo=zone, microsecond=0)

    assert parse_timestamp(moment.isoformat()) == moment
    assert parse_timestamp(moment.isoformat(sep=" ")) == moment


@given(MOMENTS, ZONES)
def test_a_time_in_mail_format_is_read_back(naive, zone):
    moment = naive.replace(tzinfo=zone, microsecond=0)

    assert parse_timestamp(format_datetime(moment)) == moment


@given(MOMENTS)
def test_a_time_without_a_zone_is_utc(naive):
    moment = naive.replace(microsecond=0)

    assert parse_timestamp(moment.isoformat()) == moment.replace(tzinfo=UTC)
