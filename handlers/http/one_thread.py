"""The outermost layer of the API: each request in one thread, and what every response carries."""

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.context import Context, current_context
from handlers.http.auth import note_use
from handlers.http.long_polling import wait_for_change
from handlers.http.outcome import OUTCOME, Outcome
from handlers.http.refusals import ANSWER_HEADERS
from handlers.http.validators import operation_of
from handlers.threads import in_thread
from openapi.deprecation import deprecation_headers

READING: Final = frozenset({"GET", "HEAD"})
DEPRECATION_POLICY: Final = "/guide/deprecation"
ADDED: Final = Headers(ANSWER_HEADERS | {"Cache-Control": "no-store"}).raw
"""Headers of each response that does not set its own."""


class OneThread:
    """ASGI middleware around everything that Connexion does.

    Nothing inside waits for the event loop, so that one thread answers a request, a GET with one
    view of the database.
    """

    def __init__(self, app: ASGIApp, *, services: Context, paths: Mapping[str, Any]) -> None:
        self.app = app
        self.services = services
        policy_url = services.site_url + DEPRECATION_POLICY
        self.notices = {
            operation["operationId"]: deprecation_headers(operation, policy_url=policy_url)
            for item in paths.values()
            for operation in item.values()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        current_context.set(self.services)
        body = b"" if scope["method"] in READING else await Request(scope, receive).body()
        answer = partial(self._answer, scope, body)
        outcome: Outcome | None = await in_thread(answer)
        if outcome is not None and outcome.held is not None:
            outcome = await wait_for_change(outcome, outcome.held, answer, receive)
        if outcome is None:
            return
        if outcome.file is not None:
            await outcome.file(scope, receive, send)
            return
        for message in outcome.messages:
            is_unsent = scope["method"] == "HEAD" and "body" in message  # RFC 9110 section 9.3.2
            await send({**message, "body": b""} if is_unsent else message)

    def _answer(self, scope: Scope, body: bytes) -> Outcome:
        """Return what the inner layers answer."""
        outcome = Outcome()
        inner = {
            **scope,
            # Connexion writes the route in here, and servers share one among all requests.
            "extensions": {},
            # With an application Starlette's router raises; without one it answers in plain text.
            "app": self,
            OUTCOME: outcome,
        }

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            outcome.messages.append(message)

        with self.services.db.one_view() if scope["method"] in READING else nullcontext():
            for _ in self.app(inner, receive, send).__await__():
                raise RuntimeError("A layer of the API waits for the event loop.")
        if outcome.caller is not None:
            note_use(self.services, outcome.caller)
        notices = self.notices.get(operation_of(inner) or "", {})
        headers = MutableHeaders(raw=outcome.messages[0]["headers"])
        present = dict(headers.raw)
        headers.raw.extend(header for header in ADDED if header[0] not in present)
        for name, text in (outcome.headers | notices).items():
            if name == "Link" and name in headers:  # RFC 8288 section 3: one may name many
                headers[name] += f", {text}"
            headers.setdefault(name, text)
        return outcome
