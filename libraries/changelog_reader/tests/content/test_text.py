"""Titles, markup, plain text and links of vendors, made harmless."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from changelog_reader.content.markdown import markdown_to_html
from changelog_reader.content.text import (
    MARKUP_LIMIT,
    TITLE_LIMIT,
    clean_html,
    clean_html_to_text,
    html_to_text,
    one_line,
    safe_url,
    strip_controls,
)

BASE = "https://acme.example/changelog/"

SCRIPTS = json.loads(Path(__file__).with_name("scripts.json").read_text("utf-8"))
WRAPPINGS = ["{}", "before {} after", "<p>{}</p>", "<pre><code>{}", "<![CDATA[{}]]>"]
WRAPPINGS += ["<table><tr><td>{}</td></tr></table>", "<b><i>{}</b></i>"]
VECTORS = [wrapping.replace("{}", script) for script, wrapping in product(SCRIPTS, WRAPPINGS)]


def escaped(markup: str) -> str:
    return markup.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def live_parts(markup: str) -> list[str]:
    """Everything in the markup that a browser would run or load as code."""
    parts = []
    for node in LexborHTMLParser(f"<body>{markup}</body>").css("body *"):
        if node.tag in {"script", "style", "svg", "math", "iframe", "object", "embed", "form"}:
            parts.append(f"<{node.tag}>")
        for name, value in node.attributes.items():
            if name.startswith("on") or name in {"style", "srcdoc", "background", "action"}:
                parts.append(name)
            if re.match(r"\s*(javascript|vbscript|data)\s*:", value or "", re.IGNORECASE):
                parts.append(f"{name}={value}")
    return parts


@pytest.mark.parametrize("vector", VECTORS)
def test_clean_markup_holds_nothing_that_runs_and_what_is_escaped_stays_text(vector):
    for written in (vector, escaped(vector)):
        assert live_parts(clean_html(written, base=BASE)) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_a_title_holds_nothing_that_runs_however_often_it_was_escaped(vector):
    for written in (vector, escaped(vector), escaped(escaped(vector))):
        title = one_line(written)

        assert all(part.startswith("<") for part in live_parts(title))  # a bare name is text
        assert not re.search(r"<[^<>]*(?:javascript:|\bon\w+\s*=)", title, re.IGNORECASE)


MARKUP = st.lists(
    st.sampled_from(SCRIPTS)
    | st.sampled_from(["<p>", "</p>", "<pre>\n\n", "<a href='x'>", "</a>", "<table>", "<td>"])
    | st.sampled_from(["&amp;", "&lt;", "&", "<", ">", "\n", "\x00", "\ud800", "<ul><li>", "text"])
    | st.text(max_size=8),
    max_size=12,
).map("".join)


@given(MARKUP)
@example("<pre>\n\n\nx</pre>")
@example("<table><a href='x'><table><a href='y'>")
def test_cleaning_what_is_clean_changes_nothing(markup):
    once = clean_html(markup, base=BASE)

    assert clean_html(once, base=BASE) == once
    assert live_parts(once) == []


@given(MARKUP)
def test_a_title_is_one_line_of_bounded_length_and_stays_as_it_is(markup):
    title = one_line(markup)

    assert len(title) <= TITLE_LIMIT
    assert title == " ".join(title.split())
    assert strip_controls(title) == title
    assert one_line(title) == title


@given(MARKUP)
def test_any_text_becomes_plain_text_without_forbidden_characters(markup):
    text = html_to_text(markup)

    assert strip_controls(text) == text
    assert text == text.strip("\n")
    assert "\n\n\n" not in text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Plain title", "Plain title"),
        ("R&amp;D &amp;amp; more", "R&D & more"),
        ("<b>New</b> in <i>Acme</i>", "New in Acme"),
        ("Vec<T> and Map<String, Item>", "Vec<T> and Map<String, Item>"),
        ("latency <5ms, x <y", "latency <5ms, x <y"),
        ("v1.2\u202e0.3\u202c", "v1.20.3"),
        ("bell\x07 and \ud800 surrogate", "bell and surrogate"),
        ("cafe\u0301", "café"),
        ("&#60;script&#62;alert(1)&#60;/script&#62;done", "done"),
        ("<svg/onload=alert(1)>kept", "kept"),
        ("Remove <blink>, treat <a> as <area>", "Remove <blink>, treat <a> as <area>"),
        ('<input type="date"> opens a calendar', '<input type="date"> opens a calendar'),
        ("<code>&lt;dialog&gt;</code> and <Button>", "<dialog> and <Button>"),
        ("One<br>two <a href='/x'>three</a>", "One two three"),
        ("", ""),
    ],
)
def test_a_title_is_plain_text(written, title):
    assert one_line(written) == title


@pytest.mark.parametrize("control", "\x00\x08\x1f\x7f\x84\x9f\ud800\u202a\u2069\ufeff\ufff9\uffff")
def test_a_control_character_is_removed(control):
    assert strip_controls(f"a{control}b\t\n") == "ab\t\n"
    assert strip_controls(f"caf\u00e9{control}\u0085") == "caf\u00e9\u0085"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<h2>Added</h2><ul><li>One</li><li>Two</li></ul>", "## Added\n\n- One\n- Two"),
        ("<p>One</p><p>Two<br>three</p>", "One\n\nTwo\nthree"),
        ("<ul><li><p>One</p></li><li>Two<ul><li>Sub</li></ul></li></ul>", "- One\n- Two\n- Sub"),
        ("<pre>def f():\n    pass\n\nf()</pre>", "def f():\n    pass\n\nf()"),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
         "A | B\n1 | 2"),
        ("<p title='x'>no attributes</p>", "no attributes"),
        ("a &amp;amp; b&nbsp;c", "a &amp; b c"),
        ("<title>page</title><script>x</script><style>y</style>z", "z"),
        ("<h1>One</h1>text<h6>Six</h6>", "## One\n\ntext\n\n## Six"),
        ("<dl><dt>Term</dt><dd>Meaning</dd></dl>", "Term\nMeaning"),
        ("", ""),
    ],
)  # fmt: skip
def test_plain_text_keeps_the_blocks(markup, text):
    assert html_to_text(markup) == text


@pytest.mark.parametrize(
    ("markup", "clean"),
    [
        ('<a href="../x" onclick=y>x</a>',
         '<a href="https://acme.example/x" rel="noopener noreferrer nofollow">x</a>'),
        ('<a href="mailto:a@acme.example">x</a>',
         '<a href="mailto:a@acme.example" rel="noopener noreferrer nofollow">x</a>'),
        ('<img src="a.png" alt="A" onerror=x>',
         '<img src="https://acme.example/changelog/a.png" alt="A">'),
        ("<p class=x id=y style=z title=t lang=en>x</p>", "<p>x</p>"),
        ("<custom-element>kept</custom-element>", "kept"),
        ("<!-- comment -->x", "x"),
    ],
)  # fmt: skip
def test_clean_markup_keeps_what_is_harmless(markup, clean):
    assert clean_html(markup, base=BASE) == clean


@pytest.mark.slow
@pytest.mark.parametrize(
    "markup",
    ["<div>" * 50_000, "&" * 100_000, "<p>" + "x" * 200_000, '<a href="/x">' * 9_000, "<" * 70_000],
)
def test_clean_markup_is_bounded(markup):
    assert len(clean_html(markup, base=BASE)) <= MARKUP_LIMIT


def test_markup_is_not_cut_inside_a_tag_or_an_entity():
    for cut in ('<a href="https://acme.example/">y</a>', "&eacute;"):
        assert set(clean_html("x" * (MARKUP_LIMIT - 4) + cut, base=None)) == {"x"}


@pytest.mark.parametrize(
    ("markdown", "markup"),
    [
        ("# Acme 2\n\n* one\n* two", "<h1>Acme 2</h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("~~old~~ **new**", "<p><s>old</s> <strong>new</strong></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("[x](javascript:alert(1))", '<p><a rel="noopener noreferrer nofollow">x</a></p>\n'),
        ("`https://acme.example`", "<p><code>https://acme.example</code></p>\n"),
        ("x <img src=x onerror=alert(1)>", "<p>x <img></p>\n"),
        ("Of https://a.example/?b=1&c=2. And",
         '<p>Of <a href="https://a.example/?b=1&amp;c=2" rel="noopener noreferrer nofollow">'
         "https://a.example/?b=1&amp;c=2</a>. And</p>\n"),
        ("A List<String> <B2>of</B2>", "<p>A List&lt;String&gt; of</p>\n"),
    ],
)  # fmt: skip
def test_markdown_becomes_clean_markup(markdown, markup):
    assert markdown_to_html(markdown) == markup


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://acme.example/x?utm_source=y#z", "https://acme.example/x?utm_source=y#z"),
        (" https://acme.example/a\n/b ", "https://acme.example/a/b"),
        ("/rel", "https://acme.example/rel"),
        ("//globex.example/x", "https://globex.example/x"),
        ("https://acme.example/ä b?q=[1]", "https://acme.example/%C3%A4%20b?q=%5B1%5D"),
        ("https://acme.example/100%", "https://acme.example/100%25"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("https://user:secret@acme.example/", None),
        ("https://acme example/", None),
        ("https://", None),
        ("http://[broken", None),
        ("https://acme.example/\x00", None),
        ("https://acme.example/" + "x" * 5_000, None),
        ("", None),
        (None, None),
    ],
)
def test_a_link_is_absolute_and_harmless_or_nothing(url, safe):
    assert safe_url(url, base=BASE) == safe


@given(
    st.text() | st.text(alphabet="htps:/?#[]@%.\\ aä\t\x00\ud800"), st.sampled_from([None, BASE])
)
def test_any_text_gives_a_uri_or_nothing(text, base):
    url = safe_url(text, base=base)

    if url is not None:
        assert re.fullmatch(r"https?://[!-~]+", url, re.IGNORECASE)
        assert safe_url(url, base=None) == url


PIECES = st.lists(
    st.sampled_from(
        [
            *("<p>", "</p>", "<ul>", "<ol start='3'>", "</ul>", "<li>", "</li>", "<br>", "<hr>"),
            *("<code>", "</code>", "<a href='/x'>", "<a title='x>y'>", "</a>", "<b>", "</b>"),
            *("<h2>", "</h2>", "<pre>", "</pre>", "<div>", "</div>", "<td>", "<em>", "</em>"),
            *("\n", "\r\n", "&#13;", "&nbsp;", "&lt;p&gt;", "&amp;amp;", "&#x202e;", " ", "é"),
            *("text", "a < b", "<img alt='a'>", "<script>x</script>", "<!-- c -->", "List<Item>"),
        ]
    ),
    max_size=20,
).map("".join)


@given(PIECES)
def test_text_of_clean_markup_is_the_text_of_any_markup(markup):
    cleaned = clean_html(markup, base=None)

    assert clean_html_to_text(cleaned) == html_to_text(cleaned)
