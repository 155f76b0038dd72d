"""The raw requests and the statuses that they may get.

Valid HTTP (RFC 9112) reaches the service and gets JSON, errors as the Error object. Anything else
ends at the HTTP server in front, which may send a 400, 408, 411, 413, 414, 431, 501 or 505 without
the Error object, or close the connection. No request may hang or cause a failure of the service.
That is what this project decided; a case that the specification or an RFC demands names it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

OK = frozenset({200})
REFUSED = frozenset({400})
READ_OR_REFUSED = OK | REFUSED
LOST = frozenset({404})
UNKNOWN = frozenset({401})
NOT_HTTP = frozenset({400, 404, 405, 408, 411, 413, 414, 417, 426, 431, 501, 505})
_OF_HEAD = frozenset({200, 404, 405, 501})
BODY_REFUSED = frozenset({400, 429})
MEDIA_REFUSED = frozenset({400, 415, 429})
TOO_LARGE = frozenset({413, 429})
_SHORT = 1024
"""Bytes of a body that any service takes; what is longer may be too long for it (RFC 9110)."""
_DECIDED = "No failure of the service, no hang, and every refusal is the Error object."
_PARAMETERS = ("specification 7", "400 invalid_request: limit out of range.")
_BODY = ("specification 4.3", "url: string (uri), required; the rest text. Errors: 400.")
_KEY = ("specification 5.7", "A missing, invalid, expired or revoked key yields 401.")
_HOST = (
    "RFC 9112 §3.2",
    "A server MUST respond with 400 to a request that lacks a Host header field, has more than "
    "one, or one with an invalid value.",
)
_LENGTH = (
    "RFC 9112 §6.3",
    "A message with an invalid Content-Length and without Transfer-Encoding is an unrecoverable "
    "error: the server MUST respond with 400.",
)
_HEAD_RESPONSE = (
    "RFC 9110 §9.3.2",
    "The server MUST NOT send content in the response to HEAD.",
)


@dataclass(frozen=True, slots=True)
class RawCase:
    """One raw request: `{host}` and `{base}` in it stand for the site's own."""

    name: str
    request: bytes
    allowed: frozenset[int]
    bare: bool = False
    """True where the server in front may answer, without the Error object, or just hang up."""
    unfinished: bool = False
    """True where the request never ends; then it has to be cut off."""
    origin: str = "docs/decisions/0004"
    says: str = _DECIDED

    @property
    def is_specified(self) -> bool:
        """True where the specification or a standard demands it, not this project."""
        return not self.origin.startswith("docs/")

    @property
    def is_head(self) -> bool:
        """True where the answer ends after its head (RFC 9110 §9.3.2)."""
        return self.request.startswith(b"HEAD ")


def demanded_by(sentence: tuple[str, str], case: RawCase) -> RawCase:
    """Return a case that names the sentence which demands it."""
    return replace(case, origin=sentence[0], says=sentence[1])


def get(
    name: str, target: str | bytes, allowed: frozenset[int], *headers: bytes, bare: bool = False
) -> RawCase:
    """Return a GET of a target, with more header lines."""
    raw = target.encode() if isinstance(target, str) else target
    return RawCase(name, _head(b"GET", raw, *headers) + b"\r\n", allowed, bare)


def post(
    name: str, body: bytes, allowed: frozenset[int], media_type: bytes = b"application/json"
) -> RawCase:
    """Return a POST of a body that stores nothing, because it is refused."""
    length = b"Content-Length: %d" % len(body)
    head = _head(b"POST", b"{base}/sources/request", b"Content-Type: " + media_type, length)
    return RawCase(name, head + b"\r\n" + body, allowed)


def _head(method: bytes, target: bytes, *headers: bytes) -> bytes:
    lines = [method + b" " + target + b" HTTP/1.1", b"Host: {host}", b"Connection: close", *headers]
    return b"\r\n".join(lines) + b"\r\n"


def raw_cases() -> Iterator[RawCase]:
    """Yield every raw request."""
    yield from _queries()
    yield from _targets()
    yield from _hosts()
    yield from _headers()
    yield from _keys()
    yield from _bodies()
    yield from _framing()
    yield from _unfinished()


