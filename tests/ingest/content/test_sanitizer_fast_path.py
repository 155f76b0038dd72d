"""Usual markup is cleaned without a parser: the parser would have written the same."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.content.sanitizer import _cleaner, strip_controls
from ingest.content.sanitizer_fast_path import clean_usual, is_usual

BASES = (None, "https://acme.example/news/", "http://Globex.example:8080/a?b#c")
HREFS = st.sampled_from(
    [
        *("/docs/a", "/docs/a.html?x=1#y", "/", "//globex.example/x", "/./a", "/a/../b", "x/y", ""),
        *("https://acme.example", "https://acme.example/a?x=1&amp;y=2", "http://1.2.3.4.5/x"),
        *("https://xn--a.example/", "https://a.xn--zz/", "http://10.0.0.1/", "javascript:x()"),
        *("https://Acme.example/x", "https://acme.example/ä", "mailto:a@acme.example", "/a b"),
        *("https://-a-.example", "https://a..example/", "#top", "?page=2", "&#1;", "/a&quot;b"),
    ]
)
TEXTS = st.sampled_from(["New", " ", "\n", "a &amp; b", "&lt;p&gt;", "&nbsp;", "é", "Q&A", "a > b"])


def element(names, inside):
    """Return elements with one of some names, with and without attributes."""
    attributes = st.sampled_from(["", ' class="a"', ' id="x" title="a > b"', "\n lang='de'"])
    return st.tuples(st.sampled_from(names), attributes, st.lists(inside, max_size=3)).map(
        lambda made: f"<{made[0]}{made[1]}>{''.join(made[2])}</{made[0]}>"
    )


LINKS = st.tuples(HREFS, TEXTS).map(lambda made: f'<a href="{made[0]}">{made[1]}</a>')
PHRASES = TEXTS | LINKS | element(["code", "strong", "em", "b", "i", "span"], TEXTS | LINKS)
LINES = PHRASES | st.sampled_from(["<br>", "<br/>"])
PARAGRAPHS = element(["p", "h1", "h2", "h6"], LINES)
ITEMS = element(["li"], LINES | PARAGRAPHS)
LISTS = element(["ul", "ol"], ITEMS | TEXTS)
BLOCKS = LINES | PARAGRAPHS | LISTS
MARKUP = st.lists(BLOCKS | element(["div"], BLOCKS), max_size=6).map("".join)


@given(MARKUP, st.sampled_from(BASES))
@example("<p>New</p>", None)
@example('<p><a href="/a">x</a></p>', None)
@example('<a href="&#1;">x</a>', BASES[1])
@example("<p><a>x</a></p>", BASES[1])
def test_usual_markup_is_cleaned_as_the_parser_would(markup, base):
    cleaner = _cleaner(base)
    cleaned = clean_usual(markup, cleaner)

    if cleaned is not None:
        assert cleaned == cleaner.clean(markup)
        assert cleaner.clean(cleaned) == cleaned
        assert strip_controls(cleaned) == cleaned


@pytest.mark.parametrize(
    "markup",
    [
        "plain",
        "<p>One <code>a &lt; b</code> and <strong>two</strong></p>\n<ul>\n<li>x</li>\n</ul>",
        '<div><p class="x"><a href="/y"><code>y</code></a></p></div>',
        "<ol><li><p>a</p></li></ol><h2>b</h2>",
    ],
)
def test_markup_that_most_vendors_write_is_usual(markup):
    assert is_usual(markup)


@pytest.mark.parametrize(
    "markup",
    [
        *("<p>a<p>b", "<b><i>a</b></i>", "<ul><ul></ul></ul>", "<a href='x'>y</a>", "a < b"),
        *("a & b", "<script>x</script>", "<p><div>a</div></p>", "<P>a</P>", "&copy;"),
        *("<table><tr><td>x</td></tr></table>", "<pre>\n\na</pre>", "a\rb", "a\xa0b", "<!-- a -->"),
    ],
)  # fmt: skip
def test_markup_that_a_parser_may_find_more_in_is_not(markup):
    assert not is_usual(markup)
    assert clean_usual(markup, _cleaner(None)) is None
