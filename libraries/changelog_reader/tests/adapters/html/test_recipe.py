"""Recipes: selectors that say where the entries are."""

import pytest

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.html import Recipe, parse_page

PAGE = b"""<title>Acme</title><div class="box"><b class="t">Tea</b><i>March 5, 2024</i>
<p class="x">Green.</p><a href="/more/tea">more</a><p class="ad">Buy!</p></div>
<div class="box"><b class="t">Milk</b><i>April 6, 2024</i><p class="x">White.</p>
<a href="/more/milk">more</a><p class="ad">Buy!</p></div>"""
ADDRESS = "https://acme.example/"


def test_a_recipe_finds_title_date_link_and_text():
    recipe = Recipe(entry="div.box", title="b.t", date="i", link="a", body="p.x")

    entries = parse_page(PAGE, address=ADDRESS, content_type=None, recipe=recipe).entries

    assert [
        (entry.title, str(entry.published_at)[:10], entry.url, entry.summary) for entry in entries
    ] == [
        ("Tea", "2024-03-05", "https://acme.example/more/tea", "Green."),
        ("Milk", "2024-04-06", "https://acme.example/more/milk", "White."),
    ]


def test_a_recipe_of_headings_takes_what_follows_each():
    body = b"<h3>Tea</h3><p>Green.</p><h3>Milk</h3><p>White.</p>"

    document = parse_page(
        body, address=ADDRESS, content_type=None, recipe=Recipe(entry="h3", title="&")
    )

    assert [(entry.title, entry.summary) for entry in document.entries] == [
        ("Tea", "Green."),
        ("Milk", "White."),
    ]


def test_a_recipe_that_finds_nothing_leaves_the_page_to_the_strategies():
    body = b"<h2>v1.2.0 (2024-05-01)</h2><p>a</p><h2>v1.1.0 (2024-04-01)</h2><p>bcd</p>"

    document = parse_page(body, address=ADDRESS, content_type=None, recipe=Recipe(entry="div.gone"))

    assert len(document.entries) == 2


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"entry": ""},
        {"entry": 1},
        {"entry": "a", "script": "x"},
        {"entry": "a" * 501},
        {"entry": "a", "date": "i["},
    ],
    ids=["empty", "no entries", "a number", "unknown", "too long", "unreadable"],
)
def test_what_is_no_recipe_is_refused(value):
    with pytest.raises(UnreadableDocument):
        Recipe.from_json(value)


@pytest.mark.parametrize("selector", ["div[", ":::", ">>"])
def test_a_selector_that_cannot_be_read_is_refused(selector):
    with pytest.raises(UnreadableDocument):
        parse_page(PAGE, address=ADDRESS, content_type=None, recipe=Recipe(entry=selector))
