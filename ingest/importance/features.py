"""The features of a statement: its clues, its words alone and in pairs, its form."""

import re
from itertools import pairwise

from ingest.importance.clues import Clue, Index, Sighting, load
from ingest.importance.form import form
from ingest.importance.words import PLACEHOLDERS, words

_SPACED = ("english", "german", "french", "spanish")
_UNSPACED = ("japanese", "chinese")  # no word tells where a clue may be: each is tried

CLUES: tuple[Clue, ...] = tuple(clue for language in _SPACED + _UNSPACED for clue in load(language))

_INDEX = Index(CLUES)
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_COMPONENT = re.compile(r"[^:\n]{1,80}?(?: -|:) +")
_OPENING = 100  # characters that surely hold two words


def clues_of(masked: str, *, all_of_them: bool = True) -> list[Sighting]:
    """Return the clues of a statement, arguments first.

    With ``all_of_them`` false it is empty where nothing argues for any category.
    """
    unspaced = not masked.isascii() and _EAST_ASIAN.search(masked) is not None
    return _INDEX.sightings(masked, unspaced=unspaced, all_of_them=all_of_them)


def features(masked: str, words_: list[str]) -> list[str]:
    """Return the names of what a statement shows besides its clues.

    Words and pairs of neighbours stand for themselves, pairs once with and once without
    the placeholders between them; ``^`` marks what the statement opens with behind a
    component's name ("parser - ", "build: "); ``#`` is its form.
    """
    if PLACEHOLDERS.isdisjoint(words_):
        plain = words_
        names = [*words_, *map(" ".join, pairwise(words_))]
    else:
        plain = [word for word in words_ if word not in PLACEHOLDERS]
        names = [*plain, *map(" ".join, pairwise(plain)), *map(" ".join, pairwise(words_))]
    component = _COMPONENT.match(masked) if " -" in masked or ": " in masked else None
    opening = words(masked[component.end() :][:_OPENING])[:2] if component else words_[:2]
    if opening:
        names += (f"^{opening[0]}", f"^{' '.join(opening)}")
    start = component.end() if component else 0
    return names + form(masked, plain, len(words_) - len(plain), start)