def _queries() -> Iterator[RawCase]:
    sources = "{base}/sources?"
    for name, value in {"in words": "ten", "that is negative": "-1", "over 100": "101"}.items():
        case = get(f"query: a number {name}", "{base}/latest?limit=" + value, REFUSED)
        yield demanded_by(_PARAMETERS, case)
    refused = {
        "a parameter twice": "limit=1&limit=2",
        "a number with an underscore": "limit=1_0",
        "Arabic digits": "limit=%D9%A3",
        "fullwidth digits": "limit=%EF%BC%95",
        "a sign": "limit=+5",
        "6000 digits": "limit=" + "9" * 6000,
        "an exponent": "limit=1e1",
        "a control character": "vendor=%00",
        "brackets": "limit[]=5",
        "a value that is empty": "limit=",
        "an unknown name": "constructor=1",
        "a name of another script": "%D0%BBimit=5",
    }
    for name, query in refused.items():
        yield get(f"query: {name}", sources + query, REFUSED)
    either = {
        "a lone surrogate": "q=%ED%A0%80",
        "bytes that are no UTF-8": "q=%FF%FE",
        "an overlong slash": "q=%C0%AF",
        "a percent sign alone": "q=%",
        "a percent sign cut off": "q=%2",
        "semicolons": "limit=1;offset=2",
        "ampersands only": "&&&&",
        "a name without a value": "limit",
        "markup": "q=<script>alert(1)</script>",
        "quotes and SQL": "q=%27%20OR%201=1--",
        "a format string": "q=%25s%25n{0}",
        "a line break": "q=%0d%0aSet-Cookie:%20a=b",
        "right to left": "q=%E2%80%AE%E2%81%A6",
        "emoji": "q=%F0%9F%92%A5",
    }
    for name, query in either.items():
        yield get(f"query: {name}", sources + query, READ_OR_REFUSED, bare="<" in query)
    yield get("query: 8000 characters", sources + "q=" + "a" * 8000, NOT_HTTP, bare=True)
    yield get("query: 100000 characters", sources + "q=" + "a" * 100_000, NOT_HTTP, bare=True)


def _targets() -> Iterator[RawCase]:
    either = LOST | REFUSED
    yield get("target: two slashes", "{base}//sources", either)
    yield get("target: slashes in front", "//{base}/sources", either, bare=True)
    yield get("target: dot segments", "{base}/x/../sources", either | OK)
    yield get("target: dot segments in percent", "{base}/%2e%2e/%2e%2e/etc/passwd", either)
    yield get("target: a slash in percent", "{base}%2Fsources", either | OK)
    yield get("target: a null byte in percent", "{base}/sources%00", either)
    yield get("target: a line break in percent", "{base}/sources%0d%0aX:%20y", either)
    yield get("target: a backslash", "{base}\\sources", either, bare=True)
    yield get("target: a fragment", "{base}/sources#x", either | OK, bare=True)
    yield get("target: absolute form", "http://{host}{base}/sources", OK | either)
    yield get("target: absolute form of another site", "http://evil.example{base}/x", either)
    yield get("target: raw UTF-8", "{base}/sources/é".encode(), either, bare=True)
    yield get("target: a space", "{base}/sour ces", NOT_HTTP, bare=True)
    yield get("target: no slash", "sources", NOT_HTTP, bare=True)
    yield get("target: a tab", "{base}/sou\trces", NOT_HTTP, bare=True)
    yield get("target: 64 KiB", "{base}/" + "a" * 65_536, NOT_HTTP, bare=True)
    methods = {
        b"get": NOT_HTTP,
        b"BREW": NOT_HTTP,
        b"G\x00T": NOT_HTTP,
        b"X" * 5000: NOT_HTTP,
        b"TRACE": NOT_HTTP,
        b"CONNECT": NOT_HTTP,
    }
    for method, allowed in methods.items():
        name = method[:8].decode().replace("\x00", "?")
        request = _head(method, b"{base}/sources") + b"\r\n"
        yield RawCase(f"method: {name}", request, allowed, bare=True)
    head = RawCase("method: HEAD", _head(b"HEAD", b"{base}/sources") + b"\r\n", _OF_HEAD)
    yield demanded_by(_HEAD_RESPONSE, head)
    star = _head(b"OPTIONS", b"*") + b"\r\n"
    yield RawCase("method: OPTIONS *", star, NOT_HTTP | {200, 204}, bare=True)


