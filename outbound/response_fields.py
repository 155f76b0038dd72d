"""Fields of responses: content codings (RFC 9110 §8.4.1), Retry-After and dates (§10.2.3, §5.6.7).

The HTTP client's own decoders of gzip, deflate and br accept a document that was cut off
and read only the first member of a gzip file. Those here verify the checksums.
"""

import math
import re
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import brotli

from outbound.guard import ExchangeFailed

LONGEST_WAIT = timedelta(days=31)

_SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
MOST_MEMBERS: Final = 200  # of a gzip file; each costs a copy of what follows it
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BROTLI_BYTES: Final = 2**19  # to ask brotli for; it may return twice as many
# As servers name a body that is not coded; aws-chunked is of an upload (RFC 9110 §8.4.1).
_NO_CODING: Final = frozenset(
    {"", "identity", "none", "null", "plain", "text", "raw", "binary", "7bit", "8bit"}
    | {"chunked", "aws-chunked"}
)
_CHARSETS: Final = ("utf", "iso-8859", "us-ascii", "ascii", "windows-", "latin", "charset")


def parse_retry_after(text: str, *, now: datetime) -> timedelta | None:
    """Return the delay of a Retry-After field, at most LONGEST_WAIT; None for other text."""
    value = text.strip()
    if _SECONDS.fullmatch(value):
        return min(timedelta(seconds=math.ceil(float(value))), LONGEST_WAIT)
    until = parse_http_date(value)
    return None if until is None else wait_until(until, now=now)


def wait_until(until: datetime, *, now: datetime) -> timedelta:
    """Return the time left until a deadline, from zero to LONGEST_WAIT."""
    return min(max(until - now, timedelta()), LONGEST_WAIT)


def parse_http_date(text: str | None) -> datetime | None:
    """Parse an HTTP date in any of its three forms; None for other text."""
    if not text:
        return None
    try:
        date = parsedate_to_datetime(text.strip())
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def decode(body: bytes, coding: str, *, max_bytes: int) -> bytes:
    """Return the decoded content.

    ``coding`` is the value of Content-Encoding; charsets and other words in it that name no coding
    are passed over. Raises ExchangeFailed: ``bad_encoding`` when the content is not coded like
    this, has several codings, or is cut off; else ``too_large``.
    """
    names = [name.strip().lower() for name in coding.split(",")]
    codings = [name for name in names if name not in _NO_CODING and not name.startswith(_CHARSETS)]
    if not codings or not body:
        return body
    if len(codings) > 1 or codings[0] not in _DECODERS:
        raise ExchangeFailed("bad_encoding", "The content coding is not supported.")
    try:
        content = _DECODERS[codings[0]](body, max_bytes)
    except EOFError as error:
        raise ExchangeFailed("bad_encoding", "The content is cut off.") from error
    except (zlib.error, brotli.error) as error:
        raise ExchangeFailed("bad_encoding", "The content coding is broken.") from error
    if len(content) > max_bytes:
        raise too_large(max_bytes)
    return content


def too_large(max_bytes: int) -> ExchangeFailed:
    """Return the error of a document above the limit."""
    return ExchangeFailed("too_large", f"The document is larger than {max_bytes // 1024} KiB.")


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    content = b""
    for _ in range(MOST_MEMBERS):
        member, body = _inflate_once(body, 16 + zlib.MAX_WBITS, max_bytes - len(content))
        content += member
        if body[:2] != _GZIP_MAGIC or len(content) > max_bytes:
            return content  # what follows the last member is no content
    raise ExchangeFailed("bad_encoding", "The gzip file has too many members.")


def _inflate(body: bytes, max_bytes: int) -> bytes:
    # Some servers leave out the header of RFC 1950, whose first byte ends in 8.
    is_bare = body[0] & 15 != 8
    return _inflate_once(body, -zlib.MAX_WBITS if is_bare else zlib.MAX_WBITS, max_bytes)[0]


def _inflate_once(body: bytes, window: int, max_bytes: int) -> tuple[bytes, bytes]:
    """Return the content of one stream, at most ``max_bytes`` + 1, and the bytes after it."""
    inflater = zlib.decompressobj(window)
    content = inflater.decompress(body, max_bytes + 1)
    if not inflater.eof and len(content) <= max_bytes:
        raise EOFError
    return content, inflater.unused_data


def _unbrotli(body: bytes, max_bytes: int) -> bytes:
    decompressor = brotli.Decompressor()
    content = bytearray()
    chunk = decompressor.process(body, output_buffer_limit=_BROTLI_BYTES)
    while chunk and len(content) <= max_bytes:
        content += chunk
        chunk = decompressor.process(b"", output_buffer_limit=_BROTLI_BYTES)
    if not decompressor.is_finished() and len(content) <= max_bytes:
        raise EOFError
    return bytes(content)


_DECODERS: Final = {"gzip": _gunzip, "x-gzip": _gunzip, "deflate": _inflate, "br": _unbrotli}
