"""Requests refused with 400 (specification 7 and 8)."""

import pytest

from conformance.lists import lists_of
from conformance.probe import Probe, expect

_NO_NUMBERS = ("abc", "null", "true", "1,2", "1.5", "NaN")
_NO_LIMIT = ("0", "-1", "1000000", "9" * 20, *_NO_NUMBERS)


@pytest.mark.origin("specification 8")
def test_limit_is_1_to_100(anybody: Probe) -> None:
    """limit 1 to 100, default 50 on /sources; 100 or 200 on /entries. 400 invalid_request: limit
    out of range."""
    for path, params in lists_of(anybody):
        for value in ("1", "100"):
            anybody.get(path, {**params, "limit": value})
        for value in (*_NO_LIMIT, "201" if path == "/entries" else "101"):
            anybody.get_refused(path, {**params, "limit": value})


@pytest.mark.origin("specification 8")
def test_offset_is_at_least_0(anybody: Probe) -> None:
    """offset at least 0, default 0."""
    for path, params in lists_of(anybody):
        for value in ("0", "1", "100000"):
            anybody.get(path, {**params, "offset": value})
        for value in ("-1", "-0.1", *_NO_NUMBERS):
            anybody.get_refused(path, {**params, "offset": value})


@pytest.mark.origin("docs/decisions/0079")
def test_refusal_of_parameters_says_so(anybody: Probe) -> None:
    """For 400 the message states that one or more query parameters are invalid and the hint points
    to /openapi.json."""
    for path, params in lists_of(anybody):
        response = anybody.get(path, {**params, "limit": 0}, status=400)
        expected = "one or more query parameters are invalid"
        said = expected in str(response.field("message")).lower()
        expect(said, response, f"does not say that {expected}")
        hinted = "/openapi.json" in str(response.field("hint"))
        expect(hinted, response, "does not point to /openapi.json")
