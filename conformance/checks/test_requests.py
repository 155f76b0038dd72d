"""Asking for a source (specification 4.3). These checks write: they are made on demand only."""

import json
from typing import Any

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal

_EMAIL = "ada@conformance.example"
_MOST = 30
"""More requests than any limit by the minute that the suite expects."""


def _post(probe: Probe, body: Any, media_type: str = "application/json") -> Response:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = probe.ask(
        "POST", "/sources/request", headers={"Content-Type": media_type}, body=sent
    )
    if response.status == 429:
        pytest.skip("the rate limit was reached; try again later")
    return response


def _path(probe: Probe) -> str:
    return f"changelog/{probe.now:%Y%m%d%H%M%S}"


def _taken(probe: Probe) -> Response:
    """Return the response to a request that several checks share, because of the rate limit."""
    if "request" not in probe.remembered:
        extras = {"name": "A", "vendor": "b", "note": "A check.", "email": _EMAIL}
        body = {"url": f"https://conformance.example/{_path(probe)}", **extras}
        probe.remembered["request"] = _post(probe, body)
    return probe.remembered["request"]


@pytest.mark.origin("specification 2.4")
def test_a_request_is_taken(writer: Probe) -> None:
    """id, status: initial value pending, url: the submitted URL, message: only the URL and the
    optional note are stored."""
    url, response = f"https://conformance.example/{_path(writer)}", _taken(writer)
    expect(response.status == 201, response, f"answered {response.status} instead of 201")
    expect(isinstance(response.field("id"), str), response, "has no id")
    expect(response.field("status") == "pending", response, "is not pending")
    expect(response.field("url") == url, response, "has another URL")
    message = response.field("message")
    said = isinstance(message, str) and bool(message)
    expect(said, response, "does not say what is stored")


@pytest.mark.origin("docs/decisions/0009")
def test_a_request_says_what_is_stored(writer: Probe) -> None:
    """The message names the URL and the note, and the response nothing that is not stored."""
    response = _taken(writer)
    message = str(response.field("message")).lower()
    expect("url" in message and "note" in message, response, "does not say what is stored")
    expect(_EMAIL not in response.text, response, "gives back what is not stored")


@pytest.mark.origin("docs/decisions/0009")
def test_a_request_is_taken_once(writer: Probe) -> None:
    """The same URL (normalised) while still pending returns the same id. What is left of the limits
    stands in RateLimit and RateLimit-Policy."""
    first = _taken(writer)
    same_url = {"url": f"https://Conformance.Example/{_path(writer)}/#newest"}
    again = _post(writer, same_url, "application/json; charset=utf-8")
    for response in (first, again):
        expect(response.status == 201, response, f"answered {response.status} instead of 201")
        for name in ("ratelimit", "ratelimit-policy"):
            expect(name in response.headers, response, f"has no {name}")
    same = first.field("id") == again.field("id")
    expect(same, again, "made a second request of one URL")


@pytest.mark.origin("specification 4.3")
def test_a_wrong_body_is_refused(writer: Probe) -> None:
    """url: string (uri), required. Errors: 400 (invalid body)."""
    for body in ({}, {"url": "not a uri"}):
        response = _post(writer, body)
        expect_refusal(response, 400, "invalid_request")


@pytest.mark.origin("docs/decisions/0004")
def test_a_large_body_is_refused(writer: Probe) -> None:
    """413 payload_too_large: more than 64 KiB."""
    response = _post(writer, {"url": "https://conformance.example/", "note": "a" * 70_000})
    expect_refusal(response, 413, "payload_too_large")


@pytest.mark.origin("docs/decisions/0004")
def test_another_media_type_is_refused(writer: Probe) -> None:
    """415 unsupported_media_type."""
    response = _post(writer, b"url=https://conformance.example/", "text/plain")
    expect_refusal(response, 415, "unsupported_media_type")


@pytest.mark.origin("docs/decisions/0009")
def test_too_many_requests_are_refused(writer: Probe) -> None:
    """429 rate_limited with Retry-After, within 30 requests in a row."""
    for _ in range(_MOST):
        response = writer.ask(
            "POST", "/sources/request", headers={"Content-Type": "application/json"}, body=b"{}"
        )
        if response.status == 429:
            expect_refusal(response, 429, "rate_limited")
            wait = response.headers.get("retry-after", "")
            expect(wait.isdecimal() and int(wait) > 0, response, f"has Retry-After {wait!r}")
            return
    expect(False, response, f"took {_MOST} requests in a row")


@pytest.mark.origin("docs/decisions/0009")
def test_five_requests_a_minute_are_taken(writer: Probe) -> None:
    """5 a minute for each client address; RateLimit-Policy."""
    responses = [
        writer.ask(
            "POST", "/sources/request", headers={"Content-Type": "application/json"}, body=b"{}"
        )
        for _ in range(6)
    ]
    last = responses[-1]
    expect_refusal(last, 429, "rate_limited")
    policy = last.headers.get("ratelimit-policy", "")
    expect("q=5" in policy and "w=60" in policy, last, f"has RateLimit-Policy {policy!r}")
