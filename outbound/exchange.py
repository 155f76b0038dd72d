"""One request and its answer by HTTP/1.1 (RFC 9112), read by llhttp.

What is sent is put together here, one write for a request. Of what comes, llhttp decides where
header fields, content and message end; here is decided what a client makes of it: which lengths
contradict each other, what an end of the connection means, how much may come around the content.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import httptools

from outbound.addresses import WebAddress
from outbound.connect import Stream
from outbound.faults import Disconnected, NotHttp

MOST_FRAMING: Final = 100 * 1024
"""Bytes of header fields, or of anything else between two pieces of content."""
WITHOUT_CONTENT: Final = frozenset({204, 304})  # whatever their lengths say (RFC 9112 §6.3)
Fields = Sequence[tuple[bytes, bytes]]
Timeouts = Mapping[str, float | None]

_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server answered, as it comes over a connection.

    ``fields`` are its header fields as they came, ``content`` is as it is coded and raises a Fault.
    ``close`` is called once, when nothing more is read.
    """

    status: int
    fields: Fields
    content: Iterator[bytes]
    close: Callable[[], None]


def request_of(method: str, address: WebAddress, fields: Fields, content: bytes | None) -> bytes:
    """Write a request; Host, and the length of content, are added.

    Raises NotHttp for a field that would be read as more than one.
    """
    lines = [f"{method} {address.request_target} HTTP/1.1\r\nHost: {address.authority}".encode()]
    for name, value in fields:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise NotHttp("A field of the request cannot be sent.")
        lines.append(b"%b: %b" % (name, value))
    if content is not None:
        lines.append(b"Content-Length: %d" % len(content))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (content or b"")


class Exchange:
    """An answer as it comes. Methods named ``on_`` are called by llhttp."""

    def __init__(self, stream: Stream, timeouts: Timeouts) -> None:
        """Wait for the header fields. Raises NotHttp, TimedOut and Disconnected."""
        self.status = 0
        self.fields: list[tuple[bytes, bytes]] = []
        self.ended = False
        self.may_be_kept = False
        self._stream = stream
        self._timeout = timeouts.get("read")
        self._pieces: list[bytes] = []
        self._framing = 0  # bytes since the last piece of content
        self._has_head = False
        self._until_close = False
        self._fault: str | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(  # what RFC 9112 lets a client take (§2.2, §6.3)
            lenient_optional_cr_before_lf=True, lenient_chunked_length=True
        )
        while not self._has_head:
            self._read()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the content as it is coded. Raises NotHttp, TimedOut and Disconnected."""
        while True:
            pieces, self._pieces = self._pieces, []
            yield from pieces
            if self.ended and not self._pieces:
                return
            self._read()

    def _read(self) -> None:
        data = self._stream.read(self._timeout)
        if not data:
            self._closed_by_server()
            return
        self._framing += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.may_be_kept = False
            if not self.ended:  # what comes after the end was not asked for
                raise NotHttp("The answer is not HTTP.") from error
        if self._fault is not None:
            raise NotHttp(self._fault)
        if self._framing > MOST_FRAMING and not self.ended:
            raise NotHttp("The header fields are too long.")

    def _closed_by_server(self) -> None:
        self.may_be_kept = False
        if not self._has_head:
            raise NotHttp("The server hung up without an answer.")
        if not self._until_close:
            raise NotHttp("The answer was cut short.")
        self.ended = True

    def on_message_begin(self) -> None:
        """Note that another answer begins, which nobody asked for, if there was one already."""
        if self._has_head:
            self.may_be_kept = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header field; fields of a trailer are not for us (RFC 9110 §6.5.1)."""
        if not self._has_head:
            self.fields.append((name, value.rstrip(b"\t ")))

    def on_headers_complete(self) -> None:
        """Decide what the header fields say about the content."""
        if self._has_head:
            return
        status = self._parser.get_status_code()
        if status == 101 or not 100 <= status <= 599:
            self._fault = f"The status {status} was not asked for."
        elif status < 200:  # an interim answer, and its fields (RFC 9110 §15.2)
            self.fields.clear()
        else:
            self.status, self._has_head = status, True
            self._understand_length()

    def _understand_length(self) -> None:
        said = [(name.lower(), value) for name, value in self.fields]
        codings = [value.lower() for name, value in said if name == b"transfer-encoding"]
        if codings not in ([], [b"chunked"]):
            self._fault = "The transfer coding is not known."
        has_length = any(name == b"content-length" for name, _ in said)
        contradicted = bool(codings) and has_length  # chunks count, then the connection is closed
        self.may_be_kept = self._parser.should_keep_alive() and not contradicted
        self.ended = self.status in WITHOUT_CONTENT
        self._until_close = not (self.ended or codings or has_length)

    def on_body(self, piece: bytes) -> None:
        """Take a piece of content."""
        if self.ended:  # of an answer that has none, or of one that nobody asked for
            self.may_be_kept = False
            return
        self._pieces.append(piece)
        self._framing = 0

    def on_message_complete(self) -> None:
        """Note the end of the answer, unless it was an interim one."""
        self.ended = self.ended or self._has_head


def exchanged(stream: Stream, request: bytes, timeouts: Timeouts) -> Exchange:
    """Send a request and wait for the header fields of the answer.

    Raises NotHttp, TimedOut and Disconnected.
    """
    with suppress(Disconnected):  # a server may answer before it has read, and hang up
        stream.write(request, timeouts.get("write"))
    return Exchange(stream, timeouts)
