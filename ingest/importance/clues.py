"""Clues: what they are, where they are written down, and how they are found.

A clue is a named pattern over the masked text of one statement. It does not decide:
the model weighs it together with the other clues and the words around it. The patterns
are data, one file for each language under ``patterns/``; gaps inside a pattern are
short and bounded, so matching stays linear in the length of the text.
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ingest.importance.lazy_pattern import LazyPattern
from ingest.importance.letter_prefix import with_letter_prefix
from ingest.importance.mask import fold
from ingest.importance.words import MOST_REMEMBERED, stem
from openapi.vocabulary import Category

_PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"<([a-z]+)>")
_LETTERS = re.compile(r"[^\W\d_]+")

Search: TypeAlias = Callable[[str], re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class Clue:
    """A named pattern. ``category`` is what it argues for; None argues against all.

    ``stems`` are words (as ``words.stem`` cuts them) without which the pattern cannot
    match: a statement that holds none of them is not searched. Where the pattern needs
    one more word, ``also`` is what that can be. ``strength`` is its
    weight before anything is learnt, in log-odds; below zero for what argues against.
    A ``cased`` pattern is about capitals; the others are matched in lower case. One that
    ``opens`` is only looked for where the statement begins.
    """

    name: str
    category: Category | None
    strength: float
    stems: frozenset[str]
    pattern: LazyPattern
    cased: bool = False
    opens: bool = False
    also: frozenset[str] = frozenset()

    @property
    def search(self) -> Search:
        """Return what finds the first place of the pattern in a statement."""
        return self.pattern.match if self.opens else self.pattern.search


class Sighting(NamedTuple):
    """A clue that was found, with offsets into the statement."""

    clue: Clue
    start: int
    end: int


def load(language: str) -> tuple[Clue, ...]:
    """Read the clues of one language, in the order of its file."""
    path = _PATTERNS / f"{language}.toml"
    sections: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = sections.pop("parts", {})
    return tuple(
        _clue(name, section, written, parts)
        for section, clues in sections.items()
        for name, written in clues.items()
    )


def _clue(name: str, section: str, written: dict[str, Any], parts: dict[str, str]) -> Clue:
    """Build a clue from its line; ``<name>`` in a pattern stands for a part."""
    return Clue(
        name=name,
        category=None if section == "against" else Category(section),
        strength=float(written["strength"]),
        stems=frozenset(written["stems"].split()),
        pattern=compiled(written["pattern"], parts),
        cased=written.get("cased", False),
        opens=written.get("opens", False),
        also=frozenset(written.get("also", "").split()),
    )


def compiled(pattern: str, parts: dict[str, str]) -> LazyPattern:
    """Return a pattern in which ``<name>`` stands for a part; all of it in lower case."""
    return LazyPattern(lambda: with_letter_prefix(expanded(pattern, parts)))


def expanded(pattern: str, parts: dict[str, str]) -> str:
    """Return a pattern with its parts written out."""
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern


class Index:
    """Clues by the stems they need, in a fixed order.

    Sets of clues are numbers here, one bit for each clue: what the words of a statement
    make worth a search is the union of what each of them does, and that is remembered.
    """

    def __init__(self, clues: Iterable[Clue]) -> None:
        self._clues = tuple(clues)
        size = len(self._clues)
        everything = (1 << size) - 1
        arguing = sum(1 << at for at, clue in enumerate(self._clues) if clue.category)
        self._parts = (arguing, everything & ~arguing)
        self._free = sum(1 << at for at, clue in enumerate(self._clues) if not clue.also)
        self._always = sum(1 << at for at, clue in enumerate(self._clues) if not clue.stems)
        self._pieces = _Pieces(self._clues)
        self._searches = _Searches(self._clues)
        self._size = size

    def sightings(self, masked: str, *, unspaced: bool, all_of_them: bool) -> list[Sighting]:
        """Return the first place of every clue in a statement, arguments first.

        ``unspaced`` texts are searched for the clues that need no stem, too. What argues
        against all is left out where nothing argues for anything, unless
        ``all_of_them`` are asked for.
        """
        bits = reduce(or_, map(self._pieces.__getitem__, masked.split()), 0)
        worth = bits & (bits >> self._size | self._free)
        if unspaced:
            worth |= self._always
        arguing, against = self._parts
        if not (worth & arguing or (all_of_them and worth)):
            return []
        folded = fold(masked)
        sightings = self._matching(worth & arguing, masked, folded)
        if sightings or all_of_them:
            sightings += self._matching(worth & against, masked, folded)
        return sightings

    def _matching(self, worth: int, masked: str, folded: str) -> list[Sighting]:
        sightings = []
        for clue, search in self._searches[worth]:
            match = search(masked if clue.cased else folded)
            if match:
                sightings.append(Sighting(clue, *match.span()))
        return sightings


class _Pieces(dict[str, int]):
    """The clues that a piece of text between blanks speaks for.

    The lower half of the bits is what it is a stem of, the upper half what it goes with.
    """

    def __init__(self, clues: tuple[Clue, ...]) -> None:
        super().__init__()
        self._stems: dict[str, int] = {}
        self._also: dict[str, int] = {}
        for at, clue in enumerate(clues):
            for stem_ in clue.stems:
                self._stems[stem_] = self._stems.get(stem_, 0) | 1 << at
            for stem_ in clue.also:
                self._also[stem_] = self._also.get(stem_, 0) | 1 << (at + len(clues))

    def __missing__(self, piece: str) -> int:
        """Remember a new piece; begin anew when there are too many."""
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        bits = 0
        for letters in _LETTERS.findall(fold(piece)):
            stemmed = stem(letters) if letters.isascii() else letters
            bits |= self._stems.get(stemmed, 0) | self._also.get(stemmed, 0)
        self[piece] = bits
        return bits


class _Searches(dict[int, tuple[tuple[Clue, Search], ...]]):
    """The clues of a set, in order, each with its search."""

    def __init__(self, clues: tuple[Clue, ...]) -> None:
        super().__init__()
        self._clues = clues

    def __missing__(self, bits: int) -> tuple[tuple[Clue, Search], ...]:
        """Remember a new set; begin anew when there are too many."""
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        chosen = self[bits] = tuple(
            (clue, clue.search) for at, clue in enumerate(self._clues) if bits >> at & 1
        )
        return chosen
