"""Text and bytes of a document say the same."""

import pytest

from ingest.adapters.base import UnreadableDocument
from ingest.adapters.decoding import decode_document, text_and_bytes

TEXT = "<rss>caf\u00e9 \u2019 \U0001f30d</rss>"


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        " \n\u00a0\u2003".encode() + TEXT.encode() + "\u00a0 \n\x85".encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-32-le"),
        b'<?xml version="1.0" encoding="windows-1252"?><rss>caf\xe9 \x92</rss>',
        b"<rss>caf\xe9</rss>",
        TEXT.encode() + "\u202e\x07 hidden".encode(),
        b"\x1c\x1d <rss/> \x1f",
    ],
)
def test_the_bytes_are_the_text_in_utf_8(body):
    text, written = text_and_bytes(body, None)

    assert written == text.encode()
    assert text == decode_document(body, None) == text.strip()


@pytest.mark.parametrize("body", [b"", b" \n", "\u00a0\u2003".encode(), b"\xef\xbb\xbf "])
def test_a_document_of_nothing_but_space_is_empty(body):
    with pytest.raises(UnreadableDocument, match=r"^The document is empty\.$"):
        text_and_bytes(body, None)
