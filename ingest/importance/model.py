"""A linear model: what a statement shows, added up, one sum for each category.

The weights ship beside this module as data. ``bench/importance_weights.py`` rebuilds
them from a file of labels, starting from each clue's own strength and moving away from
it only as far as the labels insist.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from ingest.importance.features import CLUES
from openapi.vocabulary import Category

CATEGORIES: tuple[Category, ...] = tuple(Category)

Weights = dict[str, tuple[float, ...]]


def prior(name: str) -> tuple[float, ...]:
    """Return what a feature weighs before anything is learnt, in ``CATEGORIES``' order."""
    return _PRIOR.get(name, _NOTHING)


def score(shown: Iterable[str], category: Category) -> float:
    """Return the log-odds of a category; above zero the statement belongs to it.

    What is shown twice counts once. Weights are added as whole thousandths, so the sum
    is the same in every order.
    """
    weights = _WEIGHTS[category]
    known = weights.keys() & shown
    return (_BIAS[category] + sum(map(weights.__getitem__, known))) / 1_000


def _priors() -> Weights:
    """Return the strength of every clue, by feature name."""
    return {
        f"={clue.name}": tuple(
            clue.strength if clue.category in (category, None) else 0.0 for category in CATEGORIES
        )
        for clue in CLUES
    }


def _load(path: Path) -> tuple[dict[Category, int], dict[Category, dict[str, int]]]:
    """Read the shipped weights; a clue that was not learnt keeps its strength."""
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = _PRIOR | data["weights"]
    bias, weights = {}, {}
    for at, category in enumerate(CATEGORIES):
        bias[category] = _thousandths(data["bias"][at])
        counts = {name: _thousandths(row[at]) for name, row in rows.items()}
        weights[category] = {name: count for name, count in counts.items() if count}
    return bias, weights


def _thousandths(weight: float) -> int:
    return round(weight * 1_000)


_NOTHING = (0.0,) * len(CATEGORIES)
_PRIOR = _priors()
_BIAS, _WEIGHTS = _load(Path(__file__).with_name("weights.json"))
