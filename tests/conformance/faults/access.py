"""Faults of keys, plans, refusals and requests for sources."""

import itertools
from typing import Any

from faults.fault import (
    BASE,
    Asked,
    Fault,
    Reply,
    asks,
    header,
    page,
    refusal,
    setting,
    status,
    unread,
    without,
)

_REQUEST = "/sources/request"
_count = itertools.count()


def _numbered(error: Any) -> None:
    error["hint"] = f"This is refusal {next(_count)}."


def _new_id(record: Any) -> None:
    record["id"] = f"{next(_count)}"


def _taken_from_address(request: Asked) -> None:
    params = dict(request.params)
    if "api_key" in params:
        request.headers["x-api-key"] = params.pop("api_key")
        request.params = list(params.items())


def _basic_is_told_apart(reply: Reply) -> None:
    if reply.status == 401 and reply.asked.headers.get("authorization", "").startswith("Basic"):
        reply.status = 400


def _as_html(reply: Reply) -> None:
    if reply.status == 404 and reply.asked.path.startswith(BASE):
        reply.body, reply.headers["content-type"] = b"<h1>Not found</h1>", "text/html"


def _mixed_up() -> Fault:
    """Take whoever asks while another waits for that other."""
    inside: list[dict[str, str]] = []

    def asked(request: Asked) -> None:
        inside.append(request.headers)
        request.headers = inside[0]

    return Fault(asked=asked, answered=lambda _: inside.pop(0) and None)


FAULTS = {
    "no-key-is-refused": status(401, 403),
    "a-401-names-both-headers": refusal(401, setting(hint="Send a key.")),
    "wrong-keys-are-refused": status(401, 200, "/diffs"),
    "odd-keys-are-refused-alike": Fault(answered=_basic_is_told_apart),
    "dead-keys-are-refused": status(401, 200, "/entries"),
    "dead-keys-are-refused-on-public-operations": status(401, 200, "/sources"),
    "limited-keys-are-refused": status(402, 200, "/diffs"),
    "limited-keys-are-told-what-is-missing": refusal(402, setting(code="insufficient_scope")),
    "a-forged-key-is-refused": status(401, 200, "/sources"),
    "wrong-keys-are-refused-on-public-operations": status(401, 200, "/latest"),
    "every-401-is-the-same": refusal(401, _numbered),
    "both-headers-carry-the-key": unread("authorization"),
    "a-session-may-ask": unread("cookie"),
    "a-session-is-answered-in-private": header("cache-control", "public, max-age=60"),
    "two-different-keys-are-refused": unread("authorization"),
    "a-key-in-the-address-is-no-key": Fault(asked=_taken_from_address),
    "public-operations-need-no-key": status(200, 401, "/latest"),
    "a-missing-key-is-told-before-a-wrong-parameter": status(401, 400, query="limit=0"),
    "entries-need-their-scope": status(403, 200, "/entries"),
    "an-unselected-source-is-refused": status(403, 404, "/entries"),
    "an-unselected-source-is-refused-by-name": refusal(403, setting(code="insufficient_scope")),
    "more-sources-than-slots-are-refused": status(403, 200, "/entries"),
    "the-limit-of-the-plan-has-its-code": refusal(403, setting(code="source_not_selected")),
    "diffs-need-the-add-on": status(402, 404, "/diffs"),
    "the-missing-add-on-is-named": refusal(402, setting(hint="Upgrade.")),
    "an-unknown-source-has-no-diffs": status(403, 200, "/diffs"),
    "limit-is-1-to-100": asks("/latest", "limit=101", "limit=100"),
    "numbers-are-plain-digits": asks("/latest", "limit=1_0", "limit=10"),
    "offset-is-at-least-0": asks("/latest", "offset=-1", "offset=0"),
    "refusal-of-parameters-says-so": refusal(400, setting(hint="Try again.")),
    "unknown-parameters-are-refused": asks("/latest", "sinse=[^&]*", ""),
    "repeated-parameters-are-refused": asks("/latest", "limit=1&limit=2", "limit=2"),
    "entries-need-sources": asks("/entries", "^limit=5$", "sources=acme.compute"),
    "sources-are-slugs": asks("/entries", "^source=", "sources="),
    "a-hundred-sources-are-enough": asks("/entries", r",nobody\.nothing-100$", ""),
    "a-lost-plus-is-explained": refusal(400, setting(hint="See the reference.")),
    "since-needs-an-offset": asks("/entries", "(since=2026-01-01)$", r"\1T00:00:00Z"),
    "since-has-few-forms": asks("/entries", "since=20260101T0+Z", "since=2026-01-01T00:00:00Z"),
    "selected-is-1-or-absent": asks("/sources", "selected=0", "selected=1"),
    "diffs-need-a-source": asks("/diffs", "^$", "source=acme.compute"),
    "diffs-are-of-one-slug": asks("/diffs", "^sources=", "source="),
    "unknown-paths-are-404": status(404, 400),
    "other-methods-are-405": status(405, 200),
    "a-405-names-the-methods-there-are": header("allow", None),
    "other-webhooks-are-404": status(404, 200, "/webhooks/deliveries"),
    "a-request-is-taken": page(_REQUEST, setting(status="new"), status=201),
    "a-request-says-what-is-stored": page(_REQUEST, setting(message="Thanks."), status=201),
    "a-request-is-taken-once": page(_REQUEST, _new_id, status=201),
    "a-wrong-body-is-refused": status(400, 422),
    "a-large-body-is-refused": status(413, 400),
    "another-media-type-is-refused": status(415, 400),
    "too-many-requests-are-refused": status(429, 503),
    "five-requests-a-minute-are-taken": header("ratelimit-policy", '"minute";q=5;w=3600'),
    "callers-are-not-mixed-up": _mixed_up(),
    "every-no-is-an-error-object": refusal(400, without("message")),
    "error-equals-message": refusal(401, setting(error="unauthorized")),
    "the-code-fits-the-status": refusal(400, setting(code="bad_request")),
    "codes-come-with-their-status": refusal(404, setting(code="rate_limited")),
    "every-body-is-json": Fault(answered=_as_html),
    "no-server-error": status(404, 500),
    "no-trace-of-the-inside": refusal(404, setting(hint="Traceback (most recent call last)")),
    "nothing-unnamed-is-sent": refusal(400, setting(details=[])),
}  # fmt: skip
