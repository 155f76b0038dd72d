"""How a deprecated operation tells its callers."""

from datetime import date, datetime
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_diff.lifecycle import read_date
from openapi.deprecation import deprecation_headers, violations

ENDING = {"deprecated": True, "x-deprecated-at": "2026-01-01", "x-sunset": "2026-12-31"}


def test_a_deprecated_operation_says_since_when_and_until_when():
    assert deprecation_headers(ENDING) == {
        "Deprecation": "@1767225600",
        "Sunset": "Thu, 31 Dec 2026 00:00:00 GMT",
    }


def test_the_policy_is_linked():
    headers = deprecation_headers(ENDING, policy_url="https://acme.example/policy")

    assert headers["Link"] == (
        '<https://acme.example/policy>; rel="deprecation"; type="text/html", '
        '<https://acme.example/policy>; rel="sunset"; type="text/html"'
    )


@pytest.mark.parametrize("operation", [{}, {**ENDING, "deprecated": False}])
def test_what_is_not_deprecated_says_nothing(operation):
    assert deprecation_headers(operation, policy_url="https://acme.example/policy") == {}


def test_a_date_that_cannot_be_read_leaves_its_header_out():
    assert deprecation_headers({**ENDING, "x-sunset": "soon"}) == {"Deprecation": "@1767225600"}


@given(st.dates(min_value=date(1970, 1, 1)))
def test_both_headers_name_the_same_midnight_for_the_same_day(day):
    headers = deprecation_headers(
        {"deprecated": True, "x-deprecated-at": day, "x-sunset": day.isoformat()}
    )

    sunset = parsedate_to_datetime(headers["Sunset"])
    assert headers["Deprecation"] == f"@{int(sunset.timestamp())}"
    assert sunset.date() == day


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-11-21", date(2026, 11, 21)),
        (date(2026, 11, 21), date(2026, 11, 21)),
        (datetime(2026, 11, 21, 23, 59), date(2026, 11, 21)),  # noqa: DTZ001 - as YAML reads it
        ("20261121", None),
        ("2026-W47-6", None),
        ("2026-02-30", None),
        ("soon", None),
        (20261121, None),
        (None, None),
    ],
)
def test_a_day_is_written_in_one_way(value, day):
    assert read_date(value) == day


@pytest.mark.parametrize(
    ("operation", "sentences"),
    [
        ({}, []),
        (ENDING, []),
        (
            {"deprecated": True},
            ["is deprecated without x-deprecated-at", "is deprecated without x-sunset"],
        ),
        ({"x-sunset": "2026-12-31"}, ["has x-sunset but is not deprecated"]),
        (
            {**ENDING, "x-sunset": "soon"},
            ["has x-sunset: soon, which is not a day (YYYY-MM-DD)"],
        ),
        (
            {**ENDING, "x-sunset": "2026-06-29"},
            ["goes away on 2026-06-29, less than 180 days after 2026-01-01"],
        ),
        ({**ENDING, "x-sunset": "2026-06-30"}, []),
    ],
)
def test_a_deprecation_has_both_dates_and_enough_between_them(operation, sentences):
    assert list(violations(operation)) == sentences
