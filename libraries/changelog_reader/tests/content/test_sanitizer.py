"""Markup that vendors write is clean after one call of clean_html."""

from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.content.sanitizer import clean_html, strip_controls

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
def test_clean_markup_is_not_changed_by_another_pass(markup, base):
    cleaned = clean_html(markup, base=base)

    assert clean_html(cleaned, base=base) == cleaned
    assert strip_controls(cleaned) == cleaned
