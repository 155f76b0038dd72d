"""Asking for a source (specification 4.3). These checks write: they are made on demand only."""

import json
from typing import Any

from conformance.checks.probe import Audience, NotApplicable, Probe, check
from conformance.http_messages import Response

_OPERATION = "POST /sources/request"
_EMAIL = "ada@conformance.example"
_MOST = 30
"""More requests than any limit by the minute that the suite expects."""


def _post(probe: Probe, body: Any, media_type: str = "application/json") -> Response:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = probe.ask(
        "POST", "/sources/request", headers={"Content-Type": media_type}, body=sent
    )
    if response.status == 429:
        raise NotApplicable("the rate limit was reached; try again later")
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


@check(
    "specification 2.4",
    "id, status: initial value pending, url: the submitted URL, message: only the URL and the "
    "optional note are stored.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_request_is_taken(probe: Probe) -> None:
    url, response = f"https://conformance.example/{_path(probe)}", _taken(probe)
    probe.expect(response.status == 201, response, f"answered {response.status} instead of 201")
    probe.expect(isinstance(response.field("id"), str), response, "has no id")
    probe.expect(response.field("status") == "pending", response, "is not pending")
    probe.expect(response.field("url") == url, response, "has another URL")
    message = response.field("message")
    said = isinstance(message, str) and bool(message)
    probe.expect(said, response, "does not say what is stored")


@check(
    "docs/decisions/0009",
    "The message names the URL and the note, and the response nothing that is not stored.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_request_says_what_is_stored(probe: Probe) -> None:
    response = _taken(probe)
    message = str(response.field("message")).lower()
    probe.expect("url" in message and "note" in message, response, "does not say what is stored")
    probe.expect(_EMAIL not in response.text, response, "gives back what is not stored")


@check(
    "docs/decisions/0009",
    "The same URL (normalised) while still pending returns the same id. What is left of the "
    "limits stands in RateLimit and RateLimit-Policy.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_request_is_taken_once(probe: Probe) -> None:
    first = _taken(probe)
    same_url = {"url": f"https://Conformance.Example/{_path(probe)}/#newest"}
    again = _post(probe, same_url, "application/json; charset=utf-8")
    for response in (first, again):
        probe.expect(response.status == 201, response, f"answered {response.status} instead of 201")
        for name in ("ratelimit", "ratelimit-policy"):
            probe.expect(name in response.headers, response, f"has no {name}")
    same = first.field("id") == again.field("id")
    probe.expect(same, again, "made a second request of one URL")


@check(
    "specification 4.3",
    "url: string (uri), required. Errors: 400 (invalid body).",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_wrong_body_is_refused(probe: Probe) -> None:
    for body in ({}, {"url": "not a uri"}):
        response = _post(probe, body)
        probe.expect_refusal(response, 400, "invalid_request")


@check(
    "docs/decisions/0004",
    "413 payload_too_large: more than 64 KiB.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_large_body_is_refused(probe: Probe) -> None:
    response = _post(probe, {"url": "https://conformance.example/", "note": "a" * 70_000})
    probe.expect_refusal(response, 413, "payload_too_large")


@check(
    "docs/decisions/0004",
    "415 unsupported_media_type.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def another_media_type_is_refused(probe: Probe) -> None:
    response = _post(probe, b"url=https://conformance.example/", "text/plain")
    probe.expect_refusal(response, 415, "unsupported_media_type")


@check(
    "docs/decisions/0009",
    "429 rate_limited with Retry-After, within 30 requests in a row.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def too_many_requests_are_refused(probe: Probe) -> None:
    for _ in range(_MOST):
        response = probe.ask(
            "POST", "/sources/request", headers={"Content-Type": "application/json"}, body=b"{}"
        )
        if response.status == 429:
            probe.expect_refusal(response, 429, "rate_limited")
            wait = response.headers.get("retry-after", "")
            probe.expect(wait.isdecimal() and int(wait) > 0, response, f"has Retry-After {wait!r}")
            return
    probe.expect(False, response, f"took {_MOST} requests in a row")


@check(
    "docs/decisions/0009",
    "5 a minute for each client address; RateLimit-Policy.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def five_requests_a_minute_are_taken(probe: Probe) -> None:
    responses = [
        probe.ask(
            "POST", "/sources/request", headers={"Content-Type": "application/json"}, body=b"{}"
        )
        for _ in range(6)
    ]
    last = responses[-1]
    probe.expect_refusal(last, 429, "rate_limited")
    policy = last.headers.get("ratelimit-policy", "")
    probe.expect("q=5" in policy and "w=60" in policy, last, f"has RateLimit-Policy {policy!r}")
