"""Renders errors; maps exceptions to responses (docs/decisions/0004)."""

from contextvars import ContextVar
from typing import Final

import orjson
import structlog
from connexion.exceptions import ProblemException
from connexion.lifecycle import ConnexionRequest, ConnexionResponse
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

from handlers.context import context
from handlers.http.refusals import (
    SEE_CONTRACT,
    OutageLog,
    Refusal,
    internal_error,
    invalid_request,
    not_found,
    unauthorized,
    unavailable,
    unsupported_media_type,
)
from handlers.http.validators import operation_of
from openapi.requests import InvalidRequest
from outbound.mail import Undelivered
from storage.engine.database import DatabaseUnavailable

log = structlog.get_logger(__name__)

current_request_id: Final[ContextVar[str]] = ContextVar("changewire_request_id")

SERVER_ERROR = 500
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Api-Key"
    ),
    "Access-Control-Max-Age": "86400",
}
UNAVAILABLE = (DBAPIError, PoolTimeout, DatabaseUnavailable)
OUR_FAULT = (DataError, IntegrityError, ProgrammingError)  # asking again would not help
OUTAGE: Final = OutageLog("database unavailable")
LONGEST_SENTENCES = 2_000
"""Characters of a message and of a hint; the contract promises no more."""
OF_STATUS = {401: unauthorized, 404: not_found, 415: unsupported_media_type}


def request_id() -> str:
    """Return the id of the current request."""
    return current_request_id.get("none")


def refusal_of(error: Exception) -> Refusal:
    """Return the refusal that an exception becomes. Our own faults are logged with their cause."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, InvalidRequest):
        return _invalid(error)
    if isinstance(error, (ProblemException, HTTPException)):
        status = error.status if isinstance(error, ProblemException) else error.status_code
        if status in OF_STATUS:
            return OF_STATUS[status]()
    if isinstance(error, Undelivered):
        log.error("mail not written", reason=str(error))
        return unavailable()
    if isinstance(error, UNAVAILABLE) and not isinstance(error, OUR_FAULT):
        OUTAGE.note(error)
        return unavailable()
    log.error("unexpected error", exc_info=error)
    return internal_error()


def _invalid(error: InvalidRequest) -> Refusal:
    """Return the refusal of an invalid request (specification 7) with each violation."""
    hints = [fault.hint for fault in error.violations if fault.hint is not None]
    return invalid_request(
        " ".join([error.sentence, *(fault.sentence for fault in error.violations)]),
        hint=" ".join([*hints, SEE_CONTRACT]).replace("/openapi.", f"{context().major.document}."),
    )


def error_body(refusal: Refusal) -> bytes:
    """Write the Error object of the contract (specification 2.5)."""
    hint = refusal.hint
    if refusal.status >= SERVER_ERROR:
        quote = f"If you ask for help, quote the request id {request_id()}."
        hint = f"{hint} {quote}" if hint else quote
    message = refusal.message[:LONGEST_SENTENCES]
    fields = {"error": message, "code": refusal.code.value, "message": message}
    return orjson.dumps(fields if hint is None else fields | {"hint": hint[:LONGEST_SENTENCES]})


def error_response(refusal: Refusal) -> Response:
    """Return the response of a refusal; no cache may store it."""
    return Response(
        error_body(refusal),
        status_code=int(refusal.status),
        headers={"Cache-Control": "no-store", **refusal.headers},
        media_type="application/json",
    )


async def render_error(request: ConnexionRequest, error: Exception) -> ConnexionResponse:
    """Render an exception for Connexion's exception middleware.

    What it renders follows the contract, as answers of operations do.
    """
    if isinstance(error, Refusal) and "Allow" in error.headers and request.method == "OPTIONS":
        return _options(error.headers["Allow"])
    refusal = refusal_of(error)
    response = error_response(refusal)
    headers = {name.lower(): text for name, text in response.headers.items()}
    violations = context().major.validator.response(
        operation_of(request.scope), response.status_code, headers, bytes(response.body)
    )
    if violations:
        log.error(
            "error withheld, it breaks the contract",
            status=response.status_code,
            violations=list(map(str, violations)),
        )
        response = error_response(internal_error())
    return ConnexionResponse(
        response.status_code, body=response.body, headers=dict(response.headers)
    )


def _options(allow: str) -> ConnexionResponse:
    """Return the methods of a path, and what pages of other sites may send (Fetch standard)."""
    methods = {"Allow": allow, "Access-Control-Allow-Methods": allow}
    return ConnexionResponse(204, headers={**methods, **PREFLIGHT_HEADERS})
