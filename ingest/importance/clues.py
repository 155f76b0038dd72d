"""What a clue is, where the clues are written down, and how they are found.

A clue is a named pattern over the masked text of one statement. It does not decide:
the model weighs it together with the other clues and the words around it. The patterns
are data, one file for each language under ``patterns/``; gaps inside a pattern are
short and bounded, so matching stays linear in the length of the text.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.importance.masking import fold
from openapi.vocabulary import Category

_PATTERNS = Path(__file__).with_name("patterns")
ALWAYS = ""  # the stem of clues that need none
_PART = re.compile(r"<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Clue:
    """A named pattern. ``category`` is what it argues for; None argues against all.

    ``stems`` are words (as ``words.stem`` cuts them) without which the pattern cannot
    match: a statement that holds none of them is not searched. ``strength`` is its
    weight before anything is learnt, in log-odds; below zero for what argues against.
    A ``cased`` pattern is about capitals; the others are matched in lower case.
    """

    name: str
    category: Category | None
    strength: float
    stems: frozenset[str]
    pattern: re.Pattern[str]
    cased: bool = False


@dataclass(frozen=True, slots=True)
class Sighting:
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
    )


def compiled(pattern: str, parts: dict[str, str]) -> re.Pattern[str]:
    """Compile a pattern in which ``<name>`` stands for a part; all of it in lower case."""
    while _PART.search(pattern):
        pattern = _PART.sub(lambda found: parts[found[1]], pattern)
    return re.compile(pattern)


class Index:
    """Clues by the stems they need, in a fixed order."""

    def __init__(self, clues: Iterable[Clue]) -> None:
        self._clues = tuple(clues)
        self._by_stem: dict[str, set[int]] = {}
        for at, each in enumerate(self._clues):
            for stem in each.stems or {ALWAYS}:
                self._by_stem.setdefault(stem, set()).add(at)

    def sightings(self, masked: str, stems: set[str]) -> list[Sighting]:
        """Return the first place of every clue in a statement that holds ``stems``."""
        worth = set[int]().union(*(self._by_stem[stem] for stem in self._by_stem.keys() & stems))
        folded = fold(masked)
        found = []
        for at in sorted(worth):
            each = self._clues[at]
            match = each.pattern.search(masked if each.cased else folded)
            if match:
                found.append(Sighting(each, match.start(), match.end()))
        return found
