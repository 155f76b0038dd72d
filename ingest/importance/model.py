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
    """Weights by feature and category, as whole thousandths: sums are exact in any order."""

    def __init__(self, rows: Rows) -> None:
        """Take learnt weights; a clue that was not learnt keeps its strength."""
        weights_of = _PRIOR | rows
        self._weights = {
            name: tuple(round(weight * 1_000) for weight in row)
            for name, row in weights_of.items()
            if any(row)
        }
        self._biases = self._weights.pop("", (0,) * len(CATEGORIES))

    def scores(self, features: Iterable[str]) -> dict[Category, float]:
        """Return the log-odds of each category; above zero the statement belongs to it."""
        biases = zip(self._biases, self.sums(features).items(), strict=True)
        return {category: bias / 1_000 + added for bias, (category, added) in biases}

    def sums(self, features: Iterable[str]) -> dict[Category, float]:
        """Return what features add to the log-odds; a feature that is named twice counts once."""
        rows = [self._weights[name] for name in self._weights.keys() & features]
        columns = zip(*rows, strict=True) if rows else ((0,) for _ in CATEGORIES)
        return {
            category: sum(column) / 1_000
            for category, column in zip(CATEGORIES, columns, strict=True)
        }


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
