"""Reads responses: an object of the contract, or an error."""

import json
from typing import Any

import httpx2

from client.errors import ERRORS, ApiError, ChangewireError, UnexpectedAnswer
from client.retry import retry_after_of


def object_of(response: httpx2.Response, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raises UnexpectedAnswer."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise _unexpected(response)
    return document


def failure_of(response: httpx2.Response) -> ChangewireError:
    """Return the exception for a response that is no success."""
    try:
        error = object_of(response, response.content)
        code, message, hint = error["code"], error["message"], error.get("hint")
    except (UnexpectedAnswer, KeyError):
        return _unexpected(response)
    if not isinstance(code, str) or not isinstance(message, str):
        return _unexpected(response)
    return ERRORS.get(code, ApiError)(
        message,
        code=code,
        status=response.status_code,
        hint=hint if isinstance(hint, str) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after=retry_after_of(response.headers),
    )


def _unexpected(response: httpx2.Response) -> UnexpectedAnswer:
    where = response.headers.get("location")
    moved = f" and points to {where}" if where and response.is_redirect else ""
    return UnexpectedAnswer(
        f"{response.url.copy_with(query=None)} answered {response.status_code}{moved}, "
        "which is not an answer of this API.",
        hint="Check the address of the API.",
    )
