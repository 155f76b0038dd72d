"""Every response that refuses a request, by a function each; docs/guide/errors.md explains them."""

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from math import ceil
from typing import Final

import structlog

from openapi.text import counted
from openapi.vocabulary import ErrorCode

log = structlog.get_logger(__name__)

OUTAGE_INTERVAL_SECONDS = 1.0
KEYS_PAGE = "/app/api-keys"
SOURCES_PAGE = "/app/sources"
USED_SLOTS = "you can change a source after 24 hours"
SIGN_IN_PAGE = "/auth/login"
FIND_SLUGS = "Find slugs with GET /api/v1/sources?q=…"
SEE_CONTRACT = "See /openapi.json for the parameters of this operation."
ANSWER_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id"
    ),
    "X-Content-Type-Options": "nosniff",
}
"""What every response of the API carries."""
NO_HEADERS: Final[Mapping[str, str]] = {}
STATUSES: Final = {
    ErrorCode.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    ErrorCode.UNAUTHORIZED: HTTPStatus.UNAUTHORIZED,
    ErrorCode.ADDON_REQUIRED: HTTPStatus.PAYMENT_REQUIRED,
    ErrorCode.INSUFFICIENT_SCOPE: HTTPStatus.FORBIDDEN,
    ErrorCode.PLAN_LIMIT_EXCEEDED: HTTPStatus.FORBIDDEN,
    ErrorCode.SOURCE_NOT_SELECTED: HTTPStatus.FORBIDDEN,
    ErrorCode.ADDRESS_REFUSED: HTTPStatus.FORBIDDEN,
    ErrorCode.WEBHOOK_DISABLED: HTTPStatus.FORBIDDEN,
    ErrorCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    ErrorCode.METHOD_NOT_ALLOWED: HTTPStatus.METHOD_NOT_ALLOWED,
    ErrorCode.PAYLOAD_TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.RATE_LIMITED: HTTPStatus.TOO_MANY_REQUESTS,
    ErrorCode.INTERNAL_ERROR: HTTPStatus.INTERNAL_SERVER_ERROR,
    ErrorCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The status of every code; some requests with invalid_request have a more precise one."""


class Refusal(Exception):
    """A refusal with its reason. ``headers`` go out with it."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        status: HTTPStatus | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.headers = headers
        self.status = status or STATUSES[code]


class RateLimited(Refusal):
    """Too many requests from one client."""

    def __init__(self, retry_after: timedelta, headers: Mapping[str, str]) -> None:
        self.retry_after = retry_after
        seconds = max(1, ceil(retry_after.total_seconds()))
        super().__init__(
            ErrorCode.RATE_LIMITED,
            "Too many requests.",
            hint=f"Try again in {counted(seconds, 'second')}.",
            headers={"Retry-After": str(seconds), **headers},
        )


def invalid_request(
    message: str, *, hint: str = SEE_CONTRACT, status: HTTPStatus | None = None
) -> Refusal:
    """Return the refusal of a request that the contract or HTTP does not allow."""
    return Refusal(ErrorCode.INVALID_REQUEST, message, hint=hint, status=status)


def range_not_satisfiable(size: int) -> Refusal:
    """Return the refusal of a range behind the end of a file (RFC 9110 section 15.5.17)."""
    return Refusal(
        ErrorCode.INVALID_REQUEST,
        "The range is not in the file.",
        hint=f"The file has {size} bytes.",
        headers={"Content-Range": f"bytes */{size}"},
        status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
    )


def unauthorized(message: str = "The API key is missing or not valid.") -> Refusal:
    """Return the error for a missing or invalid key, which is the same for all reasons."""
    return Refusal(
        ErrorCode.UNAUTHORIZED,
        message,
        hint="Send a live key as 'Authorization: Bearer <API_KEY>' or 'X-Api-Key: <API_KEY>'; "
        f"create keys at {KEYS_PAGE}.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def addon_required() -> Refusal:
    """Return the refusal of an account without the Diff API add-on, or without its plan."""
    hint = "Diffs need the All plan and the Diff API add-on; see /plans."
    return Refusal(ErrorCode.ADDON_REQUIRED, "The Diff API add-on is required.", hint=hint)


def insufficient_scope(scope: str) -> Refusal:
    """Return the refusal of a key without the scope that the operation needs."""
    hint = f"Create a key with the scope {scope} at {KEYS_PAGE}."
    return Refusal(ErrorCode.INSUFFICIENT_SCOPE, f"The key lacks the scope {scope}.", hint=hint)


def plan_limit_exceeded(
    message: str,
    hint: str = f"Unfollow sources at {SOURCES_PAGE}, or see /plans for a bigger plan.",
) -> Refusal:
    """Return the error for too many sources or webhooks for the plan."""
    return Refusal(ErrorCode.PLAN_LIMIT_EXCEEDED, message, hint=hint)


def source_not_selected(
    slugs: Sequence[str], *, unknown: Sequence[str] = (), near: Sequence[str] = ()
) -> Refusal:
    """Return the refusal of sources that the key may not read.

    The catalog does not have ``unknown`` of them, but has ``near``.
    """
    chosen = [slug for slug in slugs if slug not in unknown]
    sentences = [f"The catalog has no {_sources(unknown)}."] if unknown else []
    if chosen:
        verb = "are" if len(chosen) > 1 else "is"
        sentences.append(f"The {_sources(chosen)} {verb} not available to this key.")
    hints = [f"Did you mean {', '.join(near)}?"] if near else []
    if unknown:
        hints.append(FIND_SLUGS)
    if chosen:
        hints.append(f"Follow sources at {SOURCES_PAGE}; {USED_SLOTS}.")
    return Refusal(ErrorCode.SOURCE_NOT_SELECTED, " ".join(sentences), hint=" ".join(hints))


def _sources(slugs: Sequence[str]) -> str:
    return f"{'sources' if len(slugs) > 1 else 'source'} {', '.join(slugs)}"


def address_refused(reason: str) -> Refusal:
    """Return the error for an address that webhooks cannot use."""
    return Refusal(ErrorCode.ADDRESS_REFUSED, f"Messages cannot be sent to this address. {reason}")


def webhook_disabled(public_id: str) -> Refusal:
    """Return the error for sending with a disabled webhook."""
    message = f"The webhook {public_id} is disabled."
    return Refusal(ErrorCode.WEBHOOK_DISABLED, message, hint="Enable it at /app/webhooks.")


def not_found(
    message: str = "This path does not exist.", hint: str = "See /openapi.json; no path ends in /."
) -> Refusal:
    """Return a 404; by default, for a path without an operation."""
    return Refusal(ErrorCode.NOT_FOUND, message, hint=hint)


def method_not_allowed(method: str, allowed: Sequence[str]) -> Refusal:
    """Return the refusal of a method of a path with others (RFC 9110 section 15.5.6)."""
    allow = ", ".join(allowed)
    return Refusal(
        ErrorCode.METHOD_NOT_ALLOWED,
        f"The method {method} is not allowed here.",
        hint=f"This path supports {allow}.",
        headers={"Allow": allow},
    )


def payload_too_large(most: int) -> Refusal:
    """Return the refusal of a body of more than ``most`` bytes."""
    kib = most // 1024
    size = f"{kib // 1024} MiB" if kib >= 1024 else f"{kib} KiB"
    hint = f"Send at most {size}."
    return Refusal(ErrorCode.PAYLOAD_TOO_LARGE, "The request body is too large.", hint=hint)


def unsupported_media_type() -> Refusal:
    """Return the error for a body in a format that the contract does not accept."""
    message = "The format of the request body is not supported."
    hint = "Send the body as application/json, without Content-Encoding."
    return Refusal(ErrorCode.UNSUPPORTED_MEDIA_TYPE, message, hint=hint)


def internal_error() -> Refusal:
    """Return the error for a fault of the service, logged with the request id."""
    return Refusal(ErrorCode.INTERNAL_ERROR, "Something went wrong.")


def unavailable() -> Refusal:
    """Return the error while the database is unavailable."""
    return Refusal(
        ErrorCode.UNAVAILABLE,
        "The service is temporarily unavailable.",
        hint="Try again in a few seconds.",
        headers={"Retry-After": "5"},
    )


class OutageLog:
    """Logs at most one line a second, however many requests notice the same."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._next = float("-inf")

    def note(self, error: Exception) -> None:
        """Log the first line of an error, unless a line was logged just now."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + OUTAGE_INTERVAL_SECONDS
            log.error(self._event, reason=str(error).partition("\n")[0])
