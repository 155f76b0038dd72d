"""Compression of responses with zstd or gzip (RFC 9110 section 8.4; docs/decisions/0012, 0136).

A compressed response is another representation, so its strong ETag names the coding too: "abc" is
"abc-gzip" when compressed. The layers below never see that: it is taken off If-None-Match before.
"""

import asyncio
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header
from zstandard import COMPRESSOBJ_FLUSH_BLOCK, COMPRESSOBJ_FLUSH_FINISH, ZstdCompressor

CODINGS: Final = ("zstd", "gzip")  # the better one first
ZSTD_LEVEL: Final = 3
GZIP_LEVEL: Final = 4
GZIP_FORMAT: Final = 31  # for zlib: a header and trailer of gzip, without a time
LEAST_BYTES: Final = 1024
OFF_THE_LOOP_BYTES: Final = 64 * 1024  # from which on compressing takes over a millisecond
BODILESS: Final = frozenset({204, 205, 304})
OK: Final = 200
NOT_MODIFIED: Final = 304
ANY: Final = "*"
OWN: Final = frozenset({b"same-origin", b"none"})
"""Sec-Fetch-Site of requests that this site's pages or the user caused, and no other site."""
IF_NONE_MATCH: Final = b"if-none-match"
_COMPRESSIBLE: Final = re.compile(
    rb"text/(?!event-stream)|application/(json|javascript|yaml|x-ndjson)\b|[\w.-]+/[\w.-]+\+(json|xml|yaml)\b"
)


class Encoder(Protocol):
    """A compressor of zlib or zstandard."""

    def compress(self, data: bytes, /) -> bytes:
        """Take some of the body; what is returned can be sent."""

    def flush(self, mode: int, /) -> bytes:
        """Return buffered data."""


class Encoding:
    """One body on its way through a compressor."""

    def __init__(self, coding: str) -> None:
        self.encoder: Encoder
        if coding == "zstd":
            self.encoder = ZstdCompressor(level=ZSTD_LEVEL).compressobj()
            self.pause, self.end = COMPRESSOBJ_FLUSH_BLOCK, COMPRESSOBJ_FLUSH_FINISH
        else:
            self.encoder = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_FORMAT)
            self.pause, self.end = zlib.Z_SYNC_FLUSH, zlib.Z_FINISH

    def feed(self, data: bytes, *, last: bool) -> bytes:
        """Return what to send for a part of the body, complete as far as it goes."""
        return self.encoder.compress(data) + self.encoder.flush(self.end if last else self.pause)

    async def encode(self, message: Message) -> Message:
        """Return a message of the body compressed; a large one by a thread."""
        data, last = message.get("body", b""), not message.get("more_body", False)
        feed = partial(self.feed, data, last=last)
        body = await asyncio.to_thread(feed) if len(data) > OFF_THE_LOOP_BYTES else feed()
        return {**message, "body": body}


