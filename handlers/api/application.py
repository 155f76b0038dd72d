"""The API: Connexion over the contract, its middlewares in their order."""

from copy import deepcopy
from functools import partial

from connexion import ConnexionMiddleware
from connexion.exceptions import ProblemException
from connexion.middleware.exceptions import ExceptionMiddleware
from connexion.resolver import RelativeResolver
from starlette.exceptions import HTTPException
from starlette.routing import Router
from starlette.types import ASGIApp

from handlers.context import Context
from handlers.http.errors import render_error
from handlers.http.layers import SECURITY_MAP, Handlers, StrictRouting, StrictSecurity
from handlers.http.one_thread import OneThread
from handlers.http.validators import (
    VALIDATOR_MAP,
    StrictRequestValidation,
    StrictResponseValidation,
)


def create_api(services: Context) -> ASGIApp:
    """Return the API as an ASGI application, which answers under its contract's base path."""
    major = services.major
    contract = deepcopy(dict(major.contract))  # Connexion writes into it
    app = ConnexionMiddleware(
        Handlers(Router()),
        middlewares=[
            partial(OneThread, services=services, paths=contract["paths"]),
            ExceptionMiddleware,
            StrictRouting,
            StrictSecurity,
            StrictRequestValidation,
            StrictResponseValidation,
        ],
        resolver=RelativeResolver(major.handlers),
        security_map=SECURITY_MAP,
        validate_responses=True,
        validator_map=VALIDATOR_MAP,
    )
    app.add_api(contract, base_path=major.base_path)
    for kind in (Exception, ProblemException, HTTPException):
        app.add_error_handler(kind, render_error)
    application: ASGIApp = app
    return application
