"""The API: Connexion over the contract, with our middlewares in their places."""

import structlog
from connexion import AsyncApp
from connexion.exceptions import ProblemException
from connexion.middleware.exceptions import ExceptionMiddleware
from connexion.middleware.routing import RoutingMiddleware
from connexion.resolver import RelativeResolver
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Scope

from handlers.context import Context
from handlers.http.errors import error_response, render_error
from handlers.http.http_layer import Edge
from handlers.http.operation_runner import Operations, questions
from handlers.http.refusals import InternalError
from openapi.contract import load_contract
from openapi.middleware import ResponseValidation
from openapi.violations import Violation

log = structlog.get_logger(__name__)

BASE_PATH = "/api/v1"
MIDDLEWARES = [ExceptionMiddleware, RoutingMiddleware, Operations]


def create_api(services: Context) -> ASGIApp:
    """Return the API as an ASGI application that answers under /api/v1."""
    contract = load_contract()
    app = AsyncApp("handlers", middlewares=list(MIDDLEWARES))
    app.add_api(
        contract,
        base_path=BASE_PATH,
        resolver=RelativeResolver("handlers.api.operations"),
    )
    for kind in (Exception, ProblemException, HTTPException):
        app.add_error_handler(kind, render_error)
    edge = Edge(
        app,
        services=services,
        base_path=BASE_PATH,
        paths=contract["paths"],
        questions=questions(),
    )
    return ResponseValidation(edge, on_violation=withheld, at_once=edge.at_once)


def withheld(scope: Scope, violations: tuple[Violation, ...]) -> ASGIApp:
    """Answer in place of an answer that breaks the contract; what was wrong goes to the log."""
    log.error(
        "answer withheld, it breaks the contract",
        path=scope["path"],
        violations=[f"{each.where}: {each.sentence}" for each in violations],
    )
    return error_response(InternalError())
