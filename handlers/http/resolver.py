"""From an operation of the contract to its handler: the one place where a handler is called."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable
from functools import wraps
from typing import Any

from connexion import request
from connexion.operations import AbstractOperation
from connexion.resolver import RelativeResolver, Resolution
from starlette.responses import Response

from handlers.context import context
from handlers.http.auth import TokenInfo, caller_of
from handlers.http.caching import LazyResponse, cacheable
from handlers.http.errors import error_response
from handlers.http.refusals import Refusal
from openapi.query import Query

Handler = Callable[..., LazyResponse | Response]


class OperationResolver(RelativeResolver):
    """Find the handler of an operation by its operationId, and prepare how it is called."""

    def resolve(self, operation: AbstractOperation) -> Resolution:
        """Return the function that Connexion calls for an operation."""
        resolution = super().resolve(operation)
        wrap = wrap_get if operation.method.upper() == "GET" else wrap_write
        return Resolution(wrap(resolution.function), resolution.operation_id)


def wrap_get(handler: Handler) -> Callable[..., Response]:
    """Run a GET handler in one read transaction and add caching headers to its response.

    The handler is called with its query object (``openapi.queries``) and the caller or None.
    """

    def call(query: Query, token_info: TokenInfo) -> Response:
        try:
            with context().db.one_view():
                return cacheable(handler(query, caller_of(token_info)), request.scope)
        except Refusal as refusal:
            return error_response(refusal)

    return call


def wrap_write(handler: Handler) -> Callable[..., Response]:
    """Run a handler that writes; it opens its own transaction."""

    @wraps(handler)
    def call(**arguments: Any) -> Response:
        try:
            response = handler(**arguments)
        except Refusal as refusal:
            return error_response(refusal)
        assert isinstance(response, Response)
        return response

    return call
