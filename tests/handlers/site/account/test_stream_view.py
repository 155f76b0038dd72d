"""What the address of one's own stream says."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.account.stream_view import (
    NOTHING,
    PERIODS,
    StreamView,
    both,
    parse_stream_view,
)
from handlers.site.stream_filter import StreamFilter, filter_query
from openapi.vocabulary import Category, Kind
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.filter_parsing import filter_text, parse_filter

WORDS = st.text(min_size=1, max_size=20).map(lambda text: " ".join(text.replace("\0", "").split()))
VIEWS = st.builds(
    StreamView,
    st.builds(
        StreamFilter,
        q=WORDS.map(lambda words: words or None),
        category=st.none() | st.sampled_from(Category),
        vendor=st.none() | st.sampled_from(["acme", "a & b", "ä?#"]),
        kind=st.none() | st.sampled_from(Kind),
    ),
    saved=st.none() | st.sampled_from(["flt_1", "x"]),
    days=st.none() | st.sampled_from(list(PERIODS)),
)
MOMENTS = st.none() | st.integers(0, 300).map(
    lambda days: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days)
)
FILTERS = st.builds(
    EntryFilter,
    sources=st.none() | st.frozensets(st.sampled_from(["a.b", "c.d", "e.f"])),
    vendor=st.sampled_from([None, "acme", "globex"]),
    tag=st.sampled_from([None, "cloud"]),
    kind=st.sampled_from([None, Kind.BLOG, Kind.CHANGELOG]),
    category=st.none() | st.frozensets(st.sampled_from(list(Category)), min_size=1),
    since=MOMENTS,
    until=MOMENTS,
    prerelease=st.sampled_from([None, True, False]),
)


@given(VIEWS)
def test_an_address_says_what_its_view_is(view):
    query = urlsplit(view.link(40)).query

    assert parse_stream_view(dict(parse_qsl(query))) == view


@given(FILTERS, FILTERS)
def test_both_filters_hold_in_any_order(one, other):
    assert both(one, other) == both(other, one)
    assert both(one, EVERYTHING) == one
    assert both(one, one) == one


def test_filters_that_contradict_each_other_let_nothing_through():
    assert both(EntryFilter(vendor="acme"), EntryFilter(vendor="globex")) == NOTHING
    security, breaking = (frozenset({each}) for each in (Category.SECURITY, Category.BREAKING))
    assert both(EntryFilter(category=security), EntryFilter(category=breaking)) == NOTHING


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("api", "key", "api key"),
        ('"private preview"', "-beta", '"private preview" -beta'),
        ('a "b', 'c "d"', 'a  b c "d"'),
        ('"', "x", "x"),
    ],
)
def test_words_of_both_have_to_occur(one, other, words):
    assert both(EntryFilter(q=one), EntryFilter(q=other)).q.strip() == words


@given(FILTERS.filter(lambda filter_: filter_.sources != frozenset()))
def test_a_filter_can_be_saved_as_what_it_says(filter_):
    query = filter_query(filter_)

    if query:
        assert parse_filter(filter_text(dict(parse_qsl(query)))) == filter_


def test_a_period_counts_today_and_takes_the_place_of_days():
    today = date(2026, 11, 21)
    dated = StreamView(StreamFilter(since=today, until=today))
    week = dated.with_(days=7)

    assert week == StreamView(days=7)
    assert week.own_filter(today).since == datetime(2026, 11, 14, 23, 59, 59, 999999, tzinfo=UTC)
    assert week.own_filter(today).until is None
    assert week.lasting_filter() == EVERYTHING
    assert parse_stream_view({"days": "7", "since": "2026-11-01"}).days is None
