"""A dozen requests that no client library would send, written byte by byte.

Valid HTTP (RFC 9112) reaches the service and gets JSON, errors as the Error object. Anything else
ends at the HTTP server in front, which may refuse it without the Error object, or close the
connection. No request may hang or make the service fail.
"""

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from conformance.http_messages import Request, Response
from conformance.rules import broken_rules
from conformance.site import Site

LONGEST_SECONDS = 30.0
"""Seconds after which a connection that is still open hangs."""
_MOST_BYTES = 2_000_000
_OK, _REFUSED = {200}, {400}
_NO_KEY = {400, 401}
_NOT_HTTP = {400, 404, 405, 408, 411, 413, 414, 417, 426, 429, 431, 501, 505}
_DECIDED = "docs/decisions/0004: no failure, no hang, and every refusal is the Error object."
_HOST = "RFC 9112 §3.2: 400 to a request without a Host, with more than one, or an invalid one."
_COLON = "RFC 9112 §5.1: 400 to whitespace between the name of a header field and the colon."
_LENGTH = "RFC 9112 §6.3: 400 to an invalid Content-Length without Transfer-Encoding."
_HEAD = "RFC 9110 §9.3.2: no content in the response to HEAD."
_NESTED = b"[" * 1100
_LENGTHS = (b"Content-Length: 2", b"Content-Length: 3")
_ENTRIES = b"/entries?sources=acme.compute"
_BOTH = (b"Content-Length: 2", b"Transfer-Encoding: chunked")


@dataclass(frozen=True, slots=True)
class RawRequest:
    """One raw request: `{host}` and `{base}` in it are replaced by the site's own."""

    name: str
    sent: bytes
    allowed: set[int]
    demanded_by: str = _DECIDED
    """The document that demands it, and what it says."""
    bare: bool = False
    """True where the server in front may answer, without the Error object, or just hang up."""


def _get(path: bytes, *headers: bytes, method: bytes = b"GET") -> bytes:
    lines = (method + b" {base}" + path + b" HTTP/1.1", b"Host: {host}", b"Connection: close")
    return b"\r\n".join((*lines, *headers, b"", b""))


def _post(body: bytes, *headers: bytes) -> bytes:
    json = b"Content-Type: application/json"
    return _get(b"/sources/request", json, *headers, method=b"POST") + body


_NO_HOST = _get(b"/sources").replace(b"Host: {host}\r\n", b"")
REQUESTS = (
    RawRequest("host: missing", _NO_HOST, _REFUSED, _HOST, bare=True),
    RawRequest("host: two different ones", _get(b"/sources", b"Host: evil.example"), _REFUSED,
               _HOST, bare=True),
    RawRequest("header: a space before the colon", _get(b"/sources", b"X-Odd : 1"), _REFUSED,
               _COLON, bare=True),
    RawRequest("framing: two lengths", _post(b"{}}", *_LENGTHS), _REFUSED, _LENGTH, bare=True),
    RawRequest("framing: a length and chunks", _post(b"2\r\n{}\r\n0\r\n\r\n", *_BOTH), _NOT_HTTP,
               bare=True),
    RawRequest("method: HEAD", _get(b"/sources", method=b"HEAD"), {200, 404, 405, 501}, _HEAD),
    RawRequest("query: a percent sign cut off", _get(b"/sources?q=%2"), _OK | _REFUSED),
    RawRequest("key: two X-Api-Key", _get(_ENTRIES, b"X-Api-Key: a", b"X-Api-Key: b"), _NO_KEY),
    RawRequest("key: bytes over 127", _get(_ENTRIES, b"X-Api-Key: \xff\xfe"), _NO_KEY, bare=True),
    RawRequest("body: deeply nested", _post(_NESTED, b"Content-Length: %d" % len(_NESTED)),
               {400, 413, 429}),
    RawRequest("unfinished: half the headers", b"GET {base}/sources HTTP/1.1\r\nHost: {host}\r\nX-",
               _NOT_HTTP, bare=True),
    RawRequest("unfinished: half a body", _post(b'{"url"', b"Content-Length: 100"), _NOT_HTTP,
               bare=True),
)  # fmt: skip


def faults_of(raw: RawRequest, site: Site, *, only_specification: bool = False) -> str:
    """Send a raw request to a site; return what is wrong with its end, empty if nothing is."""
    site.wait_for_turn()
    sent = rendered(raw, site.address, site.base_path)
    response, trouble = _response(sent, urlsplit(site.address))
    sentences = [*verdict(raw, response, trouble, only_specification=only_specification)]
    if not sentences:
        return ""
    received = f"received {response.status} {response.text[:400]}" if response else ""
    return "\n    ".join((*sentences, "", f"sent {sent!r}", received, "", raw.demanded_by))


def rendered(raw: RawRequest, site: str, base_path: str) -> bytes:
    """Return the bytes of a request, with the host and the base path of the site."""
    address = urlsplit(site)
    base = f"{address.path.rstrip('/')}{base_path}".encode()
    return raw.sent.replace(b"{host}", address.netloc.encode()).replace(b"{base}", base)


def verdict(
    raw: RawRequest, response: Response | None, trouble: str, *, only_specification: bool = False
) -> Iterator[str]:
    """Yield the faults of how a raw request ended."""
    if response is None:
        if trouble or not raw.bare:
            yield trouble or "the connection was closed without an answer"
        return
    if response.status not in raw.allowed:
        allowed = ", ".join(map(str, sorted(raw.allowed)))
        yield f"answered {response.status} instead of {allowed}"
    if response.request.method == "HEAD" and response.body:
        yield f"answered HEAD with a body of {len(response.body)} bytes"
    elif not raw.bare:
        for rule, sentence in broken_rules(response, of_api=True):
            if rule.is_specified or not only_specification:
                yield f"{sentence} ({rule.name})"


def _response(sent: bytes, address: SplitResult) -> tuple[Response | None, str]:
    """Send bytes to a site; return the response, or why there is none."""
    try:
        connection = _connect(address)
    except OSError:
        return None, "no connection could be made"
    with connection:
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(sent)  # a server may refuse before it has read everything
            return _read(connection, "HEAD" if sent.startswith(b"HEAD ") else "RAW", address), ""
        except TimeoutError:
            return None, f"still open after {LONGEST_SECONDS:g} seconds"
        except (OSError, http.client.HTTPException, ValueError):
            return None, ""


def _connect(address: SplitResult) -> socket.socket:
    secure, host = address.scheme == "https", str(address.hostname)
    port = address.port or (443 if secure else 80)
    plain = socket.create_connection((host, port), LONGEST_SECONDS)
    if not secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _read(connection: socket.socket, method: str, address: SplitResult) -> Response:
    received = http.client.HTTPResponse(connection, method=method)
    received.begin()
    # what follows the head of a response to HEAD is no body to http.client, but sent all the same
    body = (received.fp if method == "HEAD" else received).read(_MOST_BYTES)
    headers = {name.lower(): value for name, value in received.getheaders()}
    return Response(Request(method, address.geturl()), received.status, headers, body)
