"""Routing by Connexion, as strict as the contract, and what it found for a request."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from http import HTTPStatus
from typing import Any

from connexion.middleware.abstract import ROUTING_CONTEXT
from connexion.middleware.routing import RoutingMiddleware
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount, Route
from starlette.types import Receive, Scope, Send

from handlers.http.refusals import method_not_allowed, not_found


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


def operation_of(scope: Scope) -> str | None:
    """Return the operationId that the router found for a request; None where it found none."""
    operation_id = scope.get("extensions", {}).get(ROUTING_CONTEXT, {}).get("operation_id")
    return None if operation_id is None else str(operation_id).rpartition(".")[2]
