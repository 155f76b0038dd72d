"""An index of the catalog in memory: which sources a search means, the likeliest first.

Every word must occur in the name, an alias, the vendor, the slug or a tag of a source. Whole words
count more than their beginnings, a name more than a tag, and what is called exactly that comes
first; then products before components before blogs. All of it is integers and texts compared by
code point, so that the order is the same wherever the rows came from.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import groupby, islice, takewhile
from typing import Final, NamedTuple, TypeAlias

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from openapi.vocabulary import Kind, Tier
from storage.catalog.search.words import (
    GENERIC,
    is_version,
    joined,
    parts_of,
    same_words,
    squeezed,
    vendor_names,
    words_of,
)

MOST_WORDS: Final = 24  # of a search; no name has more
VENDORS: Final = 10_000  # and tags, whose words are remembered
REMEMBERED: Final = 256  # searches, because people turn pages
_NAME, _VENDOR, _ALIAS, _PRODUCT, _MAKER, _TAG = 100, 100, 90, 70, 60, 10
_TIER: Final = {Tier.PRODUCT: 40, Tier.COMPONENT: 15, Tier.BLOG: 0}
_EXACT_NAME, _EXACT_VARIANT, _EXACT_ALIAS, _EXACT_SLUG = 1000, 960, 940, 900
_OTHERWISE_SPELT: Final = 50
_EXACT_TIER: Final = {Tier.PRODUCT: 300, Tier.COMPONENT: 150, Tier.BLOG: 0}
_TIERS: Final = {tier: place for place, tier in enumerate(Tier)}
_KINDS: Final = {kind: place for place, kind in enumerate(Kind)}
_BEGINNINGS: Final = 300  # words that begin as a word of the search does
_UNKNOWN_WORDS: Final = 2  # of a search that may be misspelt
_LEAST_SIMILAR: Final = 60  # percent, of a slug to a wrong one

Hits: TypeAlias = Mapping[int, int]
"""Places of sources in the index, and how much a word of theirs counts."""


class IndexedSource(NamedTuple):
    """What of a source is searched, and what a search can be narrowed by."""

    id: int
    slug: str
    vendor: str
    name: str
    kind: Kind
    adapter_type: str
    tier: Tier
    tags: Sequence[str]
    aliases: Sequence[str] | None


class SearchIndex:
    """The index of one version of a catalog."""

    def __init__(self, sources: Iterable[IndexedSource]) -> None:
        self.sources: Final = sorted(sources, key=_static_order)
        self._slugs: Final = sorted(source.slug for source in self.sources)
        self._of_vendor: Final = {
            vendor: list(slugs) for vendor, slugs in groupby(self._slugs, _vendor_of)
        }
        self._places: Final = {source.slug: place for place, source in enumerate(self.sources)}
        self._names: Final = [words_of(source.name) for source in self.sources]
        self._exact: Final = _titles(self.sources)
        self._hits: Final = _words(self.sources)
        self._words: Final = sorted(self._hits)
        self._text: Final = "\n".join(["", *self._words, ""])
        self._by_length: Final = _by_length(self._words)
        self._listed: Final = sorted(self.sources, key=_by_tier)
        self._ranked: Final = lru_cache(maxsize=REMEMBERED)(self._rank)

    def find(
        self, text: str, accepts: Callable[[IndexedSource], bool] = lambda _: True
    ) -> list[IndexedSource]:
        """Return the sources that a search means and ``accepts`` lets through, in order."""
        return [source for source in self._ranked(text) if accepts(source)]

    def listed(self, accepts: Callable[[IndexedSource], bool]) -> list[IndexedSource]:
        """Return the sources that ``accepts`` lets through, products first, then by slug."""
        return [source for source in self._listed if accepts(source)]

    def near(self, slug: str, *, most: int) -> list[str]:
        """Return slugs that are similar to a wrong one: of the same vendor, if there is one."""
        pool = self._of_vendor.get(_vendor_of(slug), self._slugs)
        matches = process.extract(
            slug, pool, scorer=fuzz.ratio, score_cutoff=_LEAST_SIMILAR, limit=most
        )
        return [match for match, *_ in matches]

    def _rank(self, text: str) -> tuple[IndexedSource, ...]:
        words = _searched(text)
        unversioned = [word for word in words if not is_version(word)]
        scores = self._scores(text, words)
        if not scores and 0 < len(unversioned) < len(words):
            scores = self._scores(" ".join(unversioned), unversioned)
        best = sorted(scores, key=lambda place: (-scores[place], place))
        return tuple(self.sources[place] for place in best)

    def _scores(self, text: str, words: Sequence[str]) -> Hits:
        """Return the sources that a text means and how much so."""
        exact = self._exactly(text, words)
        scores = self._by_words(words) if 0 < len(words) <= MOST_WORDS else {}
        return {place: scores.get(place, 0) + exact.get(place, 0) for place in {*scores, *exact}}

    def _exactly(self, text: str, words: Sequence[str]) -> Hits:
        """Return the sources that are called exactly so."""
        hits: dict[int, int] = {}
        for number, spelling in enumerate(_spellings(text, words)):
            for place, score in self._exact.get(spelling, {}).items():
                hits[place] = max(
                    score if number == 0 else score - _OTHERWISE_SPELT, hits.get(place, 0)
                )
        if (named := self._places.get(text.strip().casefold())) is not None:
            hits[named] = 2 * (_EXACT_NAME + _EXACT_TIER[Tier.PRODUCT])
        return hits

    def _by_words(self, words: Sequence[str]) -> Hits:
        """Return the sources in which every word occurs, with what their words count together.

        Words that occur nowhere are taken for parts of words, or for misspelt ones.
        """
        occurrences = [self._occurrences(words, place) for place in range(len(words))]
        if together := self._together(words, occurrences):
            return together
        unknown = [place for place, hits in enumerate(occurrences) if not hits]
        if not 0 < len(unknown) <= _UNKNOWN_WORDS:
            return {}
        for place in unknown:
            occurrences[place] = self._containing(words[place]) or self._similar(words[place])
        return self._together(words, occurrences)

    def _together(self, words: Sequence[str], occurrences: Sequence[Hits]) -> Hits:
        first, *others = sorted(occurrences, key=len)
        places = [place for place in first if all(place in hits for hits in others)]
        return {
            place: sum(hits[place] for hits in occurrences) // len(occurrences)
            + _TIER[self.sources[place].tier]
            + self._coverage(place, words)
            for place in places
        }

    def _coverage(self, place: int, words: Sequence[str]) -> int:
        """Return how much of a name is searched for: a short name is more likely meant."""
        name = self._names[place]
        return 30 * sum(word in words for word in name) // len(name) if name else 0

    def _occurrences(self, words: Sequence[str], place: int) -> Hits:
        """Return where a word occurs: whole, joined to a neighbour, as a synonym or a beginning."""
        word = words[place]
        hits: dict[int, int] = {}
        for longer in self._beginning_with(word):
            _count(hits, self._hits[longer], 50)
        for other in same_words().get(word, ()):
            _count(hits, self._hits.get(other, {}), 90)
        for together in joined(words[max(0, place - 1) : place + 2]):
            _count(hits, self._hits.get(together, {}), 100)
        _count(hits, self._hits.get(word, {}), 100)
        return hits

    def _beginning_with(self, word: str) -> Iterator[str]:
        start = bisect_left(self._words, word)
        words = islice(self._words, start, start + _BEGINNINGS)
        return takewhile(lambda longer: longer.startswith(word), words)

    def _containing(self, word: str) -> Hits:
        """Return where a longer word occurs that has this one in its midst."""
        hits: dict[int, int] = {}
        start = self._text.find(word)
        while start >= 0:
            first, end = self._text.rindex("\n", 0, start) + 1, self._text.index("\n", start)
            _count(hits, self._hits[self._text[first:end]], 40)
            start = self._text.find(word, end)
        return hits

    def _similar(self, word: str) -> Hits:
        """Return where a similar word occurs: one slip in a short word, two in a long one."""
        slips = 0 if len(word) < 4 else 1 if len(word) < 8 else 2
        hits: dict[int, int] = {}
        for length in range(len(word) - slips, len(word) + slips + 1) if slips else ():
            for other, distance, _ in process.extract(
                word,
                self._by_length.get(length, ()),
                scorer=OSA.distance,
                score_cutoff=slips,
                limit=None,
            ):
                _count(hits, self._hits[other], 60 // distance)
        return hits


def _count(hits: dict[int, int], more: Hits, percent: int) -> None:
    """Add hits at a part of their worth, where they are worth more than those that are there."""
    for place, score in more.items():
        worth = score * percent // 100
        if worth > hits.get(place, 0):
            hits[place] = worth


def _static_order(source: IndexedSource) -> tuple[int, int, int, str]:
    return _TIERS[source.tier], len(source.name.split()), _KINDS[source.kind], source.slug


def _by_tier(source: IndexedSource) -> tuple[int, str]:
    return _TIERS[source.tier], source.slug


def _vendor_of(slug: str) -> str:
    return slug.partition(".")[0]


def _by_length(words: Iterable[str]) -> dict[int, list[str]]:
    lengths: defaultdict[int, list[str]] = defaultdict(list)
    for word in words:
        lengths[len(word)].append(word)
    return dict(lengths)


def _searched(text: str) -> list[str]:
    """Return the words that a source must have: without those that every source could have."""
    words = words_of(text)[: MOST_WORDS + 1]
    return [word for word in words if word not in GENERIC] or words


def _spellings(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield how a title may be written, as one word, that is searched for."""
    yield squeezed(text[:400])
    yield "".join(words)
    for place, word in enumerate(words[:MOST_WORDS]):
        for other in same_words().get(word, ()):
            yield "".join([*words[:place], other, *words[place + 1 :]])


