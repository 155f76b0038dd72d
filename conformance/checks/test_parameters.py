"""Requests refused with 400 (specification 7 and 8)."""

import pytest

from conformance.callers import Caller
from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal

LIMITED = ("/sources", "/important", "/latest", "/entries")
_NO_NUMBERS = ("abc", "null", "true", "1,2", "1.5", "NaN")
_NO_LIMIT = ("0", "-1", "1000000", "9" * 20, *_NO_NUMBERS)
"""Refused by the specification alone; the lists below go further."""
_SMALLEST_TOO_LARGE = {"/entries": "201"}
"""Where it is not 101: the specification leaves open whether /entries takes 100 or 200."""
NOT_A_LIMIT = (
    "0", "-1", "101", "200", "1000000", "99999999999999999999", "abc", "", "1.0", "1e1", "1_0",
    "+5", "%205", "0x10", "%D9%A3", "%EF%BC%95", "NaN", "Infinity", "null", "true", "1,2", "%00",
)  # fmt: skip
NOT_AN_OFFSET = ("-1", "abc", "", "1.5", "1_0", "%D9%A3", "99999999999999999999999999", "-0.1")


def _asks(probe: Probe, path: str, params: str, caller: Caller) -> Response:
    """Request a list, with a source where it needs one."""
    if path == "/entries":
        params = f"sources={caller.sources[0]}&{params}"
    return probe.get(path, params, status=None, caller=caller)


def _specified(probe: Probe) -> list[str]:
    """Return the lists whose parameters count for the caller: not those of the sample."""
    return [path for path in _paths(probe) if probe.caller.key is not None or path != "/sources"]


def _paths(probe: Probe) -> list[str]:
    open_to_all = LIMITED[:3]
    return list(LIMITED if probe.caller.reads_entries else open_to_all)


@pytest.mark.origin("specification 8")
def test_limit_is_1_to_100(anybody: Probe) -> None:
    """limit 1 to 100, default 50 on /sources. 400 invalid_request: limit out of range."""
    for path in _specified(anybody):
        for value in ("1", "100"):
            response = _asks(anybody, path, f"limit={value}", anybody.caller)
            expect(response.status == 200, response, f"refused the limit {value}")
        for value in (*_NO_LIMIT, _SMALLEST_TOO_LARGE.get(path, "101")):
            response = _asks(anybody, path, f"limit={value}", anybody.caller)
            expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("docs/decisions/0079")
def test_numbers_are_plain_digits(anybody: Probe) -> None:
    """A number is written in ASCII digits, in its range on every list, for the sample too."""
    for path in _paths(anybody):
        wrong = [f"limit={value}" for value in NOT_A_LIMIT]
        for query in (*wrong, *(f"offset={value}" for value in NOT_AN_OFFSET)):
            response = _asks(anybody, path, query, anybody.caller)
            expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("specification 8")
def test_offset_is_at_least_0(anybody: Probe) -> None:
    """offset at least 0, default 0."""
    for path in _specified(anybody):
        for value in ("0", "1", "100000"):
            response = _asks(anybody, path, f"offset={value}", anybody.caller)
            expect(response.status == 200, response, f"refused the offset {value}")
        for value in ("-1", "-0.1", *_NO_NUMBERS):
            response = _asks(anybody, path, f"offset={value}", anybody.caller)
            expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("docs/decisions/0079")
def test_refusal_of_parameters_says_so(anybody: Probe) -> None:
    """For 400 the message states that one or more query parameters are invalid and the hint points
    to /openapi.json."""
    for path in _paths(anybody):
        response = _asks(anybody, path, "limit=0", anybody.caller)
        message, hint = str(response.field("message")), str(response.field("hint"))
        expected = "one or more query parameters are invalid"
        expect(expected in message.lower(), response, f"does not say that {expected}")
        expect("limit" in message, response, "does not name the parameter")
        expect("/openapi.json" in hint, response, "does not point to /openapi.json")


@pytest.mark.origin("docs/decisions/0002")
def test_unknown_parameters_are_refused(anybody: Probe) -> None:
    """Unknown query parameters are a 400: a typo must not silently return everything."""
    for path in _paths(anybody):
        for params in ("sinse=2026-01-01T00:00:00Z", "Limit=5", "limit%5B%5D=5", "api_key=x", "=5"):
            response = _asks(anybody, path, params, anybody.caller)
            expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("docs/decisions/0002")
def test_repeated_parameters_are_refused(anybody: Probe) -> None:
    """A parameter that is sent twice is refused."""
    for path in _paths(anybody):
        for params in ("limit=1&limit=2", "limit=1&limit=1", "offset=0&limit=1&offset=0"):
            response = _asks(anybody, path, params, anybody.caller)
            expect_refusal(response, 400, "invalid_request")
