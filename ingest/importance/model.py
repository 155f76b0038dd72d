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


def score(shown: Iterable[str]) -> list[float]:
    """Return the log-odds of each category; above zero the statement belongs to it.

    What is shown twice counts once.
    """
    breaking, deprecation, security = _BIAS
    for name in dict.fromkeys(filter(_WEIGHTS.__contains__, shown)):
        weight = _WEIGHTS[name]
        breaking += weight[0]
        deprecation += weight[1]
        security += weight[2]
    return [breaking, deprecation, security]


def _priors() -> Weights:
    """Return the strength of every clue, by feature name."""
    return {
        f"={clue.name}": tuple(
            clue.strength if clue.category in (category, None) else 0.0 for category in CATEGORIES
        )
        for clue in CLUES
    }


def _load(path: Path) -> tuple[tuple[float, ...], Weights]:
    """Read the shipped weights; a clue that was not learnt keeps its strength."""
    data = json.loads(path.read_text(encoding="utf-8"))
    learnt = {name: tuple(weights) for name, weights in data["weights"].items()}
    return tuple(data["bias"]), _PRIOR | learnt


_NOTHING = (0.0,) * len(CATEGORIES)
_PRIOR = _priors()
_BIAS, _WEIGHTS = _load(Path(__file__).with_name("weights.json"))
