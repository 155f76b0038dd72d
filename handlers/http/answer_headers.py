"""The outermost layer of the API: what every request starts with and every answer carries."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.context import Context, current_context
from handlers.http.routing import operation_of
from openapi.deprecation import deprecation_headers

ANSWER_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id"
    ),
    "X-Content-Type-Options": "nosniff",
}
EXTRA_HEADERS = "changewire.headers"  # in an ASGI scope: what inner layers want to add
DEPRECATION_POLICY = "/guide/deprecation"


def notices_by_operation(
    paths: Mapping[str, Mapping[str, Any]], *, policy_url: str
) -> dict[str | None, dict[str, str]]:
    """Return the headers that announce the end of deprecated operations, by operationId."""
    return {
        operation["operationId"]: headers
        for item in paths.values()
        for operation in item.values()
        if (headers := deprecation_headers(operation, policy_url=policy_url))
    }


class AnswerHeaders:
    """ASGI middleware around everything that Connexion does."""

    def __init__(self, app: ASGIApp, *, services: Context, paths: Mapping[str, Any]) -> None:
        self.app = app
        self.services = services
        self.notices = notices_by_operation(
            paths, policy_url=services.site_url + DEPRECATION_POLICY
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, and complete the headers of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        current_context.set(self.services)
        inner = {
            **scope,
            # Connexion writes the route in here, and servers share one among all requests.
            "extensions": {},
            # With an application Starlette's router raises; without one it answers in plain text.
            "app": self,
            EXTRA_HEADERS: {},
        }

        async def send_completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._complete(MutableHeaders(raw=message["headers"]), inner)
            elif scope["method"] == "HEAD":  # answered as a GET, RFC 9110 section 9.3.2
                message = {**message, "body": b""}
            await send(message)

        await self.app(inner, receive, send_completed)

    def _complete(self, headers: MutableHeaders, scope: Scope) -> None:
        headers.update(ANSWER_HEADERS)
        headers.setdefault("Cache-Control", "no-store")
        notices = self.notices.get(operation_of(scope), {})
        for name, text in {**scope[EXTRA_HEADERS], **notices}.items():
            if name == "Link" and name in headers:  # RFC 8288 section 3: one may name many
                headers[name] += f", {text}"
            headers.setdefault(name, text)
