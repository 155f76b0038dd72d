"""Asking for a source (specification 4.3). These checks write: they are made on demand only."""

import json
from typing import Any

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal

_MOST = 30
"""More requests than any limit by the minute that the suite expects."""


def _post(probe: Probe, body: Any) -> Response:
    headers = {**probe.caller.headers, "Content-Type": "application/json"}
    path, sent = probe.site.base_path + "/sources/request", json.dumps(body).encode()
    return probe.site.send("POST", path, headers=headers, body=sent)


def _url(probe: Probe) -> str:
    return f"https://conformance.example/changelog/{probe.now:%Y%m%d%H%M%S}"


@pytest.mark.origin("specification 2.4")
def test_a_request_is_taken(writer: Probe) -> None:
    """id, status: initial value pending, url: the submitted URL, message: only the URL and the
    optional note are stored."""
    url = _url(writer)
    extras = {"name": "A", "vendor": "b", "note": "A check.", "email": "ada@conformance.example"}
    response = _post(writer, {"url": url, **extras})
    writer.needs(response.status != 429, "the rate limit was reached; try again later")
    expect(response.status == 201, response, f"answered {response.status} instead of 201")
    for name in ("id", "message"):
        value = response.field(name)
        expect(isinstance(value, str) and bool(value), response, f"has no {name}")
    expect(response.field("status") == "pending", response, "is not pending")
    expect(response.field("url") == url, response, "has another URL")


@pytest.mark.origin("specification 4.3")
def test_a_wrong_body_is_refused(writer: Probe) -> None:
    """url: string (uri), required. Errors: 400 (invalid body)."""
    for body in ({}, {"url": "not a uri"}):
        response = _post(writer, body)
        writer.needs(response.status != 429, "the rate limit was reached; try again later")
        expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("specification 4.3")
def test_too_many_requests_are_refused(writer: Probe) -> None:
    """Public, no authentication; rate-limited: 429 within 30 requests in a row."""
    body = {"url": _url(writer)}  # the same one, which need not be stored again
    responses = (_post(writer, body) for _ in range(_MOST))
    limited = next((one for one in responses if one.status == 429), None)
    assert limited is not None, f"{_MOST} requests for a source in a row were taken"
    wait = limited.headers.get("retry-after", "1")
    expect(wait.isdecimal() and int(wait) > 0, limited, f"has Retry-After {wait!r}")
