"""Asking for a source (specification 4.3). These checks write: they are made on demand only."""

import json
from typing import Any

from conformance.checks.probe import Audience, NotApplicable, Probe, check
from conformance.exchange import Answer

_OPERATION = "POST /sources/request"
_MOST = 30
"""More requests than any limit a minute this suite is prepared to meet."""


def _post(probe: Probe, body: Any, media_type: str = "application/json") -> Answer:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = probe.ask("POST", "/sources/request", headers={"Content-Type": media_type}, body=sent)
    if answer.status == 429:
        raise NotApplicable("the rate limit was reached; try again later")
    return answer


@check(
    "specification 2.4",
    "id, status: initial value pending, url: the submitted URL, message: only the URL and the "
    "optional note are stored.",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_request_is_taken_once(probe: Probe) -> None:
    wanted = {"url": f"https://conformance.example/changelog/{probe.now:%Y%m%d%H%M%S}"}
    extras = {"name": "A", "vendor": "b", "note": "A check.", "email": "ada@conformance.example"}
    first, second = _post(probe, {**wanted, **extras}), _post(probe, wanted)
    for answer in (first, second):
        probe.expect(answer.status == 201, answer, f"answered {answer.status} instead of 201")
        probe.expect(answer.field("status") == "pending", answer, "is not pending")
        probe.expect(answer.field("url") == wanted["url"], answer, "has another URL")
        message = str(answer.field("message")).lower()
        probe.expect("url" in message and "note" in message, answer, "does not say what is stored")
    probe.expect(
        first.field("id") == second.field("id"), second, "made a second request of one URL"
    )


@check(
    "specification 4.3",
    "url: string (uri), required. Errors: 400 (invalid body).",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def a_wrong_body_is_refused(probe: Probe) -> None:
    for body in ({}, {"url": "not a uri"}):
        answer = _post(probe, body)
        probe.expect_refusal(answer, 400, "invalid_request")


@check(
    "specification 4.3",
    "Rate-limited. Errors: 429 (rate limit exceeded).",
    operation=_OPERATION,
    audience=Audience.WRITER,
)
def too_many_requests_are_refused(probe: Probe) -> None:
    for _ in range(_MOST):
        answer = probe.ask(
            "POST", "/sources/request", headers={"Content-Type": "application/json"}, body=b"{}"
        )
        if answer.status == 429:
            probe.expect_refusal(answer, 429, "rate_limited")
            wait = answer.headers.get("retry-after", "")
            probe.expect(wait.isdecimal() and int(wait) > 0, answer, f"has Retry-After {wait!r}")
            return
    probe.expect(False, answer, f"took {_MOST} requests in a row")