def _words(sources: Sequence[IndexedSource]) -> dict[str, dict[int, int]]:
    """Return where each word occurs."""
    hits: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for place, source in enumerate(sources):
        for word, score in _words_of_source(source):
            if score > hits[word].get(place, 0):
                hits[word][place] = score
    return dict(hits)


def _words_of_source(source: IndexedSource) -> Iterator[tuple[str, int]]:
    vendor, _, product = source.slug.partition(".")
    for tag in source.tags:
        yield from _counted_tag(tag)
    yield from _counted_vendor(vendor)
    yield from _counted(product, _PRODUCT)
    for alias in source.aliases or ():
        yield from _counted(alias, _ALIAS)
    yield from _counted(source.name, _NAME)


@lru_cache(maxsize=VENDORS)
def _counted_tag(tag: str) -> tuple[tuple[str, int], ...]:
    return tuple(_counted(tag, _TAG))


@lru_cache(maxsize=VENDORS)
def _counted_vendor(vendor: str) -> tuple[tuple[str, int], ...]:
    names = (*vendor_names().get(vendor, ()), vendor)
    words = [counted for name in names for counted in _counted(name, _MAKER)]
    return (*words, (squeezed(vendor), _VENDOR))


def _counted(text: str, score: int) -> Iterator[tuple[str, int]]:
    words = words_of(text)
    for part in parts_of(text):
        yield part, score * 8 // 10
    for together in joined(words):
        yield together, score
    if len(words) > 2:
        yield "".join(words), score
    for word in words:
        yield word, score


