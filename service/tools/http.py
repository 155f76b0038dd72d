"""The tools over streamable HTTP, with the caller's key (docs/decisions/0035)."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
import anyio.from_thread
import httpx2
import orjson
from mcp.server.auth.routes import cors_middleware
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from client import Client, RetryPolicy
from handlers.context import Context
from handlers.http.auth import caller_of_key, keys_sent, note_use
from handlers.http.errors import error_response
from handlers.http.rate_limits import count_request
from handlers.http.refusals import Refusal, unauthorized
from handlers.threads import in_thread
from openapi.vocabulary import ErrorCode, Plan
from service.tools.mount import METADATA_PATH, PATH
from service.tools.server import ToolServer, protocol_server
from storage.people.throttle import Limit

LIMITS: Final = (Limit(120, timedelta(minutes=1)),)
"""Requests of one key."""
AT_ONCE: Final = 8
"""Calls that run at a time. The API's own threads answer them, so they have others."""
ONCE: Final = RetryPolicy(attempts=1)
NO_MESSAGE: Final = {
    "jsonrpc": "2.0",
    "error": {"code": -32600, "message": "The body must be one request or notification."},
    "id": None,
}
"""The answer to a batch and to a request whose id is null, in every version of the protocol."""
CALLER: Final = "changewire.caller"
"""Where a request has its key and the plan of it."""


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


def key_required(app: ASGIApp, services: Context) -> ASGIApp:
    """Return middleware that refuses a request without a live key, or one too many of a key."""

    def caller_of(headers: Collection[tuple[bytes, bytes]]) -> tuple[str, Plan]:
        keys = keys_sent(headers)
        if len(keys) != 1:
            raise unauthorized()
        caller = caller_of_key(services, *keys)
        note_use(services, caller)
        count_request(services, f"mcp/{caller.key_id}", LIMITS)
        return keys.pop(), caller.plan

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        response = app
        if scope["type"] == "http" and scope["path"] == PATH:
            try:
                scope[CALLER] = await in_thread(lambda: caller_of(scope["headers"]))
            except Refusal as refusal:
                response = refused = error_response(refusal)
                if refusal.code is ErrorCode.UNAUTHORIZED:
                    about = f'resource_metadata="{services.site_url}{METADATA_PATH}"'
                    refused.headers["WWW-Authenticate"] = f'Bearer error="invalid_token", {about}'
        await response(scope, receive, send)

    return answer


def one_message_required(app: ASGIApp) -> ASGIApp:
    """Return middleware that refuses a batch, and a request whose id is null."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        response, receive_rest = app, receive
        if scope["type"] == "http" and scope["method"] == "POST":
            messages: list[Message] = []
            while not messages or messages[-1].get("more_body"):
                messages.append(await receive())
            if not _is_one_message(b"".join(message.get("body", b"") for message in messages)):
                response = JSONResponse(NO_MESSAGE, 400)

            async def receive_rest() -> Message:
                return messages.pop(0) if messages else await receive()

        await response(scope, receive_rest, send)

    return answer


def _is_one_message(body: bytes) -> bool:
    """Return whether a body can be a message; the protocol refuses invalid JSON itself."""
    try:
        message = orjson.loads(body)
    except ValueError:
        return True
    return isinstance(message, dict) and (
        "method" not in message or message.get("id", 0) is not None
    )


def tools_over_http(
    services: Context, api: ASGIApp, *, hosts: Collection[str], now: Callable[[], datetime]
) -> Starlette:
    """Return the application of /mcp. Its lifespan has to run. ``hosts``: names without port."""
    transport = InProcess(api)
    site, local = services.site_url, ("127.0.0.1", "localhost", "[::1]")
    address = f"{site}{services.major.base_path}"

    def tools(context: Any) -> ToolServer:
        key, plan = context.request.scope[CALLER]
        client = Client(address, key, retry=ONCE, transport=transport, trust_env=False)
        return ToolServer(client, now=now, plan=plan)

    server = protocol_server(tools, site, limiter=anyio.CapacityLimiter(AT_ONCE))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
            allowed_origins=[site, *(f"http://{host}:*" for host in local)],
        ),
        custom_starlette_routes=[_metadata(site)],
    )
    app.add_middleware(one_message_required)
    app.add_middleware(key_required, services=services)
    app.add_middleware(
        CORSMiddleware,  # before the key, which a browser does not send with its preflight
        allow_origins=[site],
        allow_origin_regex=r"http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?",
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Retry-After", "RateLimit", "WWW-Authenticate", "X-Request-Id"],
    )
    return app


def _metadata(site: str) -> Route:
    """Return the resource's metadata (RFC 9728), without an authorization server: keys are ours."""
    document = {
        "resource": f"{site}{PATH}",
        "resource_name": "Changewire",
        "resource_documentation": f"{site}/guide/mcp",
        "bearer_methods_supported": ["header"],
    }

    async def describe(_request: Request) -> JSONResponse:
        return JSONResponse(document, headers={"Cache-Control": "public, max-age=3600"})

    methods = ["GET", "OPTIONS"]
    return Route(METADATA_PATH, endpoint=cors_middleware(describe, methods), methods=methods)
