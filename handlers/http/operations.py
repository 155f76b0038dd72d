"""The application that Connexion's middlewares protect: it calls the handlers."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable
from typing import Any

from connexion.lifecycle import ConnexionRequest
from connexion.middleware.abstract import RoutedAPI, RoutedMiddleware
from connexion.operations import AbstractOperation
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from handlers.http.caching import FileStream, cacheable
from handlers.http.errors import error_response
from handlers.http.outcome import OUTCOME, HeldResponse, Outcome
from handlers.http.refusals import Refusal

Handler = Callable[..., HeldResponse | Response]


class HandlerOperation:
    """Call the handler of an operation, and send its response.

    A GET handler takes its query object (``openapi.queries``), another one the checked body, both
    with the caller or None; then the headers, where the contract names some. Validation has put
    them into Connexion's context.
    """

    def __init__(self, operation: AbstractOperation) -> None:
        self._handler: Handler = operation.function
        self._takes_headers = any(parameter["in"] == "header" for parameter in operation.parameters)
        self._reads = operation.method.upper() == "GET"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        outcome: Outcome = scope[OUTCOME]
        try:
            response = self._respond(outcome, ConnexionRequest(scope).context)
            if self._reads:
                response = cacheable(response, scope)
        except Refusal as refusal:
            response = error_response(refusal)
        if isinstance(response, FileStream):
            outcome.file = response
            response = Response(None, response.status_code)
            response.raw_headers = outcome.file.raw_headers
        await response(scope, receive, send)

    def _respond(self, outcome: Outcome, values: dict[str, Any]) -> Response:
        arguments = [values["query" if self._reads else "body"], outcome.caller]
        if self._takes_headers:
            arguments.append(values["headers"])
        response = self._handler(*arguments)
        if isinstance(response, HeldResponse):
            outcome.held, response = response, response.response
        return response


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
