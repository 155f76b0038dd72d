"""The layer before the API and the pages: hosts, header sizes, bodies, request ids, last errors."""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import TypeAlias

import structlog
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.http.auth import credential_of, with_plain_cookies
from handlers.http.errors import current_request_id, error_response, refusal_of
from handlers.http.limiter import Limiter, Sender
from handlers.http.refusals import (
    ANSWER_HEADERS,
    RateLimited,
    Refusal,
    invalid_request,
    payload_too_large,
    unavailable,
)

log = structlog.get_logger("changewire.access")
PAUSE_SECONDS = 0.1
"""How long a 429 is held back, so that a client that sends on and on is answered no faster."""
BODILESS = frozenset({"GET", "HEAD"})
PROBES = frozenset({"/healthz", "/readyz"})
"""Paths that answer whatever the Host is: probes use addresses of pods, or name no host."""
BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})
CountRequest: TypeAlias = Callable[[str, str, int | None, float], object]
"""Counts a request that is over: method, path, status (None for no answer), seconds."""


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Limits on requests. ``hosts``: names in lower case, without port.

    ``larger``: bytes of a body by the paths that take more than ``body_bytes``. Only
    ``larger_at_once`` of such bodies are held at a time, ``larger_of_one`` of one client.
    """

    hosts: frozenset[str]
    body_bytes: int = 64 * 1024
    header_bytes: int = 16 * 1024
    body_deadline: timedelta = timedelta(seconds=10)
    larger: Mapping[str, int] = field(default_factory=dict)
    larger_deadline: timedelta = timedelta(seconds=30)
    larger_at_once: int = 8
    larger_of_one: int = 2


def count_nothing(method: str, path: str, status: int | None, seconds: float) -> None:
    """Count nothing."""


class Guard:
    """ASGI middleware in front of the API and the pages."""

    def __init__(
        self,
        app: ASGIApp,
        policy: RequestPolicy,
        count_request: CountRequest = count_nothing,
        limiter: Limiter | None = None,
        page_of: Callable[[Refusal], Response] = error_response,
    ) -> None:
        self.app = app
        self.policy = policy
        self.count_request = count_request
        self.limiter = limiter or Limiter({})
        self.page_of = page_of
        self.log = log.bind()  # once, not for each line
        self._larger_bodies: Counter[str] = Counter()  # by who sends them

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a valid request on; answer invalid ones and exceptions with an Error object."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        current_request_id.set(request_id)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        sending = Sending(send, request_id)
        began = time.perf_counter()
        try:
            if scope["path"] in PROBES:
                others = [header for header in scope["headers"] if header[0] != b"host"]
                scope = {**scope, "headers": [(b"host", b"localhost"), *others]}
            check_head(scope, self.policy)
            scope = {**scope, "headers": with_plain_cookies(scope["headers"])}
            with self.limiter.request(scope, credential_of(scope)) as sender:
                sending.sender = sender
                await self._pass_on(scope, receive, sending, sender)
        except Exception as error:  # noqa: BLE001 - nothing may leave as a bare 500
            refusal = refusal_of(error)
            if not sending.started:
                if isinstance(refusal, RateLimited):
                    await asyncio.sleep(PAUSE_SECONDS)
                answer = self.page_of if wants_page(scope) else error_response
                response = answer(refusal)
                await response(scope, receive, sending.send)
        finally:
            seconds = time.perf_counter() - began
            method, path, status = scope["method"], scope["path"], sending.status
            self.count_request(method, path, status, seconds)
            took = round(seconds * 1000, 1)
            write = self.log.debug if path in PROBES and status == 200 else self.log.info
            write("request", method=method, path=path, status=status, milliseconds=took)

    async def _pass_on(
        self, scope: Scope, receive: Receive, sending: "Sending", sender: Sender
    ) -> None:
        """Read the body of a request, wait for a place, and call the application.

        A GET or HEAD has a body only if a header says so (RFC 9112 section 6.3).
        """
        if scope["method"] in BODILESS and BODY_HEADERS.isdisjoint(dict(scope["headers"])):
            await sender.take_place()
            await self.app(scope, receive, sending.send)
            return
        policy = policy_of(scope, self.policy)
        with nullcontext() if policy is self.policy else self._large_body(sender.name):
            receive = await buffered(scope, receive, policy)
            await sender.take_place()
            await self.app(scope, receive, sending.send)

    @contextmanager
    def _large_body(self, name: str) -> Iterator[None]:
        """Count a large body while it is held. Raises a Refusal for one too many."""
        if self._larger_bodies[name] >= self.policy.larger_of_one:
            raise RateLimited(timedelta(seconds=1), ANSWER_HEADERS)
        if self._larger_bodies.total() >= self.policy.larger_at_once:
            raise unavailable()
        self._larger_bodies[name] += 1
        try:
            yield
        finally:
            self._larger_bodies -= Counter({name: 1})  # keeps no zeros


@dataclass(slots=True)
class Sending:
    """Passes a response on with its request id and what its sender has left, and its status.

    With the first bytes the sender's place is free: a client that reads slowly keeps only itself.
    """

    channel: Send
    request_id: str
    status: int | None = None
    sender: Sender = field(default_factory=partial(Sender, "nobody"))

    @property
    def started(self) -> bool:
        """Return whether the response has begun."""
        return self.status is not None

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.sender.leave_place(message["status"])
            added = Headers({"X-Request-Id": self.request_id, **self.sender.headers}).raw
            present = dict(message["headers"])
            headers = [header for header in added if header[0] not in present]
            message = {**message, "headers": [*message["headers"], *headers]}
        await self.channel(message)


def wants_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page, so that an error should be one too."""
    accepts = any(name == b"accept" and b"text/html" in text for name, text in scope["headers"])
    return accepts and not scope["path"].startswith("/api/")


