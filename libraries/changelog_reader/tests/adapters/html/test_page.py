"""Bytes to a page: encodings, what is no page, what is never content."""

import pytest

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.page import decode, flatten

ADDRESS = "https://acme.example/changelog"
RUN = "".join(f"<h2>v1.{n}.0 (2024-0{n}-01)</h2><p>Größe № {n}</p>" for n in (3, 2, 1))


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ("Größe".encode(), None, "Größe"),
        ("Größe".encode("utf-8-sig"), "text/html; charset=latin-1", "Größe"),
        ("Größe".encode("utf-16"), None, "Größe"),
        ("Größe".encode("cp1252"), "text/html; charset=ISO-8859-1", "Größe"),
        (b"<meta charset=windows-1251>" + "Мир".encode("cp1251"), None, "Мир"),
        (b'<meta content="text/html; charset=Shift_JIS">' + "版".encode("cp932"), None, "版"),
        (b"<meta charset=utf-16>" + "Größe".encode(), None, "Größe"),
        ("Größe".encode("cp1252"), None, "Größe"),
        ("版".encode(), "text/html; charset=unicode_escape", "版"),
        (b"\xff\xff", "text/html; charset=utf-8", "��"),
    ],
)
def test_the_encoding_is_found_as_browsers_find_it(body, content_type, expected):
    assert decode(body, content_type).endswith(expected)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7 <html>", "application/pdf"),
        (b'{"a": "<p>"}', None),
        (b"<?xml version='1.0'?><!-- x --><rss version='2.0'></rss>", None),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", "application/xml"),
        (b"just words", "text/plain"),
        (b"", None),
        (b"<p>" + b"x" * (10 * 1024 * 1024), None),
    ],
    ids=["another type", "json", "rss", "atom", "no markup", "nothing", "too large"],
)
def test_what_is_no_page_is_unreadable(body, content_type):
    with pytest.raises(UnreadableDocument):
        parse_page(body, address=ADDRESS, content_type=content_type)


def test_tags_beyond_the_depth_go_and_their_text_stays():
    assert flatten("<i><i><i>a</i>b</i>c</i>d", deepest=2) == "<i><i>ab</i>c</i>d"


def test_a_page_nested_without_end_is_read():
    body = f"{'<div>' * 100_000}{RUN}".encode()

    assert len(parse_page(body, address=ADDRESS, content_type=None).entries) == 3


def test_no_script_and_no_style_comes_out():
    hidden = "<script>alert(1)</script><style>x{}</style><img src=x onerror=alert(1)>"
    body = RUN.replace("<p>", f"<p>{hidden}<a href='javascript:alert(1)'>b</a>").encode()

    for entry in parse_page(body, address=ADDRESS, content_type=None).entries:
        text = f"{entry.title} {entry.summary} {entry.html}"
        assert "alert" not in text
        assert "x{}" not in text


def test_links_follow_the_base_of_the_page():
    body = f"<base href='https://docs.acme.example/'>{RUN}".replace("Größe", "<a href=a>b</a>")

    document = parse_page(body.encode(), address=ADDRESS, content_type=None)

    assert 'href="https://docs.acme.example/a"' in (document.entries[0].html or "")
