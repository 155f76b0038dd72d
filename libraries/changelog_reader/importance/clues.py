"""Clues: what they are, where they are written down, and how they are found.

A clue is a named pattern over one sentence, in lower case. What it says holds unless a clue
"against" is in the same sentence. The patterns are data, in files under ``patterns/``; gaps
inside a pattern are short and bounded, so matching stays linear in the length of the text.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from ahocorasick_rs import AhoCorasick

from changelog_reader.importance.lazy_pattern import LazyPattern, written
from changelog_reader.importance.needs import Needs, needs_of
from changelog_reader.vocabulary import Category

LANGUAGES = ("english", "other_languages")

Search: TypeAlias = Callable[[str], re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class Clue:
    """A named pattern. ``categories`` are those that it says, or takes back.

    A ``plain`` clue counts under any heading, and one that says it ``outright``, unless another
    one ``denies`` it. One that ``opens`` is only looked for where a sentence begins.
    """

    name: str
    categories: frozenset[Category]
    pattern: LazyPattern
    plain: bool = False
    opens: bool = False
    outright: bool = False
    denies: bool = False

    @property
    def search(self) -> Search:
        """Return what finds the first place of the pattern in a sentence."""
        return self.pattern.match if self.opens else self.pattern.search


class Clues(NamedTuple):
    """Clues by what they do: say a category, take it back, or name what is passed over."""

    says: tuple[Clue, ...] = ()
    against: tuple[Clue, ...] = ()
    names: tuple[Clue, ...] = ()


def _worth_searching(clues: Sequence[Clue]) -> Callable[[str], list[Clue]]:
    """Return a function that finds the clues that are worth a search in a text: of most texts few.

    A text is searched for what all clues need at once (docs/decisions/0100).
    """
    index = cache(lambda: _index(clues))  # made when it is first asked, as that takes 50 ms

    def search(folded: str) -> list[Clue]:
        words, ways, always = index()
        places = set(always)
        matches = words.find_matches_as_indexes(folded, overlapping=True)
        for found in {found for found, *_ in matches}:
            for place, others in ways[found]:
                for need in others:
                    for word in need:
                        if word in folded:
                            break
                    else:
                        break
                else:
                    places.add(place)
        return [clues[place] for place in sorted(places)]

    return search


def _index(
    clues: Sequence[Clue],
) -> tuple[AhoCorasick, list[list[tuple[int, Needs]]], list[int]]:
    """Return words, by each the places of clues with what else they need, and places for any text.

    A clue is found by the rarest words that it needs.
    """
    needing: dict[str, list[tuple[int, Needs]]] = {}
    for place, clue in enumerate(clues):
        for rarest, *others in needs_of(clue.pattern.written_out):
            for word in rarest:
                needing.setdefault(word, []).append((place, tuple(others)))
    always = [place for place, _ in needing.pop("", [])]
    return AhoCorasick(needing), [*needing.values()], always


def _load(language: str) -> Clues:
    """Read the clues of one file, in its order."""
    sections = written(language)
    parts = sections.get("parts", {})
    says = (_clues(sections, category, (category,), parts) for category in Category)
    return Clues(
        says=tuple(chain.from_iterable(says)),
        against=_clues(sections, "against", tuple(Category), parts),
        names=_clues(sections, "names", (), parts),
    )


def _clues(
    sections: dict[str, dict[str, Any]],
    section: str,
    categories: tuple[Category, ...],
    parts: dict[str, str],
) -> tuple[Clue, ...]:
    """Build the clues of a section; ``<name>`` in a pattern stands for a part."""
    return tuple(
        Clue(
            name=name,
            categories=frozenset(map(Category, clue.get("only", "").split() or categories)),
            pattern=LazyPattern(clue["pattern"], parts),
            plain=clue.get("plain", False) or clue.get("outright", False),
            opens=clue.get("opens", False),
            outright=clue.get("outright", False),
            denies=clue.get("denies", False),
        )
        for name, clue in sections.get(section, {}).items()
    )


CLUES = Clues(*map(tuple, map(chain.from_iterable, zip(*map(_load, LANGUAGES), strict=True))))
SAYS, AGAINST, NAMES = map(_worth_searching, CLUES)
_ENGLISH = written("english")
OPENINGS = {  # the verbs that items open with, by what they say
    name: LazyPattern(pattern, _ENGLISH["parts"]) for name, pattern in _ENGLISH["openings"].items()
}
