"""Decoding: from the bytes of a feed to its text.

The encoding is taken from the first bytes (byte order mark, the shape of the first characters),
then from the XML declaration, then from the Content-Type header, then it is UTF-8. A few wrong
bytes are replaced; what does not decode at all is Windows-1252, as feed readers do.
"""

import codecs
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.content.sanitizer import strip_controls

LARGEST_DOCUMENT_BYTES: Final = 10 * 1024 * 1024
"""Bytes of a document, decompressed (the limit of the fetcher)."""

_GZIP: Final = b"\x1f\x8b"
_BYTE_SIGNATURES: Final = (
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
_XML_ENCODING: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)

# Documents labelled with the left encoding often use the right one, a superset of it.
_SUPERSETS: Final = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
# Codecs of other things than text, and encodings whose declarations could not be read as ASCII.
_NOT_DECLARED: Final = (
    *("base64", "bz2", "charmap", "hex", "idna", "punycode", "raw", "rot", "undefined"),
    *("unicode", "utf-16", "utf-32", "utf-7", "uu", "zlib"),
)


def decode_document(body: bytes, content_type: str | None) -> str:
    """Return the text of a document, without byte order marks and forbidden characters.

    A body that is still compressed is decompressed. Raises UnreadableDocument when it is
    empty, broken or larger than LARGEST_DOCUMENT_BYTES.
    """
    if body.startswith(_GZIP):
        body = _decompress(body)
    if len(body) > LARGEST_DOCUMENT_BYTES:
        raise UnreadableDocument("The document is larger than 10 MiB.")
    text = strip_controls(_decode(body, content_type)).strip()
    if not text:
        raise UnreadableDocument("The document is empty.")
    return text


def _decompress(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(body, LARGEST_DOCUMENT_BYTES + 1)
    except zlib.error:
        raise UnreadableDocument("The document is compressed and cannot be decompressed.") from None


def _decode(body: bytes, content_type: str | None) -> str:
    candidates = list(_candidates(body, content_type))
    for encoding in candidates:
        with suppress(LookupError, UnicodeError):
            return body.decode(encoding)
    return next(filter(None, (mostly(body, encoding) for encoding in candidates)), None) or (
        body.decode("cp1252", errors="replace")
    )


def mostly(body: bytes, encoding: str) -> str | None:
    """Return a text with its wrong bytes replaced; None if few of its bytes beyond ASCII fit."""
    try:
        text = body.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        return None
    wrong = text.count("\ufffd")
    return text if len(text) - len(text.encode("ascii", "ignore")) > 2 * wrong else None


def _candidates(body: bytes, content_type: str | None) -> Iterator[str]:
    for prefix, encoding in _BYTE_SIGNATURES:
        if body.startswith(prefix):
            yield encoding
    declared = _XML_ENCODING.search(body[:4096])
    stated = _text_encoding(declared.group(1).decode("ascii")) if declared else None
    yield from filter(None, (stated, declared_encoding(content_type or ""), "utf-8"))


def declared_encoding(text: str) -> str | None:
    """Return the codec of the charset that a header or a page names, if any."""
    charset = _CHARSET.search(text)
    return _text_encoding(charset.group(1)) if charset else None


def _text_encoding(label: str) -> str | None:
    """Return the codec of a label; None for unknown, non-text and impossible encodings."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    return None if name.startswith(_NOT_DECLARED) else _SUPERSETS.get(name, name)
