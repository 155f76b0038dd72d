"""The deployment under test, and how requests are sent to it."""

import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from conformance.http_messages import Request, Response

TIMEOUT_SECONDS = 30.0
"""Seconds to wait for a response before the request counts as hanging."""
_SILENT = 3
"""Requests in a row without an answer after which a site is given up."""
_LARGEST_BYTES = 64 << 20
"""Bytes of a body; no page of 100 items comes near it."""
Params = Mapping[str, str | int] | str
"""Query parameters, by name or as they are in an address."""


class Unusable(Exception):
    """A site or a key that a run would prove nothing with; the message says why."""


class Site:
    """Sends single requests, from any thread, and passes every response to a listener."""

    def __init__(
        self, client: httpx2.Client, address: str, *, base_path: str = "", rate: float | None = None
    ) -> None:
        """`rate` is the largest number of requests a second; None sets no limit."""
        self._client = client
        self.address = address.rstrip("/")
        self.base_path = base_path
        self.document = "/openapi"
        """The path of the contract, without its ending."""
        self._gap = 0.0 if rate is None else 1 / rate
        self._next = 0.0
        self._lock = Lock()
        self._unanswered = 0
        self.listener: Callable[[Response], None] = lambda _: None

    @property
    def is_silent(self) -> bool:
        """True after several requests in a row without an answer: more would only wait."""
        return self._unanswered >= _SILENT

    def wait_for_turn(self) -> None:
        """Sleep until the next request may go."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        time.sleep(turn - now)

    def url(self, path: str, params: Params = "") -> str:
        """Return the full URL of a path of the site."""
        query = query_string(params)
        return f"{self.address}{path}{'?' if query else ''}{query}"

    def send(
        self,
        method: str,
        path: str,
        params: Params = "",
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Send a request to a path of the site, without cookies and without following redirects.

        Raises Unusable if it is not answered.
        """
        sent = Request(method, self.url(path, params), dict(headers or {}), body)
        self.wait_for_turn()
        self._client.cookies.clear()
        try:
            with self._client.stream(
                method, sent.url, headers=sent.headers, content=body, follow_redirects=False
            ) as received:
                content = _whole(received)
        except httpx2.HTTPError as error:
            self._unanswered += 1
            cause = str(error).rpartition("] ")[2] or type(error).__name__
            raise Unusable(f"{method} {sent.url} was not answered: {cause}") from error
        self._unanswered = 0
        headers = {name.lower(): value for name, value in received.headers.items()}
        response = Response(sent, received.status_code, headers, content)
        with self._lock:
            self.listener(response)
        return response


def _whole(received: httpx2.Response) -> bytes:
    """Return the body of a response; raise ReadError for one that does not end."""
    body, ends_by = bytearray(), time.monotonic() + TIMEOUT_SECONDS
    for part in received.iter_bytes():
        body += part
        if len(body) > _LARGEST_BYTES:
            raise httpx2.ReadError(f"its body is larger than {_LARGEST_BYTES >> 20} MiB")
        if time.monotonic() > ends_by:
            raise httpx2.ReadError(f"its body was not complete after {TIMEOUT_SECONDS:.0f} seconds")
    return bytes(body)


def query_string(params: Params) -> str:
    """Return query parameters as a query string."""
    if isinstance(params, str):
        return params
    pairs = params.items()
    return "&".join(f"{quote(name)}={quote(str(value), safe=',')}" for name, value in pairs)


def document_of(site: Site, api: str) -> str:
    """Return the path of an API's contract, without its ending, as the site's catalog names it.

    The catalog is a linkset (RFC 9727); a site without one has its contract at /openapi.json.
    """
    catalog = site.send("GET", "/.well-known/api-catalog").field("linkset")
    contexts: list[Any] = catalog if isinstance(catalog, list) else []
    for context in (one for one in contexts if isinstance(one, dict)):
        if urlsplit(str(context.get("anchor"))).path == api:
            for link in context.get("service-desc", []):
                path = urlsplit(str(link.get("href"))).path
                if path.endswith(".json"):
                    return path.removesuffix(".json")
    return site.document
