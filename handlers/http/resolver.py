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
        prepared = reading if operation.method.upper() == "GET" else writing
        return Resolution(prepared(resolution.function), resolution.operation_id)


def reading(handler: Handler) -> Callable[..., Response]:
    """Let a handler read everything from one view of the database, and its response be cached.

    It is called with its query object (``openapi.queries``) and the caller, None for nobody.
    """

    def call(query: Query, token_info: TokenInfo) -> Response:
        try:
            with context().db.one_view():
                return cacheable(handler(query, caller_of(token_info)), request.scope)
        except Refusal as refusal:
            return error_response(refusal)

    return call


def writing(handler: Handler) -> Callable[..., Response]:
    """Let a handler open its own transaction."""

    @wraps(handler)
    def call(**arguments: Any) -> Response:
        try:
            response = handler(**arguments)
        except Refusal as refusal:
            return error_response(refusal)
        assert isinstance(response, Response)
        return response

    return call
