"""An index of the catalog in memory: which sources a search means, the likeliest first.

Every word must occur in the name, an alias, the vendor, the slug or a tag of a source. Whole words
count more than their beginnings, a name more than a tag, and what is called exactly that comes
first; then products before components before blogs.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple, TypeAlias

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from openapi.vocabulary import Kind, Tier
from storage.catalog.search.words import GENERIC, same_words, vendor_names, words_of

MOST_WORDS: Final = 24  # of a search; no name has more
REMEMBERED: Final = 32  # searches, because people turn pages
_NAME, _ALIAS, _PRODUCT, _MAKER, _TAG = 100, 90, 70, 60, 10
_TIER: Final = {Tier.PRODUCT: 40, Tier.COMPONENT: 15, Tier.BLOG: 0}
_EXACT_NAME, _EXACT_OWN, _EXACT_ALIAS, _EXACT_SLUG = 1000, 960, 940, 900
_TIERS: Final = {tier: place for place, tier in enumerate(Tier)}
_LEAST_SIMILAR, _MOST_SIMILAR = 60, 85  # percent, of a slug to a wrong one
_SCORES: Final = 2048  # more than anything counts

Hits: TypeAlias = dict[int, int]
"""Places of sources in the index, and how much a word of theirs counts."""


class IndexedSource(NamedTuple):
    """The searchable text of a source, and the values that can narrow a search."""

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
        self.sources: Final = sorted(
            sources, key=lambda one: (_TIERS[one.tier], len(one.name.split()), one.kind, one.slug)
        )
        self._by_slug: Final = {source.slug: place for place, source in enumerate(self.sources)}
        self._words: Final = _Texts(map(_words, self.sources))
        self._titles: Final = _Texts(map(_titles, self.sources))
        self._listed: Final = sorted(self.sources, key=lambda each: (_TIERS[each.tier], each.slug))
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
        """Return slugs similar to an unknown one, of the same vendor if possible.

        A name alone may be that of a vendor and its product, or is searched for.
        """
        vendor, dot, _ = slug.partition(".")
        pool = [each for each in self._by_slug if each.startswith(f"{vendor}.")]
        pool, least = sorted(pool or self._by_slug), _LEAST_SIMILAR if dot else _MOST_SIMILAR
        near = slug if dot else f"{slug}.{slug}"
        matches = process.extract(near, pool, scorer=fuzz.ratio, score_cutoff=least, limit=most)
        found = [] if dot else [source.slug for source in self.find(slug)]
        alike = [match for match, *_ in matches[: most if dot else 1]]
        return list(dict.fromkeys((*alike, *found)))[:most]

    def _rank(self, text: str) -> tuple[IndexedSource, ...]:
        written = words_of(text)[: MOST_WORDS + 1]
        words = tuple(word for word in written if word not in GENERIC) or written
        unversioned = tuple(word for word in words if not word.removeprefix("v").isdigit())
        scores = self._scores(words, written) or self._scores(unversioned, unversioned)
        if (named := self._by_slug.get(text.strip().casefold())) is not None:
            scores[named] = 10 * _EXACT_NAME
        best = sorted(scores, key=lambda place: (-scores[place], place))
        return tuple(self.sources[place] for place in best)

    def _scores(self, words: Sequence[str], written: Sequence[str]) -> Hits:
        """Return the sources that words mean and how much so, those called exactly so first."""
        scores = self._by_words(words) if 0 < len(words) <= MOST_WORDS else {}
        exact = self._titles.hits((("".join(written), 100), ("".join(words), 95)))
        return {place: scores.get(place, 0) + exact.get(place, 0) for place in {*scores, *exact}}

    def _by_words(self, words: Sequence[str]) -> Hits:
        """Return the sources in which each word occurs: whole, begun, inside or misspelt."""
        occurrences = [self._occurrences(words, place) for place in range(len(words))]
        scores = self._together(occurrences)
        if scores or sum(not hits for hits in occurrences) > 2:
            return scores
        found = zip(words, occurrences, strict=True)
        return self._together([hits or self._loosely(word) for word, hits in found])

    def _together(self, occurrences: Sequence[Hits]) -> Hits:
        first, *others = sorted(occurrences, key=len)
        return {
            place: sum(hits[place] for hits in occurrences) // len(occurrences)
            + _TIER[self.sources[place].tier]
            for place in first
            if all(place in hits for hits in others)
        }

    def _occurrences(self, words: Sequence[str], place: int) -> Hits:
        """Return where a word occurs: whole, joined to a neighbour, as a synonym or a beginning."""
        word = words[place]
        joined = map("".join, pairwise(words[max(0, place - 1) : place + 2]))
        alike = [(f"{word}*", 50), *((each, 100) for each in (word, *joined))]
        return self._words.hits(alike + [(other, 90) for other in same_words().get(word, ())])

    def _loosely(self, word: str) -> Hits:
        """Return where a word is a part of another one, else where one with a slip or two is."""
        texts = self._words.texts
        if inside := self._words.hits((other, 40) for other in texts if word in other):
            return inside
        slips = 0 if len(word) < 4 else 1 if len(word) < 8 else 2
        alike = process.extract(word, texts, scorer=OSA.distance, score_cutoff=slips, limit=None)
        return self._words.hits((other, 60 // max(away, 1)) for other, away, _ in alike if slips)


class _Texts:
    """Texts in order and where they occur, in arrays: dicts would take ten times the memory."""

    def __init__(self, of_sources: Iterable[Iterable[tuple[str, int]]]) -> None:
        found = defaultdict[str, MutableSequence[int]](partial(array, "I"))
        for place, scored in enumerate(of_sources):
            for text, score in dict(sorted(scored)).items():  # the highest score of each
                found[text].append(place * _SCORES + score)
        self.texts: Final = sorted(found)
        occurrences = [found[text] for text in self.texts]
        self._ends: Final = array("I", accumulate(map(len, occurrences), initial=0))
        self._found: Final = array("I", chain.from_iterable(occurrences))

    def hits(self, alike: Iterable[tuple[str, int]]) -> Hits:
        """Return where texts are (``sky*``: what begins so), each in percent of what it counts."""
        hits: Hits = {}
        for text, percent in alike:
            start = bisect_left(self.texts, text.rstrip("*"))
            end = bisect_right(self.texts, text.replace("*", "\U0010ffff"))
            for found in self._found[self._ends[start] : self._ends[end]]:
                place, score = found // _SCORES, found % _SCORES * percent // 100
                if score > hits.get(place, 0):
                    hits[place] = score
        return hits


def _words(source: IndexedSource) -> Iterator[tuple[str, int]]:
    vendor, _, product = source.slug.partition(".")
    makers = (*vendor_names().get(vendor, ()), vendor)
    scored = [(source.name, _NAME), *((alias, _ALIAS) for alias in source.aliases or ())]
    scored += [(product, _PRODUCT), *((maker, _MAKER) for maker in makers)]
    scored += [(tag, _TAG) for tag in source.tags]
    for text, score in scored:
        words = words_of(text)
        joined = map("".join, pairwise(words))  # neighbours that are written as one word
        yield from ((word, score) for word in (*words, *joined, "".join(words)))


def _titles(source: IndexedSource) -> Iterator[tuple[str, int]]:
    """Yield what a source is called, each as one word: ``Big Query`` is ``bigquery``."""
    tier = 300 * (len(_TIERS) - 1 - _TIERS[source.tier]) // (len(_TIERS) - 1)
    name = "".join(words_of(source.name))
    vendors = (source.vendor, *vendor_names().get(source.vendor, ()))
    makers = ["".join(words_of(each)) for each in vendors]
    yield name, _EXACT_NAME + tier
    yield "".join(words_of(source.slug.partition(".")[2])), _EXACT_SLUG + tier
    yield from (("".join(words_of(alias)), _EXACT_ALIAS + tier) for alias in source.aliases or ())
    for maker in makers:
        if own := name.removeprefix(maker):
            yield own, _EXACT_OWN + tier
            yield from ((other + own, _EXACT_OWN + tier) for other in makers)
