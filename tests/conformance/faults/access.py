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
    "no_key_is_refused": status(401, 403),
    "a_401_names_both_headers": refusal(401, setting(hint="Send a key.")),
    "wrong_keys_are_refused": status(401, 200, "/diffs"),
    "odd_keys_are_refused_alike": Fault(answered=_basic_is_told_apart),
    "dead_keys_are_refused": status(401, 200, "/entries"),
    "dead_keys_are_refused_on_public_operations": status(401, 200, "/sources"),
    "limited_keys_are_refused": status(402, 200, "/diffs"),
    "limited_keys_are_told_what_is_missing": refusal(402, setting(code="insufficient_scope")),
    "a_forged_key_is_refused": status(401, 200, "/sources"),
    "wrong_keys_are_refused_on_public_operations": status(401, 200, "/latest"),
    "every_401_is_the_same": refusal(401, _numbered),
    "both_headers_carry_the_key": unread("authorization"),
    "a_session_may_ask": unread("cookie"),
    "a_session_is_answered_in_private": header("cache-control", "public, max-age=60"),
    "two_different_keys_are_refused": unread("authorization"),
    "a_key_in_the_address_is_no_key": Fault(asked=_taken_from_address),
    "public_operations_need_no_key": status(200, 401, "/latest"),
    "a_missing_key_is_told_before_a_wrong_parameter": status(401, 400, query="limit=0"),
    "entries_need_their_scope": status(403, 200, "/entries"),
    "an_unselected_source_is_refused": status(403, 404, "/entries"),
    "an_unselected_source_is_refused_by_name": refusal(403, setting(code="insufficient_scope")),
    "more_sources_than_slots_are_refused": status(403, 200, "/entries"),
    "the_limit_of_the_plan_has_its_code": refusal(403, setting(code="source_not_selected")),
    "diffs_need_the_add_on": status(402, 404, "/diffs"),
    "the_missing_add_on_is_named": refusal(402, setting(hint="Upgrade.")),
    "an_unknown_source_has_no_diffs": status(403, 200, "/diffs"),
    "limit_is_1_to_100": asks("/latest", "limit=101", "limit=100"),
    "numbers_are_plain_digits": asks("/latest", "limit=1_0", "limit=10"),
    "offset_is_at_least_0": asks("/latest", "offset=-1", "offset=0"),
    "refusal_of_parameters_says_so": refusal(400, setting(hint="Try again.")),
    "unknown_parameters_are_refused": asks("/latest", "sinse=[^&]*", ""),
    "repeated_parameters_are_refused": asks("/latest", "limit=1&limit=2", "limit=2"),
    "entries_need_sources": asks("/entries", "^limit=5$", "sources=acme.compute"),
    "sources_are_slugs": asks("/entries", "^source=", "sources="),
    "a_hundred_sources_are_enough": asks("/entries", r",nobody\.nothing-100$", ""),
    "a_lost_plus_is_explained": refusal(400, setting(hint="See the reference.")),
    "since_needs_an_offset": asks("/entries", "(since=2026-01-01)$", r"\1T00:00:00Z"),
    "since_has_few_forms": asks("/entries", "since=20260101T0+Z", "since=2026-01-01T00:00:00Z"),
    "selected_is_1_or_absent": asks("/sources", "selected=0", "selected=1"),
    "diffs_need_a_source": asks("/diffs", "^$", "source=acme.compute"),
    "diffs_are_of_one_slug": asks("/diffs", "^sources=", "source="),
    "unknown_paths_are_404": status(404, 400),
    "other_methods_are_405": status(405, 200),
    "a_405_names_the_methods_there_are": header("allow", None),
    "other_webhooks_are_404": status(404, 200, "/webhooks/deliveries"),
    "a_request_is_taken": page(_REQUEST, setting(status="new"), status=201),
    "a_request_says_what_is_stored": page(_REQUEST, setting(message="Thanks."), status=201),
    "a_request_is_taken_once": page(_REQUEST, _new_id, status=201),
    "a_wrong_body_is_refused": status(400, 422),
    "a_large_body_is_refused": status(413, 400),
    "another_media_type_is_refused": status(415, 400),
    "too_many_requests_are_refused": status(429, 503),
    "five_requests_a_minute_are_taken": header("ratelimit-policy", '"minute";q=5;w=3600'),
    "callers_are_not_mixed_up": _mixed_up(),
    "every-no-is-an-error-object": refusal(400, without("message")),
    "error-equals-message": refusal(401, setting(error="unauthorized")),
    "the-code-fits-the-status": refusal(400, setting(code="bad_request")),
    "codes-come-with-their-status": refusal(404, setting(code="rate_limited")),
    "every-body-is-json": Fault(answered=_as_html),
    "no-server-error": status(404, 500),
    "no-trace-of-the-inside": refusal(404, setting(hint="Traceback (most recent call last)")),
    "nothing-unnamed-is-sent": refusal(400, setting(details=[])),
}  # fmt: skip