def _hosts() -> Iterator[RawCase]:
    def hosted(name: str, *hosts: bytes) -> RawCase:
        lines = [b"GET {base}/sources HTTP/1.1", *hosts, b"Connection: close", b"", b""]
        return RawCase(f"host: {name}", b"\r\n".join(lines), REFUSED, bare=True)

    for case in (
        hosted("missing"),
        hosted("twice", b"Host: {host}", b"Host: {host}"),
        hosted("two different ones", b"Host: {host}", b"Host: evil.example"),
        hosted("with credentials", b"Host: user@{host}"),
        hosted("with a path", b"Host: {host}/x"),
        hosted("a list", b"Host: {host}, evil.example"),
    ):
        yield demanded_by(_HOST, case)
    yield hosted("empty", b"Host:")
    yield hosted("with a null byte", b"Host: {host}\x00")


def _headers() -> Iterator[RawCase]:
    path = "{base}/sources?limit=1"

    def odd(name: str, *headers: bytes) -> RawCase:
        return get(f"header: {name}", path, NOT_HTTP | OK, *headers, bare=True)

    yield odd("no colon", b"X-Odd")
    yield odd("a space in the name", b"X Odd: 1")
    yield odd("a space before the colon", b"X-Odd : 1")
    yield odd("no name", b": 1")
    yield odd("a null byte", b"X-Odd: a\x00b")
    yield odd("a carriage return alone", b"X-Odd: a\rX-Other: b")
    yield odd("folded over lines", b"X-Odd: a\r\n b")
    yield odd("bytes over 127", b"X-Odd: \xff\xfe")
    yield odd("a thousand of them", *[b"X-%d: 1" % number for number in range(1000)])
    yield odd("100 KB in one", b"X-Odd: " + b"a" * 100_000)
    yield odd("a large cookie", b"Cookie: " + b"a=b; " * 5000)
    yield get("header: another method", path, OK, b"X-HTTP-Method-Override: DELETE")
    yield get("header: another address", path, OK, b"X-Original-URL: /admin")
    yield get("header: another host", path, OK, b"X-Forwarded-Host: evil.example")
    yield get("header: only HTML is wanted", path, OK | {406}, b"Accept: text/html")
    yield get("header: no JSON is wanted", path, OK | {406}, b"Accept: application/json;q=0")
    yield get("header: a range", path, OK | {206, 416}, b"Range: bytes=0-0,5-5,-1", bare=True)
    large = b'If-None-Match: "' + b"a" * 7000
    yield get("header: a large If-None-Match", path, NOT_HTTP | OK, large, bare=True)
    upgrade = (b"Upgrade: websocket", b"Sec-WebSocket-Key: x", b"Sec-WebSocket-Version: 13")
    yield get("header: an upgrade", path, NOT_HTTP | OK, *upgrade, bare=True)


def _keys() -> Iterator[RawCase]:
    path = "{base}/entries?sources=acme.compute"
    either = UNKNOWN | REFUSED
    yield get("key: two X-Api-Key", path, either, b"X-Api-Key: a", b"X-Api-Key: b")
    yield get("key: two Authorization", path, either, b"Authorization: Bearer a",
              b"Authorization: Bearer b")  # fmt: skip
    for case in (
        get("key: empty", path, either, b"X-Api-Key:"),
        get("key: a list", path, either, b"X-Api-Key: a, b"),
        get("key: bearer of nothing", path, either, b"Authorization: Bearer "),
    ):
        yield demanded_by(_KEY, case)
    yield get("key: bytes over 127", path, either, b"X-Api-Key: \xff\xfe", bare=True)
    yield get("key: 7000 characters", path, either | {431}, b"X-Api-Key: " + b"a" * 7000, bare=True)


def _bodies() -> Iterator[RawCase]:
    url = b'{"url": "https://acme.example/", '
    invalid = {
        "empty": b"",
        "not JSON": b"{",
        "null": b"null",
        "a list": b"[]",
        "a text": b'"https://acme.example/"',
        "deeply nested lists": b"[" * 20_000 + b"]" * 20_000,
        "deeply nested objects": b'{"url":' * 8000 + b"1" + b"}" * 8000,
        "6000 digits": url + b'"note": ' + b"9" * 6000 + b"}",
        "not a number": url + b'"note": NaN}',
        "infinity": url + b'"note": -Infinity}',
        "UTF-16": '{"url": 1}'.encode("utf-16"),
        "a comment": b'{"url": 1 /* x */}',
        "no uri": b'{"url": "not a uri"}',
        "no email address": url + b'"email": "nobody"}',
        "two documents": b'{"url": 1}{"url": 2}',
    }
    for name, body in invalid.items():
        allowed = BODY_REFUSED if len(body) <= _SHORT else BODY_REFUSED | TOO_LARGE
        yield demanded_by(_BODY, post(f"body: {name}", body, allowed))
    refused = {
        "a lone surrogate": url + b'"note": "\\ud800"}',
        "a null character": url + b'"note": "\\u0000"}',
        "bytes that are no UTF-8": b'{"url": "https://acme.example/\xff"}',
        "a script for a uri": b'{"url": "javascript:alert(1)"}',
        "a uri without a host": b'{"url": "http://"}',
        "an unknown member": url + b'"__proto__": {"a": 1}}',
    }
    for name, body in refused.items():
        yield post(f"body: {name}", body, BODY_REFUSED)
    for media_type in (b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data",
                       b"application/xml", b"", b"/", b"application/json/x"):  # fmt: skip
        yield post(f"body: as {media_type.decode() or 'nothing'}", b"{}", MEDIA_REFUSED, media_type)
    yield post("body: 70 KB", b'{"note": "' + b"a" * 70_000 + b'"}', TOO_LARGE)


