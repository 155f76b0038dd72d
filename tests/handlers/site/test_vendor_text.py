"""A vendor's text on a page: links, code, lists and tables stay, evidence is marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from changelog_reader.content.sanitizer import clean_html
from handlers.site.vendor_text import Passage, counted_characters, plain_as_html, vendor_html

REL = 'rel="nofollow noopener"'
PARTS = (
    *("<p>", "</p>", "<ul>", "<ol start=3>", "</ul>", "<li>", "</li>", "<table><tr><td>"),
    *("</table>", "<h2>", "</h2>", "<a href='https://a.example/?x=\"><script>'>", "</a>"),
    *(
        "<pre><code>",
        "</code></pre>",
        "<a href='javascript:alert(1)'>",
        "<script>alert(1)</script>",
    ),
    *("<img src='https://a.example/i.png' alt='<b>'>", "<b onclick=x>", "&lt;script&gt;"),
    *("a word ", "https://b.example/'\"<i>"),
)
MARKUP = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("<p>Use <code>a &lt; b</code></p>", "<p>Use <code>a &lt; b</code></p>"),
        (
            '<a href="https://a.example/x?a=1&amp;b=2" rel="x">it</a>',
            f'<a href="https://a.example/x?a=1&amp;b=2" {REL}>it</a>',
        ),
        ('<a href="https://a.example/"></a>kept', "kept"),
        ("See https://a.example/b.", f'See <a href="https://a.example/b" {REL}>https://a.example/b</a>.'),
        ("<code>https://a.example/b</code>", "<code>https://a.example/b</code>"),
        ("<ol start='4'><li>a<ul><li>b</li></ul></li></ol>",
         '<ol start="4"><li>a<ul><li>b</li></ul></li></ol>'),
        ("<ul><ul><li>b</li></ul></ul>", "<ul><li><ul><li>b</li></ul></li></ul>"),
        ("<li>alone</li>", "<div>alone</div>"),
        ("<h1>One</h1><h4>Two</h4><h1>Three</h1>", "<h2>One</h2><h3>Two</h3><h2>Three</h2>"),
        (
            '<img src="https://a.example/i.png" alt="The menu">',
            f'<a class="image" href="https://a.example/i.png" {REL}>Image: The menu</a>',
        ),
        ('<img src="https://a.example/i.png" alt=":tada:" width="20">', ":tada:"),
        (
            "<table><tr><th>A</th><td colspan='2'>1</td></tr></table>",
            '<div class="scroll" tabindex="0" role="region" aria-label="Table 1"><table><tbody><tr>'
            '<th>A</th><td colspan="2">1</td></tr></tbody></table></div>',
        ),
        ("<p>gone <del>old</del> <mark>x</mark></p>", "<p>gone <s>old</s> x</p>"),
    ],
)  # fmt: skip
def test_what_the_vendor_wrote_is_written_anew(markup, shown):
    assert vendor_html(clean_html(markup, base=None)) == shown


@pytest.mark.parametrize(
    ("markup", "passage", "marked"),
    [
        ("<p>Version 1 is gone. Use 2.</p>", "Version 1 is gone.", ["Version 1 is gone."]),
        ("<li>The <code>v1</code> API\nis gone</li>", "- The `v1` API is gone",
         ["The", "v1", "API\nis gone"]),
        ("<td>v1</td><td>gone</td>", "v1 | gone", ["v1", "gone"]),
        ("<p>Other</p>", "Version 1 is gone.", []),
    ],
)  # fmt: skip
def test_evidence_is_marked_where_it_stands(markup, passage, marked):
    shown = vendor_html(markup, [Passage(passage, "breaking")])

    assert re.findall(r'<mark class="breaking">([^<]*)</mark>', shown) == marked


def test_of_passages_that_overlap_the_first_is_whole():
    passages = [Passage("b c d", "security"), Passage("a b c", "breaking")]

    assert vendor_html("a b c d", passages) == (
        '<mark class="breaking">a b c</mark> <mark class="security">d</mark>'
    )


def test_a_beginning_ends_with_all_elements_closed():
    text = "## News\n\n- one two"

    shown = vendor_html(
        "<h2>News</h2><ul><li>one <b>two three</b></li><li>four</li></ul><p>five</p>",
        most=counted_characters(text),
    )

    assert shown == "<h2>News</h2><ul><li>one <b>two …</b></li></ul>"


@given(MARKUP, st.none() | st.integers(0, 30))
def test_markup_becomes_only_known_elements_and_attributes(markup, most):
    page = LexborHTMLParser(
        f"<main>{vendor_html(clean_html(markup, base=None), [Passage('a word', 'x')], most=most)}"
    )

    for node in page.css("main *"):
        assert node.tag not in ("script", "img", "style", "iframe")
        assert set(node.attributes) <= {
            *("href", "rel", "class", "start", "colspan", "tabindex", "role", "aria-label")
        }
        assert (node.attributes.get("href") or "https://").startswith("https://")


@given(st.text(st.sampled_from("ab -#\n<>&`é")))
def test_no_word_of_a_plain_text_is_lost(text):
    shown = LexborHTMLParser(vendor_html(plain_as_html(text))).text()

    assert re.sub(r"[\s#`-]", "", shown) == re.sub(r"[\s#`-]", "", text)


def test_deep_nesting_takes_no_long_time():
    markup = "<b>" * 8000 + "x" + "</b>" * 8000

    assert vendor_html(markup).count("<b>") == 8000
