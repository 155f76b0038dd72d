"""Every answer that refuses a request. Most of what it says are facts of its class.

* Refusal
  + InvalidRequest          400 invalid_request
    - HeadersTooLarge       431
    - BodyTooSlow           408
    - RangeNotSatisfiable   416
  + Unauthorized            401 unauthorized
  + AddonRequired           402 addon_required
  + Forbidden               403
    - InsufficientScope         insufficient_scope
    - PlanLimitExceeded         plan_limit_exceeded
    - SourceNotSelected         source_not_selected
    - WebhookAddressRefused     address_refused
    - WebhookDisabled           webhook_disabled
  + NotFound                404 not_found
  + NothingOfThis           404 not_found
  + NoSnapshot              404 not_found
  + MethodNotAllowed        405 method_not_allowed
  + PayloadTooLarge         413 payload_too_large
  + UnsupportedMediaType    415 unsupported_media_type
  + RateLimited             429 rate_limited
  + InternalError           500 internal_error
  + Unavailable             503 unavailable
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from math import ceil
from types import MappingProxyType
from typing import ClassVar

from openapi.text import counted
from openapi.vocabulary import ErrorCode

KEYS_PAGE = "/app/api-keys"
USED_SLOTS = "a slot that was used is free again after a day"
SIGN_IN_PAGE = "/auth/login"
FIND_SLUGS = "Slugs are found with GET /api/v1/sources?q=…"


class Refusal(Exception):
    """A refusal with its reason. ``headers`` go out with it."""

    status: ClassVar[HTTPStatus]
    code: ClassVar[ErrorCode]
    message: str
    hint: str | None = None
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        message: str | None = None,
        *,
        hint: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if message is not None:
            self.message = message
        if hint is not None:
            self.hint = hint
        if headers is not None:
            self.headers = headers
        super().__init__(self.message)


class InvalidRequest(Refusal):
    """The contract refuses a parameter or the body (specification 7)."""

    status = HTTPStatus.BAD_REQUEST
    code = ErrorCode.INVALID_REQUEST
    hint = "See /openapi.json for what this operation takes."


class HeadersTooLarge(InvalidRequest):
    """The request's headers are larger than any honest request's (RFC 6585 section 5)."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


class BodyTooSlow(InvalidRequest):
    """The body did not arrive in time (RFC 9110 section 15.5.9)."""

    status = HTTPStatus.REQUEST_TIMEOUT


class RangeNotSatisfiable(InvalidRequest):
    """The range begins behind the end of the file (RFC 9110 section 15.5.17)."""

    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE

    def __init__(self, size: int) -> None:
        super().__init__(
            "The range is not in the file.",
            hint=f"The file has {size} bytes.",
            headers={"Content-Range": f"bytes */{size}"},
        )


class Unauthorized(Refusal):
    """No key, or an invalid one. All of them look the same from outside."""

    status = HTTPStatus.UNAUTHORIZED
    code = ErrorCode.UNAUTHORIZED
    message = "The API key is missing or not valid."
    hint = (
        "Send a live key as 'Authorization: Bearer <API_KEY>' or 'X-Api-Key: <API_KEY>'; "
        f"keys are made at {KEYS_PAGE}."
    )
    headers = MappingProxyType({"WWW-Authenticate": "Bearer"})


class AddonRequired(Refusal):
    """The Diff API add-on is missing, or the All plan that it requires."""

    status = HTTPStatus.PAYMENT_REQUIRED
    code = ErrorCode.ADDON_REQUIRED
    message = "The Diff API add-on is required."
    hint = "Diffs need the All plan and the Diff API add-on; see /plans."


class Forbidden(Refusal):
    """The key is good, but not for this."""

    status = HTTPStatus.FORBIDDEN


class InsufficientScope(Forbidden):
    """The key was made without the scope that the operation needs."""

    code = ErrorCode.INSUFFICIENT_SCOPE

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"The key lacks the scope {scope}.",
            hint=f"Make a key with the scope {scope} at {KEYS_PAGE}.",
        )


class PlanLimitExceeded(Forbidden):
    """More than the plan has: sources than slots, or webhooks."""

    code = ErrorCode.PLAN_LIMIT_EXCEEDED
    hint = f"Select fewer sources at {KEYS_PAGE}, or see /plans for a bigger plan."


