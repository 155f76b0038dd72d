"""The times that vendors write."""

import tomllib
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.content.dates import EARLIEST, LATEST, parse_timestamp

TIMES = tomllib.loads((Path(__file__).parent / "times.toml").read_text("utf-8"))


def wire(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(("text", "moment"), TIMES["moments"].items())
def test_a_time_is_read(text, moment):
    assert wire(parse_timestamp(text)) == moment


@pytest.mark.parametrize("text", [*TIMES["none"]["texts"], "x" * 10_000, "9" * 5_000])
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
def test_a_time_is_read_back_from_every_format(naive, zone):
    moment = naive.replace(tzinfo=zone, microsecond=0)

    for written in (moment.isoformat(), moment.isoformat(sep=" "), format_datetime(moment)):
        assert parse_timestamp(written) == moment


@given(MOMENTS)
def test_a_time_without_a_zone_is_utc(naive):
    moment = naive.replace(microsecond=0)

    assert parse_timestamp(moment.isoformat()) == moment.replace(tzinfo=UTC)
