"""Content as it was before it was compressed for the way (RFC 9110 §8.4.1): gzip, deflate and br.

The HTTP client would take a document that was cut off for a whole one, and only the first member
of a gzip file: here the checksums decide.
"""

import zlib
from typing import Final

import brotli

MOST_MEMBERS: Final = 200  # of a gzip file; each costs a copy of what follows it
_GZIP_MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 2**19  # bytes that brotli is asked for at a time; it may give twice as many
_CUT: Final = "The content ends before it is whole."


class BadCoding(Exception):
    """The content is not compressed as its header fields say."""


class ContentTooLarge(Exception):
    """There is more content than is read."""


def decode(body: bytes, coding: str, *, max_bytes: int) -> bytes:
    """Return content as it was before it was compressed.

    ``coding`` is the value of Content-Encoding. Raises BadCoding where the content is not coded
    like this, more than once, or cut off, and ContentTooLarge where it is longer than that.
    """
    coding = coding.strip().lower()
    if coding in {"", "identity"} or not body:
        return body
    if coding not in _DECODERS:
        raise BadCoding("The coding is not known.")
    try:
        content = _DECODERS[coding](body, max_bytes)
    except EOFError as error:
        raise BadCoding(_CUT) from error
    except (zlib.error, brotli.error) as error:
        raise BadCoding("The content coding is broken.") from error
    if len(content) > max_bytes:
        raise ContentTooLarge
    return content


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    content = b""
    for _ in range(MOST_MEMBERS):
        member, body = _inflate_once(body, 16 + zlib.MAX_WBITS, max_bytes - len(content))
        content += member
        if body[:2] != _GZIP_MAGIC or len(content) > max_bytes:
            return content  # what follows the last member is no content
    raise BadCoding("The gzip file has too many members.")


def _inflate(body: bytes, max_bytes: int) -> bytes:
    # Some servers leave out the header of RFC 1950, whose first byte ends in 8.
    is_bare = body[0] & 15 != 8
    return _inflate_once(body, -zlib.MAX_WBITS if is_bare else zlib.MAX_WBITS, max_bytes)[0]


def _inflate_once(body: bytes, window: int, max_bytes: int) -> tuple[bytes, bytes]:
    """Return the content of one stream, cut off if it is too long, and what follows the stream."""
    inflater = zlib.decompressobj(window)
    content = inflater.decompress(body, max_bytes + 1)
    if not inflater.eof and len(content) <= max_bytes:
        raise EOFError
    return content, inflater.unused_data


def _unbrotli(body: bytes, max_bytes: int) -> bytes:
    decompressor = brotli.Decompressor()
    content = bytearray()
    piece = decompressor.process(body, output_buffer_limit=_PIECE)
    while piece and len(content) <= max_bytes:
        content += piece
        piece = decompressor.process(b"", output_buffer_limit=_PIECE)
    if not decompressor.is_finished() and len(content) <= max_bytes:
        raise EOFError
    return bytes(content)


_DECODERS: Final = {"gzip": _gunzip, "deflate": _inflate, "br": _unbrotli}