def _framing() -> Iterator[RawCase]:
    def framed(name: str, *lines: bytes, body: bytes = b"") -> RawCase:
        head = _head(b"POST", b"{base}/sources/request", b"Content-Type: application/json", *lines)
        return RawCase(f"framing: {name}", head + b"\r\n" + body, NOT_HTTP | {429}, bare=True)

    chunked = b"Transfer-Encoding: chunked"
    yield framed("a length and chunks", b"Content-Length: 2", chunked, body=b"2\r\n{}\r\n0\r\n\r\n")
    for case in (
        framed("two lengths", b"Content-Length: 2", b"Content-Length: 3", body=b"{}}"),
        framed("a negative length", b"Content-Length: -1"),
        framed("a length with a sign", b"Content-Length: +2", body=b"{}"),
        framed("a length in words", b"Content-Length: two", body=b"{}"),
    ):
        yield demanded_by(_LENGTH, replace(case, allowed=REFUSED))
    yield framed("a huge length", b"Content-Length: 200000000", b"Expect: 100-continue")
    yield framed("no length", body=b"")
    yield framed("a wrong chunk size", chunked, body=b"zz\r\n{}\r\n0\r\n\r\n")
    yield framed("a negative chunk size", chunked, body=b"-2\r\n{}\r\n0\r\n\r\n")
    yield framed("an unknown coding", b"Transfer-Encoding: smoke", b"Content-Length: 2", body=b"{}")
    yield framed("chunked twice", chunked, chunked, body=b"2\r\n{}\r\n0\r\n\r\n")
    yield framed("chunked in disguise", b"Transfer-Encoding: \x0bchunked", body=b"0\r\n\r\n")
    yield framed("a compressed body", b"Content-Encoding: gzip", b"Content-Length: 2", body=b"{}")
    for name, line in {
        "version 2.0": b"GET {base}/sources HTTP/2.0\r\nHost: {host}\r\n\r\n",
        "version 0.9": b"GET {base}/sources\r\n\r\n",
        "version 1.10": b"GET {base}/sources HTTP/1.10\r\nHost: {host}\r\n\r\n",
        "a lower-case version": b"GET {base}/sources http/1.1\r\nHost: {host}\r\n\r\n",
        "line feeds alone": b"GET {base}/nothing HTTP/1.1\nHost: {host}\nConnection: close\n\n",
        "TLS on a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 32,
        "noise": bytes(range(256)) + b"\r\n\r\n",
        "an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "empty lines": b"\r\n" * 50 + b"GET {base}/nothing HTTP/1.1\r\nHost: {host}\r\n"
        b"Connection: close\r\n\r\n",
    }.items():
        yield RawCase(f"framing: {name}", line, NOT_HTTP, bare=True)


def _unfinished() -> Iterator[RawCase]:
    for name, request in {
        "half a request line": b"GET {base}/sou",
        "half the headers": b"GET {base}/sources HTTP/1.1\r\nHost: {host}\r\nX-Odd: ",
        "half a body": _head(b"POST", b"{base}/sources/request", b"Content-Type: application/json",
                             b"Content-Length: 100") + b'\r\n{"url"',
        "half a chunk": _head(b"POST", b"{base}/sources/request", b"Content-Type: application/json",
                              b"Transfer-Encoding: chunked") + b"\r\nff\r\n{",
    }.items():  # fmt: skip
        yield RawCase(f"unfinished: {name}", request, NOT_HTTP | {429}, bare=True, unfinished=True)
