"""A vendor's line as markup: code as code, searched words marked, everything escaped."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.marked_words import inline, searched_words
from storage.entries.search.query import parse_query


def marked(text, query):
    """Return a text with what a search marks in it in brackets."""
    written = str(inline(text, searched_words(parse_query(query))))
    return written.replace('<mark class="hit">', "[").replace("</mark>", "]")


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("token", "The token expires", "The [token] expires"),
        (
            "secret_token",
            "A secret_token.rb of secret tokens",
            "A secret_token.rb of secret tokens",
        ),
        ("depre*", "Deprecated: deprecations", "[Deprecated]: [deprecations]"),
        ("1.2", "v1.2.3 and 1.20", "v[1.2.3] and 1.20"),
        ('"private preview"', "In private, a preview", "In [private], a [preview]"),
        ("-beta token", "token of beta", "[token] of beta"),
        ("\ufb01x", "A \ufb01x here", "A [\ufb01x] here"),
        ("日本", "新日本語", "新[日本]語"),
    ],
)
def test_the_words_of_a_search_are_marked(query, text, expected):
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set `API_TOKEN`", "Set <code>API_[TOKEN]</code>"),
        ("One ` alone", "One ` alone"),
        ("`<b>` & <i>", "<code>&lt;b&gt;</code> &amp; &lt;i&gt;"),
    ],
)
def test_code_is_told_apart(text, expected):
    assert marked(text, "token") == expected


@given(st.text(max_size=80), st.text(max_size=20))
def test_whatever_is_shown_says_the_same_and_is_no_markup(text, query):
    written = str(inline(text, searched_words(parse_query(query))))

    plain = re.sub(r"</?code>|<mark class=\"hit\">|</mark>", "", written)
    assert "<" not in plain
    if "`" not in text:
        assert plain == str(inline(text))