class SourceNotSelected(Forbidden):
    """Sources that are not selected for the key, or that the catalog does not have."""

    code = ErrorCode.SOURCE_NOT_SELECTED

    def __init__(
        self, slugs: Sequence[str], *, unknown: Sequence[str] = (), near: Sequence[str] = ()
    ) -> None:
        """Refuse ``slugs``; the catalog does not have ``unknown`` of them, but has ``near``."""
        chosen = [slug for slug in slugs if slug not in unknown]
        sentences = [f"The catalog has no {_sources(unknown)}."] if unknown else []
        if chosen:
            verb = "are" if len(chosen) > 1 else "is"
            sentences.append(f"The {_sources(chosen)} {verb} not selected for this key.")
        hints = [f"Did you mean {', '.join(near)}?"] if near else []
        if unknown:
            hints.append(FIND_SLUGS)
        if chosen:
            hints.append(f"Select sources for the key at {KEYS_PAGE}; {USED_SLOTS}.")
        super().__init__(" ".join(sentences), hint=" ".join(hints))


def _sources(slugs: Sequence[str]) -> str:
    return f"{'sources' if len(slugs) > 1 else 'source'} {', '.join(slugs)}"


class WebhookAddressRefused(Forbidden):
    """An address that nothing can be sent to."""

    code = ErrorCode.ADDRESS_REFUSED

    def __init__(self, reason: str) -> None:
        super().__init__(f"Nothing can be sent to this address. {reason}")


class WebhookDisabled(Forbidden):
    """A webhook that is switched off sends nothing."""

    code = ErrorCode.WEBHOOK_DISABLED
    hint = "Switch it on at /app/webhooks."

    def __init__(self, public_id: str) -> None:
        super().__init__(f"The webhook {public_id} is switched off.")


class NotFound(Refusal):
    """No operation has this path."""

    status = HTTPStatus.NOT_FOUND
    code = ErrorCode.NOT_FOUND
    message = "There is nothing at this path."
    hint = "See /openapi.json for the paths there are."


class NothingOfThis(Refusal):
    """The account has nothing with this id."""

    status = HTTPStatus.NOT_FOUND
    code = ErrorCode.NOT_FOUND
    hint = "Its webhooks are listed by GET /api/v1/webhooks."

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"The account has no {what} {name}.")


class NoSnapshot(Refusal):
    """No snapshot of the entries was made yet."""

    status = HTTPStatus.NOT_FOUND
    code = ErrorCode.NOT_FOUND
    message = "There is no snapshot yet."
    hint = "One is made every day; GET /api/v1/changes has everything, too."


class MethodNotAllowed(Refusal):
    """The path has other methods (RFC 9110 section 15.5.6)."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = ErrorCode.METHOD_NOT_ALLOWED

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        allow = ", ".join(allowed)
        super().__init__(
            f"The method {method} is not allowed here.",
            hint=f"This path answers {allow}.",
            headers={"Allow": allow},
        )


class PayloadTooLarge(Refusal):
    """The body is larger than any request of the contract can be."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = ErrorCode.PAYLOAD_TOO_LARGE

    def __init__(self, most: int) -> None:
        kib = most // 1024
        size = f"{kib // 1024} MiB" if kib >= 1024 else f"{kib} KiB"
        super().__init__("The request body is too large.", hint=f"Send at most {size}.")


class UnsupportedMediaType(Refusal):
    """The body is in another format than the contract takes."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = ErrorCode.UNSUPPORTED_MEDIA_TYPE
    message = "The format of the request body is not supported."
    hint = "Send the body as application/json."


class RateLimited(Refusal):
    """Too many requests from one client."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = ErrorCode.RATE_LIMITED

    def __init__(self, retry_after: timedelta, headers: Mapping[str, str]) -> None:
        self.retry_after = retry_after
        seconds = max(1, ceil(retry_after.total_seconds()))
        super().__init__(
            "Too many requests.",
            hint=f"Try again in {counted(seconds, 'second')}.",
            headers={"Retry-After": str(seconds), **headers},
        )


class InternalError(Refusal):
    """A fault of ours. Its cause is in the log, under the request id."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = ErrorCode.INTERNAL_ERROR
    message = "The service failed to answer."


class Unavailable(Refusal):
    """The database does not answer for now."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = ErrorCode.UNAVAILABLE
    message = "The service is not available right now."
    hint = "Try again in a few seconds."
    headers = MappingProxyType({"Retry-After": "5"})
