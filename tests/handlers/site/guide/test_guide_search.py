"""Finding places by words."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.guide.guide_search import EXCERPT, GuidePlace, excerpt_of, search

PLACES = [
    GuidePlace(
        "Errors", "rate_limited", "/errors#rate_limited", "Too many requests. Wait a while."
    ),
    GuidePlace("Errors", "unauthorized", "/errors#unauthorized", "No key. See what a rate is."),
    GuidePlace("Limits", "Rates", "/limits#rates", "How many requests there may be in a minute."),
    GuidePlace("Time", "since", "/time#since", "Entries after a time. A + is a space."),
]
TEXTS = st.text(alphabet="ab <&'ßé_\n1", max_size=400)


def urls(query):
    return [place.url for place, _ in search(PLACES, query)[0]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("rate_limited", ["/errors#rate_limited"]),
        ("Rate limited", ["/errors#rate_limited"]),
        ("rate", ["/errors#rate_limited", "/limits#rates", "/errors#unauthorized"]),
        ("author", ["/errors#unauthorized"]),
        ("errors key", ["/errors#unauthorized"]),
        ("requests minute zebra", ["/limits#rates"]),
        *((nothing, []) for nothing in ("", "  ", "+", "zebra")),
    ],
)
def test_places_are_found_by_beginnings_of_words_names_first(query, found):
    assert urls(query) == found


def test_an_excerpt_is_around_the_first_word_and_marks_all():
    text = "before " * 100 + "the Key is a key " + "after " * 100

    excerpt = excerpt_of(text, ["key"])

    assert excerpt.startswith("… before")
    assert excerpt.endswith("after …")
    assert "the <mark>Key</mark> is a <mark>key</mark> after" in excerpt


@given(text=TEXTS, words=st.lists(st.sampled_from(["a", "ab", "ß", "1", "é", "b1"]), min_size=1))
def test_an_excerpt_is_a_part_of_its_text_with_nothing_but_marks(text, words):
    excerpt = str(excerpt_of(text, words))
    bare = re.sub("</?mark>", "", excerpt)

    assert "<" not in bare
    assert unescape(bare).removeprefix("… ").removesuffix(" …") in text
    assert len(unescape(bare)) <= max(len(text), EXCERPT * 3) + 4
