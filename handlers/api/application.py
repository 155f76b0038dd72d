"""The API: Connexion over the contract, its middlewares in their order."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from typing import Final

from connexion import ConnexionMiddleware
from connexion.exceptions import ProblemException
from connexion.middleware.exceptions import ExceptionMiddleware
from connexion.middleware.lifespan import LifespanMiddleware
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

THREADS: Final = 12  # fewer than connections of either database, so that none waits for one


@asynccontextmanager
async def limited_threads(_app: ASGIApp) -> AsyncIterator[None]:
    """Let handlers run in as many threads as there are connections for."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "request"))
    yield


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
            LifespanMiddleware,
        ],
        lifespan=limited_threads,
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
