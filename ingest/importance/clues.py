"""Clues: what they are, where they are written down, and how they are found.

A clue is a named pattern over one sentence, in lower case. What it says holds unless a clue
"against" stands in the same sentence. The patterns are data, one file for each language under
``patterns/``; gaps inside a pattern are short and bounded, so matching stays linear in the
length of the text.
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ahocorasick_rs import AhoCorasick

from ingest.importance.lazy_pattern import LazyPattern
from openapi.vocabulary import Category

LANGUAGES = ("english", "german", "french", "spanish", "japanese", "chinese")

MOST_REMEMBERED = 50_000  # sets of clues

_PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"<([a-z]+)>")

Search: TypeAlias = Callable[[str], re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class Clue:
    """A named pattern. ``categories`` are those that it says, or takes back.

    ``needs`` are strings of which a text holds one where the pattern matches: a text that holds
    none is not searched. A ``plain`` clue counts under any heading. One that ``opens`` is only
    looked for where a sentence begins.
    """

    name: str
    categories: frozenset[Category]
    needs: tuple[str, ...]
    pattern: LazyPattern
    plain: bool = False
    opens: bool = False

    @property
    def search(self) -> Search:
        """Return what finds the first place of the pattern in a sentence."""
        return self.pattern.match if self.opens else self.pattern.search


class Clues(NamedTuple):
    """Clues by what they do: say a category, take it back, or name what is passed over."""

    says: tuple[Clue, ...] = ()
    against: tuple[Clue, ...] = ()
    names: tuple[Clue, ...] = ()


class Index:
    """Finds the clues that may match in a text: of most texts few.

    Sets of clues are numbers here, one bit for each clue. A text is searched for what all clues
    need at once.
    """

    def __init__(self, clues: Clues) -> None:
        self._places = [(part, clue) for part, some in enumerate(clues) for clue in some]
        clues_of_word: dict[str, int] = {}
        for place, (_, clue) in enumerate(self._places):
            for need in clue.needs:
                word = max(need.split(), key=len)  # a pattern may have other blanks between words
                clues_of_word[word] = clues_of_word.get(word, 0) | 1 << place
        self._words = AhoCorasick(clues_of_word)
        self._clues_of_words = [*clues_of_word.values()]
        self._chosen: dict[int, Clues] = {}

    def clues(self, folded: str) -> Clues:
        """Return the clues that are worth a search in a text."""
        words = {word for word, *_ in self._words.find_matches_as_indexes(folded, overlapping=True)}
        bits = reduce(or_, map(self._clues_of_words.__getitem__, words), 0)
        chosen = self._chosen.get(bits)
        if chosen is None:
            if len(self._chosen) >= MOST_REMEMBERED:
                self._chosen.clear()
            chosen = self._chosen[bits] = self._choose(bits)
        return chosen

    def _choose(self, bits: int) -> Clues:
        parts: tuple[list[Clue], ...] = ([], [], [])
        while bits:
            lowest = bits & -bits
            part, clue = self._places[lowest.bit_length() - 1]
            parts[part].append(clue)
            bits ^= lowest
        return Clues(*map(tuple, parts))


def _load(language: str) -> Clues:
    """Read the clues of one language, in the order of its file."""
    sections = _read(language)
    parts = sections.get("parts", {})
    says = (_clues(sections, category, (category,), parts) for category in Category)
    return Clues(
        says=tuple(chain.from_iterable(says)),
        against=_clues(sections, "against", tuple(Category), parts),
        names=_clues(sections, "names", (), parts),
    )


def _read(language: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_PATTERNS / f"{language}.toml").read_text(encoding="utf-8"))


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
            categories=frozenset(map(Category, written.get("only", "").split() or categories)),
            needs=tuple(written["needs"].split(";")),
            pattern=compiled(written["pattern"], parts),
            plain=written.get("plain", False),
            opens=written.get("opens", False),
        )
        for name, written in sections.get(section, {}).items()
    )


def compiled(pattern: str, parts: dict[str, str]) -> LazyPattern:
    """Return a pattern in which ``<name>`` stands for a part; all of it in lower case."""
    return LazyPattern(lambda: expanded(pattern, parts))


def expanded(pattern: str, parts: dict[str, str]) -> str:
    """Return a pattern with its parts written out."""
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern


def _openings() -> dict[str, LazyPattern]:
    """Read the verbs that items open with, by what they say."""
    sections = _read("english")
    return {
        name: compiled(pattern, sections["parts"]) for name, pattern in sections["openings"].items()
    }


def _all_clues() -> Clues:
    """Return the clues of every language."""
    return Clues(*map(tuple, map(chain.from_iterable, zip(*map(_load, LANGUAGES), strict=True))))


CLUES = _all_clues()
INDEX = Index(CLUES)
OPENINGS = _openings()