def _titles(sources: Sequence[IndexedSource]) -> dict[str, dict[int, int]]:
    """Return by each title, written as one word, who bears it and how surely."""
    titles: defaultdict[str, dict[int, int]] = defaultdict(dict)
    makers = {maker for source in sources for maker in _makers(source)}
    for place, source in enumerate(sources):
        tier = _EXACT_TIER[source.tier]
        for title, score in _titles_of_source(source, makers):
            if title and score + tier > titles[title].get(place, 0):
                titles[title][place] = score + tier
    return dict(titles)


def _titles_of_source(source: IndexedSource, vendors: Set[str]) -> Iterator[tuple[str, int]]:
    """Yield the titles of a source; its own name without its maker's may not be another maker's."""
    product = source.slug.partition(".")[2]
    makers = _makers(source)
    name = squeezed(source.name)
    yield name, _EXACT_NAME
    yield squeezed(product), _EXACT_SLUG
    for maker in makers:
        own = name.removeprefix(maker)
        if own and own not in vendors:
            yield own, _EXACT_VARIANT
            yield from ((maker + own, _EXACT_VARIANT) for maker in makers)
    for alias in source.aliases or ():
        yield squeezed(alias), _EXACT_ALIAS


@lru_cache(maxsize=VENDORS)
def _makers_of(vendor: str) -> tuple[str, ...]:
    return tuple(squeezed(name) for name in (vendor, *vendor_names().get(vendor, ())))


def _makers(source: IndexedSource) -> tuple[str, ...]:
    """Return the names of the vendor of a source, each as one word."""
    return _makers_of(source.vendor)
