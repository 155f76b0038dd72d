"""The outermost layer of the API: which paths there are, caching, HEAD, OPTIONS and CORS."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.context import EXTRA_HEADERS, Context, current_context
from handlers.http.auth import is_anonymous
from handlers.http.conditional import NOT_MODIFIED, OK, etag_of, if_none_match_of, matches
from handlers.http.errors import error_response
from handlers.http.operation_runner import Question
from handlers.http.refusals import MethodNotAllowed, NotFound
from openapi.deprecation import deprecation_headers
from openapi.middleware import Whole

VARY = b"Authorization, X-Api-Key, Cookie"
OF_SHARED = {b"vary": VARY, b"cache-control": b"public, max-age=60"}
OF_PRIVATE = {b"vary": VARY, b"cache-control": b"private, no-cache"}
NEVER_STORED = (b"cache-control", b"no-store")
READING = ("GET", "HEAD")
LISTED = b"link"  # one header may name many links, RFC 8288 section 3
ANSWER_HEADERS = {
    b"access-control-allow-origin": b"*",
    b"access-control-expose-headers": (
        b"Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id"
    ),
    b"x-content-type-options": b"nosniff",
}
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, X-Api-Key",
    "Access-Control-Max-Age": "86400",
}
DEPRECATION_POLICY = "/guide/deprecation"


def methods_by_path(
    base_path: str, paths: Mapping[str, Mapping[str, object]]
) -> dict[str, list[str]]:
    """Return the methods of every path, in upper case, HEAD and OPTIONS with them."""
    return {
        base_path + path: sorted(
            {method.upper() for method in item if method in {"get", "post"}}
            | ({"HEAD"} if "get" in item else set())
            | {"OPTIONS"}
        )
        for path, item in paths.items()
    }


def notices_by_path(
    base_path: str, paths: Mapping[str, Mapping[str, Any]], *, policy_url: str
) -> dict[tuple[str, str], dict[str, str]]:
    """Return the headers that announce the end of deprecated operations, by method and path."""
    return {
        (method.upper(), base_path + path): headers
        for path, item in paths.items()
        for method, operation in item.items()
        if (headers := deprecation_headers(operation, policy_url=policy_url))
    }


class Edge:
    """ASGI application around Connexion: everything about HTTP that no operation decides.

    Connexion only ever sees paths and methods of the contract, so none of its own redirects or
    plain-text answers gets out.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        services: Context,
        base_path: str,
        paths: Mapping[str, Any],
        questions: Mapping[str, Question] = MappingProxyType({}),
    ) -> None:
        self.app = app
        self.services = services
        self.methods = methods_by_path(base_path, paths)
        self.questions = {base_path + path: each for path, each in questions.items()}
        self.notices = notices_by_path(
            base_path, paths, policy_url=services.site_url + DEPRECATION_POLICY
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        current_context.set(self.services)
        answer = self._without_operation(scope)
        exchange = Exchange(scope, send)
        if answer is not None:
            await answer(scope, receive, exchange.send)
            return
        if scope["method"] == "HEAD":  # answered as a GET, RFC 9110 section 9.3.2
            scope = {**scope, "method": "GET"}
        exchange.extra_headers.update(self.notices.get((scope["method"], scope["path"]), {}))
        inner = {
            **scope,
            EXTRA_HEADERS: exchange.extra_headers,
            # Connexion writes the route in here, and servers share one among all requests
            "extensions": dict(scope.get("extensions") or {}),
        }
        await self.app(inner, receive, exchange.send)

    def at_once(self, scope: Scope) -> Whole | None:
        """Return the answer to a request if there is one without waiting, else None."""
        question = self.questions.get(scope["path"])
        if question is None or scope["method"] not in READING:
            return None
        current_context.set(self.services)
        if_none_match = if_none_match_of(scope)
        ready = question.at_a_glance(scope, if_none_match)
        if ready is None:
            return None
        return completed(scope, ready, if_none_match, self.notices.get(("GET", scope["path"]), {}))

    def _without_operation(self, scope: Scope) -> Response | None:
        allowed = self.methods.get(scope["path"])
        if allowed is None:
            return error_response(NotFound())
        if scope["method"] not in allowed:
            return error_response(MethodNotAllowed(scope["method"], allowed))
        if scope["method"] == "OPTIONS":
            allow = ", ".join(allowed)
            return Response(
                status_code=204,
                headers={
                    "Allow": allow,
                    "Access-Control-Allow-Methods": allow,
                    **PREFLIGHT_HEADERS,
                },
            )
        return None


class Exchange:
    """One request and its answer, which is held back until its ETag is known.

    An operation that knows what its answer depends on names the ETag itself; that of any other
    is made of the body. Without a body it is an answer that the caller has already.
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.if_none_match = if_none_match_of(scope)
        self.extra_headers: dict[str, str] = {}
        self._send = send
        self._start: Message = {}
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Take a message from the application; pass all on with the last."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body.append(message.get("body", b""))
        if message.get("more_body", False):
            return
        found = Whole(self._start["status"], self._start["headers"], b"".join(self._body))
        whole = completed(self.scope, found, self.if_none_match, self.extra_headers)
        start = {"status": whole.status, "headers": whole.headers}
        await self._send({"type": "http.response.start", **start})
        await self._send({"type": "http.response.body", "body": whole.body})


def completed(
    scope: Scope, found: Whole, if_none_match: Sequence[str], extra_headers: Mapping[str, str]
) -> Whole:
    """Return an answer with what every answer carries, or what says that the caller has it."""
    status, body = found.status, found.body
    headers = {name.lower(): value for name, value in found.headers}
    for added, text in extra_headers.items():
        name, value = added.lower().encode(), text.encode("latin-1")
        if name == LISTED and name in headers:  # a page's neighbours and the policy
            headers[name] += b", " + value
        headers.setdefault(name, value)
    if status in (OK, NOT_MODIFIED) and scope["method"] in READING:
        headers |= OF_SHARED if is_anonymous(scope["headers"]) else OF_PRIVATE
        if b"etag" not in headers:
            headers[b"etag"] = etag_of(body).encode()
        etag = headers[b"etag"].decode()
        if status == OK and if_none_match and matches(if_none_match, etag):
            status, body = NOT_MODIFIED, b""
            for name in (b"content-type", b"content-length"):
                headers.pop(name, None)
    raw = [*ANSWER_HEADERS.items(), *headers.items()]
    if b"cache-control" not in headers:
        raw.append(NEVER_STORED)
    return Whole(status, raw, b"" if scope["method"] == "HEAD" else body)
