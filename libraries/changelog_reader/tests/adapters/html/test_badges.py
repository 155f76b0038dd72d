"""Badges beside an entry are its types, as a feed's categories are."""

import pytest

from changelog_reader.adapters.html import parse_page
from changelog_reader.importance import classify
from changelog_reader.vocabulary import Category

PAGE = """<html><head><title>Changelog</title></head><body><h1>Changelog</h1>
<article><h2>Orders of the first kind{heading}</h2><time datetime="2026-03-02">March 2, 2026</time>
{beside}<p>Read the guide{text}.</p><ul><li>Something{item}</li></ul></article>
<article><h2>A new editor</h2><time datetime="2026-03-01">March 1, 2026</time><p>Text.</p></article>
<article><h2>Older</h2><time datetime="2026-02-01">February 1, 2026</time><p>Long ago.</p></article>
</body></html>"""
BADGE = '<span class="{name}">{text}</span>'


def first_entry(**places):
    page = PAGE.format_map({"heading": "", "beside": "", "text": "", "item": "", **places})
    parsed = parse_page(page.encode(), address="https://a.example/log", content_type="text/html")
    return parsed.entries[0]


@pytest.mark.parametrize("place", ["heading", "beside"])
@pytest.mark.parametrize("name", ["badge badge-red", "x-pill_a1", "status-label", "tag"])
def test_a_badge_beside_the_title_is_a_type_of_the_entry(place, name):
    entry = first_entry(**{place: BADGE.format(name=name, text="Deprecated")})

    assert entry.raw["categories"] == ["Deprecated"]


def test_each_badge_counts_once_and_in_order():
    two = "".join(BADGE.format(name="badge", text=text) for text in ("API", "Security fix", "API"))

    assert first_entry(beside=f'<div class="tags">{two}</div>').raw["categories"] == [
        "API",
        "Security fix",
    ]


@pytest.mark.parametrize("place", ["text", "item"])
def test_a_badge_inside_a_paragraph_or_an_item_is_not_of_the_entry(place):
    assert (
        "categories" not in first_entry(**{place: BADGE.format(name="badge", text="Removed")}).raw
    )


def test_a_badge_settles_the_category_of_an_entry():
    entry = first_entry(beside=BADGE.format(name="badge", text="Deprecated"))

    found = classify(entry.title, entry.summary, types=entry.raw["categories"])

    assert found.categories == (Category.DEPRECATION,)
    assert [passage.text for passage in found.evidence] == ["Orders of the first kind"]
