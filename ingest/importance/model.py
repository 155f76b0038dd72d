"""A linear model: what a statement shows, added up, one sum for each category.

The weights ship beside this module as data. ``bench/importance/weights.py`` rebuilds
them from a file of labels, starting from each clue's own strength and moving away from
it only as far as the labels insist.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import orjson

from ingest.importance.features import CLUES
from openapi.vocabulary import Category

CATEGORIES: tuple[Category, ...] = tuple(Category)

# A weight for each category, in their order, by feature; under "" the biases.
Rows: TypeAlias = dict[str, tuple[float, ...]]


class Model:
    """Weights by category and feature, as whole thousandths: sums are exact in any order."""

    def __init__(self, rows: Rows) -> None:
        """Take learnt weights; a clue that was not learnt keeps its strength."""
        known = _PRIOR | rows
        self._weights = {
            category: {name: round(row[at] * 1_000) for name, row in known.items() if row[at]}
            for at, category in enumerate(CATEGORIES)
        }
        self._biases = {category: weights.pop("", 0) for category, weights in self._weights.items()}

    def score(self, features: Iterable[str], category: Category) -> float:
        """Return the log-odds of a category; above zero the statement belongs to it."""
        return self._biases[category] / 1_000 + self.sum(features, category)

    def sum(self, features: Iterable[str], category: Category) -> float:
        """Return what features add to the log-odds; what is shown twice counts once."""
        weights = self._weights[category]
        return sum(map(weights.__getitem__, weights.keys() & features)) / 1_000


def prior(name: str) -> tuple[float, ...]:
    """Return what a feature weighs before anything is learnt, in ``CATEGORIES``' order."""
    return _PRIOR.get(name, _NOTHING)


def _priors() -> Rows:
    """Return the strength of every clue, by feature name."""
    return {
        f"={clue.name}": tuple(
            clue.strength if clue.category in (category, None) else 0.0 for category in CATEGORIES
        )
        for clue in CLUES
    }


_NOTHING = (0.0,) * len(CATEGORIES)
_PRIOR = _priors()
MODEL = Model(orjson.loads(Path(__file__).with_name("weights.json").read_bytes()))
