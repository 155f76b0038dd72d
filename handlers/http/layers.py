"""Connexion's layers, as strict as the contract: routing, security, and the calls of handlers."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from connexion.lifecycle import ConnexionRequest
from connexion.middleware.abstract import RoutedAPI, RoutedMiddleware
from connexion.middleware.routing import RoutingMiddleware
from connexion.middleware.security import SecurityAPI, SecurityMiddleware, SecurityOperation
from connexion.operations import AbstractOperation
from connexion.security import NO_VALUE, AbstractSecurityHandler, SecurityHandlerFactory
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Mount, Route
from starlette.types import Receive, Scope, Send

from handlers.context import context
from handlers.http.auth import caller_of_key, caller_of_session, keys_sent
from handlers.http.caching import FileStream, cacheable
from handlers.http.errors import error_response
from handlers.http.outcome import OUTCOME, HeldResponse, Outcome
from handlers.http.refusals import Refusal, method_not_allowed, not_found, unauthorized

Handler = Callable[..., HeldResponse | Response]
Verify: TypeAlias = Callable[[Scope], Any]


class StrictRouting(RoutingMiddleware):
    """Refuse a path or a method that the contract does not have.

    Connexion passes unknown paths on to the application (middleware/routing.py, RoutingAPI), and
    Starlette's router answers ``/sources/`` with a redirect to the host that the request names
    (starlette/routing.py, Router.app). Neither is in the contract.
    """

    def add_api(self, *arguments: Any, **options: Any) -> None:
        """Add the routes of a contract."""
        super().add_api(*arguments, **options)
        for router in (self.router, *(mount.app for mount in self.router.routes)):
            router.redirect_slashes = False
            router.default = _refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Route a request; raise a Refusal for a path or method that is not in the contract."""
        try:
            await super().__call__(scope, receive, send)
        except HTTPException as error:
            if error.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
                raise
            raise method_not_allowed(scope["method"], self._allowed(scope)) from None

    def _allowed(self, scope: Scope) -> list[str]:
        """Return the methods of a path; Starlette names those of the first route only."""
        mounts = [route for route in self.router.routes if isinstance(route, Mount)]
        routes = [route for mount in mounts for route in mount.routes if isinstance(route, Route)]
        matching = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
        return sorted({"OPTIONS"}.union(*(route.methods or () for route in matching)))


async def _refuse(scope: Scope, _receive: Receive, _send: Send) -> None:
    if scope["type"] == "http":
        raise not_found()


class CredentialHandler(AbstractSecurityHandler):
    """Check a key in one of its two headers, or a session in the cookie."""

    def get_fn(self, scheme: Mapping[str, str], _scopes: Sequence[str]) -> Verify:
        """Return the function that checks a request."""
        if scheme.get("in") == "cookie":
            return _verify_session
        header = scheme.get("name", "authorization").lower().encode()
        return partial(_verify_key, header=header)


SECURITY_MAP: Final = {"bearer": CredentialHandler, "apiKey": CredentialHandler}


def _verify_key(scope: Scope, header: bytes) -> Any:
    if header not in dict(scope["headers"]):
        return NO_VALUE
    keys = keys_sent(scope["headers"])
    if len(keys) > 1:
        raise unauthorized()
    scope[OUTCOME].caller = caller = caller_of_key(context(), keys.pop())
    return caller


def _verify_session(scope: Scope) -> Any:
    if keys_sent(scope["headers"]):
        return NO_VALUE
    scope[OUTCOME].caller = caller = caller_of_session(context(), scope)
    return NO_VALUE if caller is None else caller


class StrictSecurityFactory(SecurityHandlerFactory):
    """Let the first alternative that applies to a request decide, and every error through.

    Connexion collects what its alternatives raise and tries the next one (security.py,
    verify_security): a wrong key would be nobody's where ``{}`` accepts everybody, and a database
    that does not answer would read as a wrong key.
    """

    @classmethod
    def verify_security(cls, auth_funcs: Sequence[Verify]) -> Callable[[ConnexionRequest], Any]:
        """Return what verifies a request. It raises a Refusal where no alternative applies."""

        async def verify(request: ConnexionRequest) -> None:
            scope = request.scope
            for authenticate in auth_funcs:
                if authenticate(scope) is not NO_VALUE:
                    return
            raise unauthorized()

        return verify


class StrictSecurityAPI(SecurityAPI):
    """Connexion's SecurityAPI, which names its factory in its constructor, with ours."""

    def make_operation(self, operation: AbstractOperation) -> SecurityOperation:
        """Return what checks the requests of an operation."""
        handlers: dict[str, Any] = self.security_handler_factory.security_handlers
        return SecurityOperation.from_operation(
            operation,
            next_app=self.next_app,
            security_handler_factory=StrictSecurityFactory(handlers),
        )


class StrictSecurity(SecurityMiddleware):
    """Connexion's security with the factory above."""

    api_cls = StrictSecurityAPI


class HandlerOperation:
    """Call the handler of an operation, and send its response.

    A GET handler takes its query object (``openapi.queries``), another one the checked body, both
    with the caller or None; then the headers, where the contract names some.
    """

    def __init__(self, operation: AbstractOperation) -> None:
        self._handler: Handler = operation.function
        self._takes_headers = any(parameter["in"] == "header" for parameter in operation.parameters)
        self._reads = operation.method.upper() == "GET"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        outcome: Outcome = scope[OUTCOME]
        arguments = [outcome.values["query" if self._reads else "body"], outcome.caller]
        if self._takes_headers:
            arguments.append(outcome.values["headers"])
        try:
            response = self._handler(*arguments)
            if isinstance(response, HeldResponse):
                outcome.held, response = response, response.response
            if self._reads:
                response = cacheable(response, scope)
        except Refusal as refusal:
            response = error_response(refusal)
        if isinstance(response, FileStream):
            outcome.file = response
            response = Response(None, response.status_code)
            response.raw_headers = outcome.file.raw_headers
        await response(scope, receive, send)


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
