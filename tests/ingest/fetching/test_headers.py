"""What header fields mean, one field and one value at a time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetching.outcomes import as_headers, failure_of, freshness, retry_after, validators

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("120", 2 * MINUTE),
        ("1.5", timedelta(seconds=2)),
        ("Sat, 21 Nov 2026 12:05:00 GMT", 5 * MINUTE),
        ("Sat, 21 Nov 2026 11:00:00 GMT", timedelta()),
        ("", None),
        ("Sat, 99 Nov 2026 12:05:00 GMT", None),
    ],
)
def test_retry_after_in_both_forms(text, wait):
    assert retry_after({"retry-after": text}, now=NOW) == wait


@pytest.mark.parametrize(
    ("remaining", "reset", "wait"),
    [
        ("0", str(int(NOW.timestamp()) + 600), 10 * MINUTE),
        ("0", str(int(NOW.timestamp()) - 600), timedelta()),
        ("0", "99999999999", 31 * DAY),
        ("1", str(int(NOW.timestamp()) + 600), None),
    ],
)
def test_a_used_up_quota_says_when_it_is_filled_again(remaining, reset, wait):
    headers = {"x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset}

    assert retry_after(headers, now=NOW) == wait


@pytest.mark.parametrize(
    ("headers", "fresh"),
    [
        ({}, None),
        ({"cache-control": "max-age=600"}, 10 * MINUTE),
        ({"cache-control": "public, MAX-AGE = 600, must-revalidate"}, 10 * MINUTE),
        ({"cache-control": "max-age=999999999999"}, DAY),
        ({"expires": "Sat, 21 Nov 2026 12:10:00 GMT"}, 10 * MINUTE),
        ({"expires": "0"}, None),
        ({"expires": "Sat, 21 Nov 2026 11:00:00 GMT"}, timedelta()),
        (
            {"expires": "Sat, 21 Nov 2026 10:10:00 GMT", "date": "Sat, 21 Nov 2026 10:00:00 GMT"},
            10 * MINUTE,
        ),
        ({"cache-control": "max-age=60", "expires": "Sat, 21 Nov 2026 12:10:00 GMT"}, MINUTE),
    ],
)
def test_freshness_is_max_age_or_else_expires(headers, fresh):
    assert freshness(headers, now=NOW) == fresh


def test_repeated_fields_count_once_except_lists():
    raw = [
        (b"ETag", b'"a"'),
        (b"etag", b'"b"'),
        (b"Cache-Control", b"public"),
        (b"cache-control", b"max-age=60"),
    ]

    headers = as_headers(raw)

    assert headers == {"etag": '"a"', "cache-control": "public, max-age=60"}


@given(st.binary(min_size=1, max_size=100))
def test_validators_lose_no_byte(value):
    found = validators(as_headers([(b"ETag", value)]), address="https://acme.example/")

    assert found.etag.encode("latin-1") == value


@pytest.mark.parametrize("headers", [{}, {"etag": ""}, {"etag": "x" * 4097}])
def test_nothing_to_validate_with_is_no_validators(headers):
    assert validators(headers, address="https://acme.example/") is None


@given(
    st.integers(100, 599),
    st.dictionaries(
        st.sampled_from(
            [
                "retry-after",
                "cf-mitigated",
                "x-ratelimit-remaining",
                "x-ratelimit-reset",
                "expires",
                "cache-control",
            ]
        ),
        st.text(max_size=30),
    ),
)
def test_no_answer_is_too_strange(status, headers):
    failure_of(status, headers)
    wait = retry_after(headers, now=NOW)
    fresh = freshness(headers, now=NOW)

    assert wait is None or timedelta() <= wait <= 31 * DAY
    assert fresh is None or timedelta() <= fresh <= DAY