class Compression:
    """ASGI middleware that compresses large responses for clients that support it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, and compress its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        codings = acceptable(", ".join(headers.getlist("accept-encoding")))
        etags = ", ".join(headers.getlist("if-none-match")) if codings else ""
        inner = without_codings(scope, codings) if etags else scope
        response = CompressedResponse(
            send,
            codings,
            etags,
            head=scope["method"] == "HEAD",
            is_own=dict(scope["headers"]).get(b"sec-fetch-site") in OWN,
        )
        await self.app(inner, receive, response.send)


@dataclass(slots=True)
class CompressedResponse:
    """Passes a response on, compressed where it should be.

    ``etags``: the If-None-Match of the request as the client sent it. ``is_own``: a browser says
    that no other site made it ask.
    """

    channel: Send
    codings: Sequence[str]
    etags: str
    head: bool
    is_own: bool
    _start: Message | None = None
    _encoding: Encoding | None = None
    _over: bool = False

    async def send(self, message: Message) -> None:
        """Hold the start of a response back until the size of its body is known.

        Not of events, whose first one may be long in coming.
        """
        if message["type"] == "http.response.start":
            media_type = dict(message["headers"]).get(b"content-type", b"")
            if not media_type.startswith(b"text/event-stream"):
                self._start = {**message, "headers": list(message["headers"])}
                return
        if self._start is not None:
            start, self._start = self._start, None
            message = await self._begin(start, message)
        elif self._over:
            return
        elif self._encoding is not None:
            message = await self._encoding.encode(message)
        await self.channel(message)

    async def _begin(self, start: Message, message: Message) -> Message:
        """Send the start of a response; returns the first message of its body, as it is sent."""
        headers = MutableHeaders(raw=start["headers"])
        negotiable = is_negotiable(start["status"], headers, is_own=self.is_own)
        varies = negotiable or start["status"] == NOT_MODIFIED
        if varies and "Accept-Encoding" not in headers.get("vary", ""):
            headers.add_vary_header("Accept-Encoding")
        if start["status"] == NOT_MODIFIED:
            self._name_etag_of_client(headers)
        if negotiable and self.codings and self._size(headers, message) >= LEAST_BYTES:
            message = await self._encode(headers, message)
        if self.etags == ANY and start["status"] == OK and "etag" in headers:
            start["status"], self._over = NOT_MODIFIED, True
            del headers["content-length"], headers["content-type"], headers["content-encoding"]
            message = {"type": "http.response.body", "body": b""}
        await self.channel(start)
        return message

    def _size(self, headers: Headers, message: Message) -> int:
        """Return the size of the body; a stream is taken for large enough."""
        if not self.head and not message.get("more_body", False):
            return len(message.get("body", b""))
        return int(headers.get("content-length", LEAST_BYTES))

    async def _encode(self, headers: MutableHeaders, message: Message) -> Message:
        coding = self.codings[0]
        headers["Content-Encoding"] = coding
        if "etag" in headers:
            headers["ETag"] = etag_of_coding(headers["etag"], coding)
        del headers["content-length"]
        if self.head:
            return message
        self._encoding = Encoding(coding)
        message = await self._encoding.encode(message)
        if not message.get("more_body", False):
            headers["Content-Length"] = str(len(message["body"]))
        return message

    def _name_etag_of_client(self, headers: MutableHeaders) -> None:
        """Let a 304 name the ETag that the client sent: which of its responses is current."""
        etag = headers.get("etag", "")
        for coding in self.codings:
            if etag and etag_of_coding(etag, coding) in self.etags:
                headers["ETag"] = etag_of_coding(etag, coding)
                return


@lru_cache(maxsize=512)
def acceptable(accept_encoding: str) -> tuple[str, ...]:
    """Return the codings that a client prefers to none, the best first (RFC 9110 12.5.3)."""
    accepted = parse_accept_header(accept_encoding, Accept)
    wanted = max(accepted.quality("identity"), 0.001)
    codings = [coding for coding in CODINGS if accepted.quality(coding) >= wanted]
    return tuple(sorted(codings, key=accepted.quality, reverse=True))


def is_negotiable(status: int, headers: Headers, *, is_own: bool) -> bool:
    """Return whether a response may be compressed for clients that can read it.

    Pages that are not to be stored stay as they are where another site may have made the browser
    ask: beside tokens they show what their address says, and the size of many compressed ones
    would tell a token bit by bit (BREACH).
    """
    sent = dict(headers.raw)
    media_type, policy = sent.get(b"content-type", b""), sent.get(b"cache-control", b"")
    return (
        status not in BODILESS
        and _COMPRESSIBLE.match(media_type) is not None
        and b"content-encoding" not in sent
        and b"content-range" not in sent
        and b"no-transform" not in policy
        and (is_own or not (media_type.startswith(b"text/html") and b"no-store" in policy))
    )


def etag_of_coding(etag: str, coding: str) -> str:
    """Return the ETag of a compressed response: a strong one belongs to one coding."""
    return f'{etag[:-1]}-{coding}"'


def without_codings(scope: Scope, codings: Sequence[str]) -> Scope:
    """Return a request whose If-None-Match names responses before they are compressed.

    An ETag of a coding that the client does not accept now stays as it is, and matches nothing.
    ``*`` is taken off: only the whole response tells whether its ETag names a coding.
    """
    suffix = re.compile(f'-({"|".join(codings)})"'.encode())
    headers = [
        (name, suffix.sub(b'"', value) if name == IF_NONE_MATCH else value)
        for name, value in scope["headers"]
        if name != IF_NONE_MATCH or value != ANY.encode()
    ]
    return {**scope, "headers": headers}
