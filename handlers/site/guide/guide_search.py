"""Full-text search over the documentation, best hits first. Pure; no other service is used."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from handlers.site.words import with_spans

MOST: Final = 20
"""How many hits a result has."""
LONGEST_QUERY: Final = 100
MOST_WORDS: Final = 8
EXCERPT: Final = 180
"""About how many characters of a place are shown."""
_MARK: Final = Markup("<mark>{}</mark>")
_WORD: Final = re.compile(r"[^\W_]+")
_OFTEN: Final = 3  # a word that occurs more often counts no more
_TITLE: Final = 10  # what a word of the title counts


@dataclass(frozen=True, slots=True)
class GuidePlace:
    """A searchable section of ``page``, at ``url``; ``level`` is 1 for the page itself."""

    page: str
    title: str
    url: str
    text: str
    level: int = 2


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; ``rate_limited`` is two."""
    return _WORD.findall(text.casefold())


def search(
    places: Iterable[GuidePlace], query: str
) -> tuple[list[tuple[GuidePlace, Markup]], bool]:
    """Return the places that have the most words of a query, best first, each with an excerpt.

    Return too whether each of them has every word.
    """
    words = list(dict.fromkeys(words_of(query[:LONGEST_QUERY])))[:MOST_WORDS]
    scored = [(*_score(place, words), place) for place in places]
    most = max((found for found, _, _ in scored), default=0)
    best = [each for each in scored if each[0] == most > 0]
    best.sort(key=lambda each: -each[1])
    hits = [(place, excerpt_of(place.text, words)) for _, _, place in best[:MOST]]
    return hits, most == len(words) or not hits


def _score(place: GuidePlace, words: Sequence[str]) -> tuple[int, int]:
    """Return how many of the words a place has, and how much it is about them."""
    title, text = words_of(place.title), words_of(f"{place.page} {place.title} {place.text}")
    whole = " ".join(text)
    about = [min(text.count(word), _OFTEN) + (word in whole) for word in words]
    named = [word for word in words if any(each.startswith(word) for each in title)]
    return sum(map(bool, about)), sum(about) + _TITLE * (len(named) + (title == words))


def excerpt_of(text: str, words: Sequence[str]) -> Markup:
    """Return the part of a text around the first of some words, with all of them marked."""
    pattern = re.compile(
        "|".join(sorted(map(re.escape, words), key=len, reverse=True)), re.IGNORECASE
    )
    first = pattern.search(text)
    middle = first.start() if first else 0
    start = text.rfind(" ", 0, max(0, middle - EXCERPT // 2)) + 1
    end = text.find(" ", start + EXCERPT)
    part = text[start:] if end < 0 else text[start:end]
    marked = with_spans(part, (found.span() for found in pattern.finditer(part)), _MARK)
    return Markup("").join(["… " if start else "", marked, "" if end < 0 else " …"])
