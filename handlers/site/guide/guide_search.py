"""Full-text search over the documentation, best hits first. Pure; no other service is used."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from markupsafe import Markup, escape

MOST: Final = 20
"""How many hits a result has."""
LONGEST_QUERY: Final = 100
MOST_WORDS: Final = 8
EXCERPT: Final = 180
"""About how many characters of a place are shown."""
_WORD: Final = re.compile(r"[^\W_]+")
_TITLE, _TITLE_BEGINS, _TITLE_PHRASE, _TEXT_PHRASE = 12, 8, 20, 6
_OFTEN: Final = 3  # a word that stands there more often counts no more


@dataclass(frozen=True, slots=True)
class GuidePlace:
    """A searchable section of ``page``, at ``url``."""

    page: str
    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place with an excerpt around the words of the query."""

    place: GuidePlace
    excerpt: Markup


@dataclass(frozen=True, slots=True)
class IndexedPlace:
    """A place with its words counted."""

    place: GuidePlace
    title: str
    text: str
    counts: Counter[str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits. ``complete``: every hit has every word of the query."""

    hits: tuple[SearchHit, ...]
    complete: bool


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; ``rate_limited`` is two."""
    return _WORD.findall(text.casefold())


def index_of(places: Iterable[GuidePlace]) -> tuple[IndexedPlace, ...]:
    """Return the index of places, with their words counted."""
    return tuple(
        IndexedPlace(place, " ".join(words_of(place.title)), " ".join(words), Counter(words))
        for place in places
        for words in [words_of(f"{place.page} {place.title} {place.text}")]
    )


def search(index: Sequence[IndexedPlace], query: str) -> SearchResult:
    """Return the places that have the most words of a query, best first."""
    words = list(dict.fromkeys(words_of(query[:LONGEST_QUERY])))[:MOST_WORDS]
    scored = [(_score(indexed, words), indexed) for indexed in index]
    most = max((score[0] for score, _ in scored), default=0)
    if not most:
        return SearchResult((), complete=True)
    best = sorted(
        ((score[1], indexed) for score, indexed in scored if score[0] == most),
        key=lambda pair: -pair[0],
    )
    hits = tuple(
        SearchHit(indexed.place, excerpt_of(indexed.place.text, words))
        for _, indexed in best[:MOST]
    )
    return SearchResult(hits, complete=most == len(words))


def _score(indexed: IndexedPlace, words: Sequence[str]) -> tuple[int, int]:
    """Return how many of the words a place has, and how much it is about them."""
    scores = [_score_of_word(indexed, word) for word in words]
    phrase, about = " ".join(words), sum(scores)
    about += _TITLE_PHRASE * (indexed.title == phrase)
    about += _TEXT_PHRASE * (len(words) > 1 and phrase in indexed.text)
    return sum(map(bool, scores)), about


def _score_of_word(indexed: IndexedPlace, word: str) -> int:
    often = 2 * min(indexed.counts[word], _OFTEN) or int(word in indexed.text)
    title = indexed.title.split()
    if word in title:
        return often + _TITLE
    return often + _TITLE_BEGINS * any(title_word.startswith(word) for title_word in title)


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
    return Markup("").join(["… " if start else "", _marked(part, pattern), "" if end < 0 else " …"])


def _marked(part: str, pattern: re.Pattern[str]) -> Markup:
    pieces, after = [], 0
    for match in pattern.finditer(part):
        pieces += [escape(part[after : match.start()]), Markup("<mark>{}</mark>").format(match[0])]
        after = match.end()
    return Markup("").join([*pieces, escape(part[after:])])
