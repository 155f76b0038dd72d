"""The tools over streamable HTTP, with the caller's key (docs/decisions/0035)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import anyio
import anyio.from_thread
import httpx2
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.routes import cors_middleware
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from client import Client, RetryPolicy
from handlers.context import Context
from handlers.http.auth import caller_of_key
from handlers.http.errors import error_response
from handlers.http.rate_limits import count_request
from handlers.http.refusals import RateLimited, Unauthorized
from openapi.vocabulary import Plan
from service.tools.membership import KnownMembership
from service.tools.protocol_server import protocol_server
from service.tools.server import ToolServer
from storage.people.throttle import Limit

PATH: Final = "/mcp"
METADATA_PATH: Final = f"/.well-known/oauth-protected-resource{PATH}"
LIMITS: Final = (Limit(120, timedelta(minutes=1)),)
"""Requests of one key."""
AT_ONCE: Final = 8
"""Calls that run at a time. The API's own threads answer them, so they have others."""
ONCE: Final = RetryPolicy(attempts=1)


class InProcess(httpx2.BaseTransport):
    """Gives requests to an ASGI application, from a thread that its event loop started."""

    def __init__(self, app: ASGIApp) -> None:
        self._transport = httpx2.ASGITransport(app)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response once it is whole."""
        return anyio.from_thread.run(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        body = await response.aread()
        return httpx2.Response(response.status_code, headers=response.headers, content=body)


@dataclass(frozen=True, slots=True)
class KeyVerifier:
    """Tells whose key a request carries."""

    services: Context

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the key with its plan; None for a wrong one."""
        try:
            caller = await run_in_threadpool(caller_of_key, self.services, token.strip())
        except Unauthorized:
            return None
        return AccessToken(
            token=token.strip(),
            client_id=str(caller.key_id),
            scopes=sorted(caller.scopes),
            claims={"plan": caller.plan.value},
        )


class LimitedRate:
    """ASGI middleware that counts the requests of a key, inside of what knows whose it is."""

    def __init__(self, app: ASGIApp, services: Context) -> None:
        self.app = app
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a key that asks too often."""
        user = scope.get("user")
        if isinstance(user, AuthenticatedUser):
            name = f"mcp/{user.access_token.client_id}"
            try:
                await run_in_threadpool(count_request, self.services, name, LIMITS)
            except RateLimited as refusal:
                await error_response(refusal)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def tools_over_http(
    services: Context,
    api: ASGIApp,
    *,
    hosts: Collection[str],
    nonce: Callable[[], str],
    now: Callable[[], datetime],
) -> Starlette:
    """Return the application of /mcp. Its lifespan has to run. ``hosts``: names without port."""
    transport = InProcess(api)
    address = f"{services.site_url}{services.major.base_path}"

    def tools() -> ToolServer:
        key = get_access_token()
        token, plan = (None, Plan.FREE) if key is None else (key.token, _plan_of(key))
        client = Client(address, token, retry=ONCE, transport=transport, trust_env=False)
        return ToolServer(
            client, now=now, nonce=nonce, allow_requests=False, membership=KnownMembership(plan)
        )

    server = protocol_server(tools, services.site_url, limiter=anyio.CapacityLimiter(AT_ONCE))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=_security(services.site_url, hosts),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(services.site_url),
            resource_server_url=AnyHttpUrl(f"{services.site_url}{PATH}"),
            validate_token_resource=False,  # a key is this service's own
        ),
        token_verifier=KeyVerifier(services),
    )
    described = [route for route in app.routes if getattr(route, "path", "") != METADATA_PATH]
    app.router.routes[:] = [_described(services.site_url), *described]
    app.user_middleware.append(Middleware(LimitedRate, services=services))
    return app


def _described(site_url: str) -> Route:
    """Return the resource's metadata (RFC 9728): it names no authorization server, there is none.

    The library's own would name the site as one.
    """
    document = {
        "resource": f"{site_url}{PATH}",
        "resource_name": "Changewire",
        "resource_documentation": f"{site_url}/guide/mcp",
        "bearer_methods_supported": ["header"],
    }

    async def describe(_request: Request) -> JSONResponse:
        return JSONResponse(document, headers={"Cache-Control": "public, max-age=3600"})

    methods = ["GET", "OPTIONS"]
    return Route(METADATA_PATH, endpoint=cors_middleware(describe, methods), methods=methods)


def _plan_of(key: AccessToken) -> Plan:
    return Plan((key.claims or {})["plan"])


def _security(site_url: str, hosts: Collection[str]) -> TransportSecuritySettings:
    """Return whose pages may send requests: the site's own, and those of tools on this machine."""
    local = [f"http://{host}:*" for host in ("127.0.0.1", "localhost", "[::1]")]
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
        allowed_origins=[site_url, *local],
    )
