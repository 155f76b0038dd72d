"""Requests refused with 400 (specification 7 and 8)."""

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal

_NO_NUMBERS = ("abc", "null", "true", "1,2", "1.5", "NaN")
_NO_LIMIT = ("0", "-1", "1000000", "9" * 20, *_NO_NUMBERS)


def _lists(probe: Probe) -> list[str]:
    """Return the lists whose parameters count for the caller: not those of the sample."""
    catalog = ["/sources"] if probe.caller.key is not None else []
    return [
        "/important",
        "/latest",
        *catalog,
        *(["/entries"] if probe.caller.reads_entries else []),
    ]


def _asks(probe: Probe, path: str, params: str) -> Response:
    """Request a list, with a source where it needs one."""
    needed = f"sources={probe.source()}&" if path == "/entries" else ""
    return probe.get(path, f"{needed}{params}", status=None)


@pytest.mark.origin("specification 8")
def test_limit_is_1_to_100(anybody: Probe) -> None:
    """limit 1 to 100, default 50 on /sources; 100 or 200 on /entries. 400 invalid_request: limit
    out of range."""
    for path in _lists(anybody):
        for value in ("1", "100"):
            response = _asks(anybody, path, f"limit={value}")
            expect(response.status == 200, response, f"refused the limit {value}")
        for value in (*_NO_LIMIT, "201" if path == "/entries" else "101"):
            expect_refusal(_asks(anybody, path, f"limit={value}"), 400, "invalid_request")


@pytest.mark.origin("specification 8")
def test_offset_is_at_least_0(anybody: Probe) -> None:
    """offset at least 0, default 0."""
    for path in _lists(anybody):
        for value in ("0", "1", "100000"):
            response = _asks(anybody, path, f"offset={value}")
            expect(response.status == 200, response, f"refused the offset {value}")
        for value in ("-1", "-0.1", *_NO_NUMBERS):
            expect_refusal(_asks(anybody, path, f"offset={value}"), 400, "invalid_request")


@pytest.mark.origin("docs/decisions/0079")
def test_refusal_of_parameters_says_so(anybody: Probe) -> None:
    """For 400 the message states that one or more query parameters are invalid and the hint points
    to /openapi.json."""
    for path in _lists(anybody):
        response = _asks(anybody, path, "limit=0")
        message, hint = str(response.field("message")), str(response.field("hint"))
        expected = "one or more query parameters are invalid"
        expect(expected in message.lower(), response, f"does not say that {expected}")
        expect("/openapi.json" in hint, response, "does not point to /openapi.json")