def check_head(scope: Scope, policy: RequestPolicy) -> None:
    """Refuse a request by its headers alone."""
    if not scope["path"].startswith("/"):
        raise invalid_request(
            "The request target is not a path.", hint="A path starts with a slash (RFC 9112 §3.2)."
        )
    if sum(map(len, chain.from_iterable(scope["headers"]))) > policy.header_bytes:
        raise invalid_request(
            "The request headers are too large.",
            hint=f"Send at most {policy.header_bytes // 1024} KiB of headers.",
            status=HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        )
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    is_probe = scope["path"] in PROBES
    if not is_probe and (len(hosts) != 1 or not is_known(hosts[0].decode("latin-1"), policy.hosts)):
        raise invalid_request(
            "The Host header is not an address of this service.",
            hint="Use the address that the service is published under.",
        )


def policy_of(scope: Scope, policy: RequestPolicy) -> RequestPolicy:
    """Return the policy of a request: another one for a large body where one is taken."""
    most = policy.larger.get(scope["path"])
    if most is None or scope["method"] in BODILESS:
        return policy
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    if all(value.isdigit() and int(value) <= policy.body_bytes for value in lengths) and lengths:
        return policy
    return replace(policy, body_bytes=most, body_deadline=policy.larger_deadline)


def is_known(host: str, hosts: Collection[str]) -> bool:
    """Return whether a Host header (RFC 9110 section 7.2) names one of the known hosts."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, ""
    return (not port or port.isdecimal()) and name.lower().rstrip(".") in hosts


async def buffered(scope: Scope, receive: Receive, policy: RequestPolicy) -> Receive:
    """Read the whole body, bounded in size and time, and return a channel that gives it again."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > policy.body_bytes:
            raise payload_too_large(policy.body_bytes)
    try:
        async with asyncio.timeout(policy.body_deadline.total_seconds()):
            body = await _read(receive, policy)
    except TimeoutError as error:
        seconds = int(policy.body_deadline.total_seconds())
        raise invalid_request(
            "The request body did not arrive in time.",
            hint=f"Send it within {seconds} seconds.",
            status=HTTPStatus.REQUEST_TIMEOUT,
        ) from error
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


async def _read(receive: Receive, policy: RequestPolicy) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise invalid_request("The request ended before its body did.")
        body += message.get("body", b"")
        if len(body) > policy.body_bytes:
            raise payload_too_large(policy.body_bytes)
        if not message.get("more_body", False):
            return bytes(body)
