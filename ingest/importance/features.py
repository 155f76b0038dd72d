"""Describes a statement to the model: its clues and its words, alone and in pairs."""

import re
from itertools import pairwise

from ingest.importance.clues import ALWAYS, Clue, Index, Sighting, load
from ingest.importance.words import CODE, NAME, NUMBER, VERSION, words

_SPACED = ("english", "german", "french", "spanish")
_UNSPACED = ("japanese", "chinese")  # no word tells where a clue may be: each is tried

CLUES: tuple[Clue, ...] = tuple(clue for language in _SPACED + _UNSPACED for clue in load(language))

_INDEX = Index(CLUES)
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PLACEHOLDERS = frozenset((CODE, NAME, NUMBER, VERSION))


def features(masked: str) -> tuple[list[str], list[Sighting]]:
    """Return the names of what a statement shows, and where its clues stand.

    ``=name`` is a clue, ``^word`` the word it opens with, the others are words and
    pairs of words, placeholders left out. Each name comes once and always in the same
    order, so that sums of weights are the same to the last bit everywhere.
    """
    said = words(masked)
    stems = set(said)
    if not masked.isascii() and _EAST_ASIAN.search(masked):
        stems.add(ALWAYS)
    found = _INDEX.sightings(masked, stems)
    plain = [word for word in said if word not in _PLACEHOLDERS]
    names = [f"={sighting.clue.name}" for sighting in found]
    names += plain
    names += [f"{one} {two}" for one, two in pairwise(plain)]
    if plain:
        names.append(f"^{plain[0]}")
    return list(dict.fromkeys(names)), found
