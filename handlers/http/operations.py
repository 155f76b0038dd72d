"""The application that Connexion's middlewares protect: it calls the handlers."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from connexion.lifecycle import ConnexionRequest
from connexion.middleware.abstract import RoutedAPI, RoutedMiddleware
from connexion.operations import AbstractOperation
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from handlers.context import context
from handlers.http.auth import caller_of
from handlers.http.caching import cacheable
from handlers.http.errors import error_response
from handlers.http.long_polling import HeldResponse, wait_for_change
from handlers.http.refusals import Refusal

Handler = Callable[..., HeldResponse | Response]


class HandlerOperation:
    """Call the handler of an operation in a thread, and send its response.

    A GET handler takes its query object (``openapi.queries``), another one the checked body, both
    with the caller or None; then the headers, where the contract names some. Security and
    validation have put them into Connexion's context.
    """

    def __init__(self, operation: AbstractOperation) -> None:
        self._handler: Handler = operation.function
        self._takes_headers = any(parameter["in"] == "header" for parameter in operation.parameters)
        self._respond = self._read if operation.method.upper() == "GET" else self._write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        respond = partial(self._respond_or_refuse, scope)
        response: Response | HeldResponse | None = await run_in_threadpool(respond)
        if isinstance(response, HeldResponse):
            response = await wait_for_change(response, respond, receive)
        if response is not None:
            await response(scope, receive, send)

    def _respond_or_refuse(self, scope: Scope) -> Response | HeldResponse:
        try:
            return self._respond(scope, ConnexionRequest(scope).context)
        except Refusal as refusal:
            return error_response(refusal)

    def _read(self, scope: Scope, values: dict[str, Any]) -> Response | HeldResponse:
        """Run a GET handler in one read transaction and add caching headers to its response."""
        with context().db.one_view():
            response = self._handler(values["query"], *self._caller_and_headers(values))
            if isinstance(response, HeldResponse):
                return replace(response, response=cacheable(response.response, scope))
            return cacheable(response, scope)

    def _write(self, _scope: Scope, values: dict[str, Any]) -> Response:
        """Run a handler that writes; it opens its own transaction."""
        response = self._handler(values["body"], *self._caller_and_headers(values))
        assert isinstance(response, Response)
        return response

    def _caller_and_headers(self, values: dict[str, Any]) -> tuple[Any, ...]:
        caller = caller_of(values["token_info"])
        return (caller, values["headers"]) if self._takes_headers else (caller,)


class HandlerAPI(RoutedAPI):
    """The operations of a contract with their handlers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.add_paths()

    def make_operation(self, operation: AbstractOperation) -> HandlerOperation:
        """Return what answers the requests of an operation."""
        return HandlerOperation(operation)


class Handlers(RoutedMiddleware):
    """Connexion's innermost layer, with the operations above."""

    api_cls = HandlerAPI
