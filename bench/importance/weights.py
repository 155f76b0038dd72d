"""Rebuild the weights of the importance classifier from labelled changelog items.

    python -m importance.weights LABELS.jsonl [--half dev|test] [--out FILE]

Needs numpy (``pip install changewire[bench]``). Logistic regression, one category against
the rest, on the labelled items of both halves of the vendors, our own sentences and what
other changelogs show. Every clue starts from the strength written beside its pattern and
moves only as far as the labels insist; words start from nothing and weigh little, and
only words that several kinds of vendors use are learnt. Nothing is drawn at random: the
same labels give the same weights. What ships learns from both halves; what is measured
learns from one half and judges the other (``judge.py``).
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from importance.material import HALVES, Example, Item, half, material, read_items, vocabulary
from ingest.importance.model import CATEGORIES, Rows, prior

WEIGHTS = Path(__file__).parents[2] / "ingest/importance/weights.json"

SCALES = {"=": 1.0, "#": 0.6}  # what showing a clue or a form counts
WORD = 0.4  # what a word counts
STIFFNESS = 1.5  # how strongly a weight is held to where it began
OTHER_CATEGORY = 0.1  # what an item of another category counts as a negative
ROUNDS = 2  # how often the statement that speaks for an item is chosen anew
STEPS = 300  # of gradient descent in each round
SMALLEST = 0.02  # words below are not written
# Sums from which on a category is found, chosen by validation.py on the half dev.
THRESHOLDS = {"breaking": 0.4, "deprecation": -0.5, "security": -0.5}

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Table:
    """Statements as rows of a sparse table: features, and the item each belongs to."""

    names: list[str]
    rows: Integers
    columns: Integers
    values: Floats
    item: Integers

    def sums(self, bias: float, weights: Floats) -> Floats:
        """Return what the statements add up to."""
        shares = self.values * weights[self.columns]
        return bias + np.bincount(self.rows, weights=shares, minlength=len(self.item))

    def highest(self, sums: Floats, items: int) -> Floats:
        """Return the highest sum of each item's statements."""
        highest = np.full(items, -np.inf)
        np.maximum.at(highest, self.item, sums)
        return highest


def scale(name: str) -> float:
    """Return what showing a feature counts."""
    return SCALES.get(name[0], WORD)


def table(examples: list[Example], names: list[str]) -> Table:
    """Write the statements of examples as a table over the features in ``names``."""
    index = {name: at for at, name in enumerate(names)}
    rows: list[int] = []
    columns: list[int] = []
    item: list[int] = []
    for at, example in enumerate(examples):
        for shown in example.shown:
            found = [index[name] for name in shown if name in index]
            rows += [len(item)] * len(found)
            columns += found
            item.append(at)
    places = np.array(columns, dtype=np.int64)
    scales = np.array([scale(name) for name in names])
    return Table(names, np.array(rows), places, scales[places], np.array(item))


def learn(examples: list[Example], shown: Table, category: str) -> tuple[float, Floats]:
    """Return the bias and the weights of one category.

    An item belongs to the category when one of its statements does: from the second round
    on the statement with the highest sum speaks for a positive item; all statements of a
    negative item are negative.
    """
    position = [name.value for name in CATEGORIES].index(category)
    start = np.array([prior(name)[position] for name in shown.names])
    counts = np.array([_counts(example, category) for example in examples])[shown.item]
    belongs = np.array([category in example.labels for example in examples])
    target = np.where(belongs, 1.0, -1.0)[shown.item]
    bias, weights = -3.0, start.copy()
    for number in range(ROUNDS):
        sums = shown.sums(bias, weights)
        speaks = sums == shown.highest(sums, len(examples))[shown.item]
        chosen = (target < 0) | speaks | (sums > 1.0) | (number == 0)
        bias, weights = _descend(shown, target, counts * chosen, start, bias, weights)
    return bias, weights


def _counts(example: Example, category: str) -> float:
    """Return what an item counts: nothing when unsure, less when it is of another category."""
    if category in example.unsure:
        return 0.0
    is_other = bool(example.labels) and category not in example.labels
    return example.weight * (OTHER_CATEGORY if is_other else 1.0)


def _descend(
    shown: Table, target: Floats, counts: Floats, start: Floats, bias: float, weights: Floats
) -> tuple[float, Floats]:
    """Minimise the logistic loss by steps that shrink where the slope has been steep."""
    steep, steep_of_bias = np.full(len(weights), 1e-8), 1e-8
    for step in range(STEPS):
        margins = target * shown.sums(bias, weights)
        pull = -counts * target / (1.0 + np.exp(np.minimum(margins, 500.0)))
        pulled = pull[shown.rows] * shown.values
        slope = np.bincount(shown.columns, weights=pulled, minlength=len(weights))
        slope += STIFFNESS * (weights - start)
        rate = 0.5 / (1.0 + step / 50)
        steep += slope * slope
        weights = weights - rate * slope / np.sqrt(steep)
        steep_of_bias += pull.sum() ** 2
        bias -= float(rate * pull.sum() / np.sqrt(steep_of_bias))
    return bias, weights


def learnt(items: list[Item]) -> Rows:
    """Return what is learnt from these items, our sentences and the changelogs."""
    return rows_of(material(items))


def rows_of(examples: list[Example]) -> Rows:
    """Return what is learnt: under "" the biases, and every weight that says something."""
    shown = table(examples, vocabulary(examples))
    models = [learn(examples, shown, category.value) for category in CATEGORIES]
    rows: Rows = {}
    for at, name in enumerate(shown.names):
        values = tuple(round(float(weights[at]) * scale(name), 3) for _, weights in models)
        if name[0] == "=" or max(map(abs, values)) >= SMALLEST:
            rows[name] = values
    pairs = zip(CATEGORIES, models, strict=True)
    rows[""] = tuple(round(bias - THRESHOLDS[category.value], 3) for category, (bias, _) in pairs)
    return rows


def write(path: Path, rows: Rows) -> None:
    """Write one feature a line, so that a change of weights can be read as a diff."""
    lines = [
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(values)}"
        for name, values in sorted(rows.items())
    ]
    written = ",\n".join(lines)
    path.write_text(f"{{\n{written}\n}}\n", encoding="utf-8")


def main() -> None:
    """Read the labels, learn, write the weights."""
    parser = argparse.ArgumentParser(description="Rebuild the weights.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--half", choices=HALVES, help="learn from these vendors only")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    items = [
        item
        for item in read_items(options.labels)
        if options.half is None or half(item["vendor"]) == options.half
    ]
    rows = learnt(items)
    write(options.out, rows)
    print(f"{len(items)} labelled items, {len(rows) - 1} weights, biases {rows['']}")


if __name__ == "__main__":
    main()
