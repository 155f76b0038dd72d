"""Badges that stand right beside words are apart from them, in titles and in texts."""

import pytest

from changelog_reader.adapters.html import parse_page

PAGE = (
    "<!doctype html><title>Changelog</title><main><h1>Changelog</h1>"
    "<h2>Charts 2.0</h2><p>May 2, 2026</p><p>{text}</p>"
    "<h2>Charts 1.9</h2><p>May 1, 2026</p><p>Charts draw lines with points now.</p>"
    "<h2>Charts 1.8</h2><p>April 30, 2026</p><p>Charts draw all of the bars now.</p></main>"
)


def first(markup: str):
    page = PAGE.format(text=markup).encode()
    return parse_page(page, address="https://acme.example/log", content_type="text/html").entries[0]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<span class="badge">New</span>Editor for charts', "New Editor for charts"),
        ('Editor<span class="Tag_new__x1">beta</span>for charts', "Editor beta for charts"),
        ("<b>New</b>Editor for charts", "New Editor for charts"),
        ("<small>Bug fix</small>Charts are drawn", "Bug fix Charts are drawn"),
        ('<span class="badge">New</span>: the editor', "New: the editor"),
        ('(<span class="badge">New</span>) the editor', "(New) the editor"),
        ("<b>New</b>ly drawn charts", "Newly drawn charts"),
        ("<b>Java</b>Script draws charts", "JavaScript draws charts"),
        ('<span class="label">E</span>ditor for charts', "Editor for charts"),
        ('Run <code><span class="tag">new</span>Editor()</code>', "Run newEditor()"),
    ],
)
def test_a_badge_is_apart_from_words_and_part_of_a_word_is_not(markup, text):
    assert first(markup).summary == text
