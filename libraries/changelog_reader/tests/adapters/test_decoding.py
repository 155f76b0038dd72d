"""Documents are decoded from any encoding, without space around them or control characters."""

import pytest

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.decoding import decode_document

DECLARED = b'<?xml version="1.0" encoding="windows-1252"?>'
TEXT = "<rss>caf\u00e9 \u2019 \U0001f30d</rss>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (TEXT.encode(), TEXT),
        (b"\xef\xbb\xbf" + TEXT.encode(), TEXT),
        (" \n\u00a0\u2003".encode() + TEXT.encode() + "\u00a0 \n\x85".encode(), TEXT),
        (TEXT.encode("utf-16"), TEXT),
        (TEXT.encode("utf-32-le"), TEXT),
        (DECLARED + b"<rss>caf\xe9 \x92</rss>", DECLARED.decode() + "<rss>caf\u00e9 \u2019</rss>"),
        (b"<rss>caf\xe9</rss>", "<rss>caf\u00e9</rss>"),
        (TEXT.encode() + b"\xff", TEXT + "\ufffd"),
        (TEXT.encode() + "\u202e\x07 hidden".encode(), TEXT + " hidden"),
        (b"\x1c\x1d <rss/> \x1f", "<rss/>"),
    ],
)
def test_a_document_is_decoded(body, text):
    assert decode_document(body, None) == text


@pytest.mark.parametrize("body", [b"", b" \n", "\u00a0\u2003".encode(), b"\xef\xbb\xbf "])
def test_a_document_of_nothing_but_space_is_empty(body):
    with pytest.raises(UnreadableDocument, match=r"^The document is empty\.$"):
        decode_document(body, None)
