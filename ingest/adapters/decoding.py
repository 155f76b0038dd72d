"""Decoding: from the bytes of a feed to its text.

The encoding is what the bytes show (byte order mark, the shape of the first characters),
then what the XML declaration says, then what the transfer said, then UTF-8; what does not
decode is read as Windows-1252, as every reader of feeds does.
"""

import codecs
import re
import zlib
from collections.abc import Iterator
from typing import Final

from ingest.adapters.base import UnreadableDocument
from ingest.content.sanitizer import holds_controls, strip_controls

LARGEST_DOCUMENT: Final = 10 * 1024 * 1024
"""Bytes of a document, decompressed (the limit of the fetcher)."""

_GZIP: Final = b"\x1f\x8b"
_SHOWN: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)

# What people call by the left name is mostly the right one, which holds all of it.
_WIDER: Final = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
}


def decode_document(body: bytes, content_type: str | None) -> str:
    """Return the text of a document, without byte order marks and forbidden characters.

    A body that is still compressed is decompressed. Raises UnreadableDocument when it is
    empty, broken or larger than LARGEST_DOCUMENT.
    """
    return text_and_bytes(body, content_type)[0]


def text_and_bytes(body: bytes, content_type: str | None) -> tuple[str, bytes]:
    """Return what decode_document returns, and the same as UTF-8, which most documents are."""
    if body.startswith(_GZIP):
        body = _decompressed(body)
    if len(body) > LARGEST_DOCUMENT:
        raise UnreadableDocument("The document is larger than 10 MiB.")
    text, encoding = _decoded(body, content_type)
    if encoding != "utf-8" or holds_controls(body):
        text = strip_controls(text)
        body = text.encode()
    begins, ends = len(text) - len(text.lstrip()), len(text.rstrip())
    if begins >= ends:
        raise UnreadableDocument("The document is empty.")
    before, behind = len(text[:begins].encode()), len(text[ends:].encode())
    return text[begins:ends], body[before : len(body) - behind]


def _decompressed(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(body, LARGEST_DOCUMENT + 1)
    except zlib.error:
        raise UnreadableDocument("The document is compressed and cannot be decompressed.") from None


def _decoded(body: bytes, content_type: str | None) -> tuple[str, str]:
    """Return the text, and the encoding that it was in."""
    for encoding in _candidates(body, content_type):
        try:
            return body.decode(encoding), encoding
        except (LookupError, UnicodeError):
            continue
    return body.decode("cp1252", errors="replace"), "cp1252"


def _candidates(body: bytes, content_type: str | None) -> Iterator[str]:
    for prefix, encoding in _SHOWN:
        if body.startswith(prefix):
            yield encoding
    declared = _DECLARED.search(body[:4096])
    if declared is not None:
        yield from _text_encoding(declared.group(1).decode("ascii"))
    transferred = _CHARSET.search(content_type or "")
    if transferred is not None:
        yield from _text_encoding(transferred.group(1))
    yield "utf-8"


def _text_encoding(label: str) -> Iterator[str]:
    """Yield the codec of a label; nothing when it is unknown, no text, or belied by the bytes."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return
    # The declaration was read as ASCII, so the document cannot be what these say.
    if not name.startswith(
        ("utf-16", "utf-32", "utf-7", "base64", "hex", "rot", "uu", "zlib", "bz2")
    ):
        yield _WIDER.get(name, name)
