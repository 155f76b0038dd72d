"""Faults of what is refused and how: statuses, codes, words and headers of every no."""

from typing import Any

from faults.fault import (
    BASE,
    Asked,
    Fault,
    Reply,
    error,
    header,
    of_status,
    setting,
    status,
    without,
)


def _other_error(found: Any) -> None:
    found["error"] = found["code"]


def _bare_message(found: Any) -> None:
    found["error"] = found["message"] = "Bad request."


def _nameless(found: Any) -> None:
    found["error"] = found["message"] = "One or more query parameters are invalid."


def _unnamed_source(found: Any) -> None:
    found["error"] = found["message"] = "A source is not selected for this key."


def _no_plus(found: Any) -> None:
    found["hint"] = "See /openapi.json for what this operation takes."


def _html(*statuses: int) -> Any:
    def answered(reply: Reply) -> None:
        if reply.status in statuses and reply.asked.path.startswith(BASE):
            reply.body = b"<!doctype html><title>Error</title><h1>Error</h1>"
            reply.headers["content-type"] = "text/html; charset=utf-8"

    return answered


def _empty(reply: Reply) -> None:
    if reply.status == 405:
        reply.body = b""


def _slash(request: Asked) -> None:
    if request.path.startswith(BASE) and request.path.endswith("/"):
        request.path = request.path.rstrip("/")


def _any_case(request: Asked) -> None:
    request.path = request.path.lower()


def _override(request: Asked) -> None:
    if request.method in ("PUT", "PATCH", "DELETE") and not request.path.endswith("request"):
        request.method = "GET"


def _late_400(reply: Reply) -> None:
    """Tell a caller without a key what is wrong with its parameters."""
    if reply.status == 401 and "limit=0" in reply.asked.query:
        reply.status = 400
        message = "One or more query parameters are invalid. limit must be at least 1."
        reply.json = {"error": message, "code": "invalid_request", "message": message}
        reply.headers.pop("www-authenticate", None)


def _trace(reply: Reply) -> None:
    if reply.status == 404 and reply.asked.path.startswith(BASE):
        reply.json = {**reply.json, "hint": "Traceback (most recent call last): …"}


def _crash(needle: str) -> Any:
    def answered(reply: Reply) -> None:
        if needle in reply.asked.query and reply.status == 200:
            reply.status = 500
            message = "The service failed to answer."
            reply.json = {"error": message, "code": "internal_error", "message": message}

    return answered


def _ok_error(reply: Reply) -> None:
    if reply.status == 403:
        reply.status = 200


CHECKS = frozenset({
    "no-key-is-refused",
    "every-401-is-the-same",
    "a-missing-key-is-told-before-a-wrong-parameter",
    "refusal-of-parameters-says-so",
    "unknown-paths-are-404",
    "other-methods-are-405",
    "entries-need-sources",
    "since-may-be-any-time",
    "an-unselected-source-is-refused-by-name",
    "more-sources-than-slots-are-refused",
    "a-lost-plus-is-explained",
    "diffs-need-the-add-on",
    "limited-keys-are-refused",
    "a-request-is-taken",
    "a-wrong-body-is-refused",
    "a-large-body-is-refused",
    "too-many-requests-are-refused",
    "search-has-no-wildcards",
    "offset-is-at-least-0",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    error("error is the code", 400, _other_error),
    error("error is the code in a 401", 401, _other_error),
    error("400 without code", 400, without("code")),
    error("404 without message", 404, without("message")),
    error("code bad_request", 400, setting(code="bad_request")),
    error("code invalid_key", 401, setting(code="invalid_key")),
    error("code payment_required", 402, setting(code="payment_required")),
    error("code forbidden instead of source_not_selected", 403, setting(code="forbidden"),
          code="source_not_selected"),
    error("code plan_limit_exceeded for an unselected source", 403,
          setting(code="plan_limit_exceeded"), code="source_not_selected"),
    error("code source_not_selected beyond the plan", 403, setting(code="source_not_selected"),
          code="plan_limit_exceeded"),
    error("code of a missing scope is unauthorized", 403, setting(code="unauthorized"),
          code="insufficient_scope"),
    error("code of a missing scope is source_not_selected", 403,
          setting(code="source_not_selected"), code="insufficient_scope"),
    error("code of 404 is invalid_request", 404, setting(code="invalid_request")),
    error("code of 405 is not_found", 405, setting(code="not_found")),
    error("code of 429 is too_many_requests", 429, setting(code="too_many_requests")),
    status("400 as 422", 400, 422),
    status("400 as 422 for a body", 400, 422, path="/sources/request"),
    status("401 as 403", 401, 403),
    status("402 as 403", 402, 403),
    status("403 of an unselected source as 404", 403, 404, code="source_not_selected"),
    status("403 beyond the plan as 402", 403, 402, code="plan_limit_exceeded"),
    status("403 of a missing scope as 401", 403, 401, code="insufficient_scope"),
    status("404 as 400", 404, 400),
    status("405 as 404", 405, 404),
    status("413 as 400", 413, 400),
    status("415 as 400", 415, 400),
    status("429 as 503", 429, 503),
    status("201 as 200", 201, 200),
    Fault("403 as 200", answered=_ok_error),
    error("hint missing in 400", 400, without("hint")),
    error("hint missing in 401", 401, without("hint")),
    error("hint missing in 402", 402, without("hint")),
    error("hint of 401 names one header only", 401, setting(hint="Send a bearer key.")),
    error("hint of 402 does not name the plan", 402, setting(hint="Get the Diff API add-on.")),
    error("400 in other words", 400, _bare_message),
    error("400 does not name the parameter", 400, _nameless),
    error("403 does not name the source", 403, _unnamed_source, code="source_not_selected"),
    error("lost plus is not explained", 400, _no_plus),
    error("a detail more in the Error object", 400, setting(details=[])),
    header("WWW-Authenticate missing", "www-authenticate", None, on=of_status(401)),
    header("WWW-Authenticate of another scheme", "www-authenticate", "Basic", on=of_status(401)),
    header("Allow missing", "allow", None, on=of_status(405)),
    header("Allow names every method", "allow", "GET, POST, PUT, DELETE", on=of_status(405)),
    header("Retry-After missing", "retry-after", None, on=of_status(429)),
    header("Retry-After 0", "retry-after", "0", on=of_status(429)),
    Fault("404 as HTML", answered=_html(404)),
    Fault("405 as HTML", answered=_html(405)),
    Fault("405 without a body", answered=_empty),
    Fault("a slash at the end is ignored", asked=_slash),
    Fault("paths in any case", asked=_any_case),
    Fault("other methods answer as GET", asked=_override),
    Fault("400 comes before 401", answered=_late_400),
    Fault("a stack trace in a hint", answered=_trace),
    Fault("a large offset fails", answered=_crash("offset=100000")),
    Fault("a search for a backslash fails", answered=_crash("q=%5C")),
    Fault("since at the end of time fails", answered=_crash("since=9999")),
)  # fmt: skip
