"""Rebuild the weights of the importance classifier from labelled changelog items.

    python bench/importance_weights.py LABELS.jsonl [--out FILE]

Logistic regression, one category against the rest, on the half ``dev`` of the vendors
and on our own sentences beside this file. Every clue starts from the strength written
beside its pattern and moves only as far as the labels insist; words start from nothing
and weigh little, and only words that several kinds of vendors use are learnt. Nothing is
drawn at random: the same labels give the same weights.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from importance import half

from ingest.importance.features import clues_of, features
from ingest.importance.model import CATEGORIES, prior
from ingest.importance.statements import statements
from ingest.importance.words import words

WEIGHTS = Path(__file__).parent.parent / "ingest/importance/weights.json"
SENTENCES = Path(__file__).parent / "importance_data/sentences.txt"

WORD = 0.3  # what a word counts beside a clue
STIFFNESS = 3.0  # how strongly a weight is held to where it began
OTHERS = 0.2  # what an item of another category counts as a negative
OWN = 2.0  # what one of our own sentences counts
ROUNDS = 4  # how often the statement that speaks for an item is chosen anew
STEPS = 60  # of gradient descent in each round
FEWEST_VENDORS, FEWEST_KINDS = 3, 2  # that must use a word
SMALLEST = 0.004  # weights below are not written
THRESHOLDS = {"breaking": -0.2, "deprecation": -1.5, "security": -1.5}  # chosen on dev

# A label is the vendor's heading. "Deprecations" also lists what is gone by now, and
# "breaking changes" what will be: what is plainly said is learnt as what it says.
GONE = frozenset(
    f"={name}"
    for name in (
        "deprecated and gone",
        "is gone",
        "leads with removal",
        "drops support",
        "support is dropped",
        "no longer supported",
    )
)
COMING = frozenset(
    f"={name}"
    for name in (
        "will be removed",
        "leads with deprecate",
        "marked deprecated",
        "will stop",
        "removal planned",
        "end of life",
        "sunset",
    )
)
SAID = COMING | {"=is deprecated"}


@dataclass(slots=True)
class Example:
    """An item: what its statements show, what it is, and what it may be (not learnt)."""

    shown: list[list[str]]
    vendor: str
    kind: str
    labels: frozenset[str]
    unsure: frozenset[str] = frozenset()
    weight: float = 1.0
    values: list[list[tuple[int, float]]] = field(default_factory=list)


def shows(masked: str) -> list[str]:
    """Return what a statement shows, each once."""
    said = words(masked)
    return list(dict.fromkeys(features(masked, said, clues_of(masked))))


def from_labels(path: Path) -> Iterator[Example]:
    """Yield the items of the development half."""
    for line in path.read_text(encoding="utf-8").splitlines():
        item: dict[str, Any] = json.loads(line)
        if half(item["vendor"]) != "dev":
            continue
        title = "" if item["text"][:15] == item["title"][:15] else item["title"]
        shown = [shows(each.masked) for each in statements(title, item["text"])]
        labels, unsure = meaning(item["label"], frozenset(name for each in shown for name in each))
        kind = item["vendor"].split("/")[0]
        yield Example(shown[:40] or [[]], item["vendor"], kind, labels, unsure)


def meaning(label: str, said: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return what an item is learnt as, and of which categories nothing is learnt."""
    if label == "deprecation":
        if said & GONE and not said & COMING:
            return frozenset({"breaking"}), frozenset()
        return frozenset({label}), frozenset()
    if label == "breaking" and said & SAID:
        if said & GONE:
            return frozenset({label}), frozenset({"deprecation"})
        return frozenset({label, "deprecation"}), frozenset()
    if label == "security":
        return frozenset({label}), frozenset({"breaking", "deprecation"})
    return frozenset({label} - {"none"}), frozenset()


def from_sentences(path: Path) -> Iterator[Example]:
    """Yield our own sentences."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            label, text = line.split(" | ", 1)
            shown = [shows(each.masked) for each in statements("", text)]
            labels = frozenset(label.split("+")) - {"none"}
            yield Example(shown, "our own", "our own", labels, weight=OWN)


def vocabulary(examples: list[Example]) -> list[str]:
    """Return the features that are learnt: every clue, and words of several vendors."""
    vendors: dict[str, set[str]] = defaultdict(set)
    kinds: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        for name in {name for each in example.shown for name in each}:
            vendors[name].add(example.vendor)
            kinds[name].add(example.kind)
    return sorted(
        name
        for name in vendors
        if name.startswith("=")
        or (len(vendors[name]) >= FEWEST_VENDORS and len(kinds[name]) >= FEWEST_KINDS)
    )


def learn(examples: list[Example], names: list[str], category: str) -> tuple[float, list[float]]:
    """Return the bias and the weights of one category.

    An item belongs to the category when one of its statements does: in each round the
    statement with the highest sum speaks for a positive item, and all of a negative
    item's statements are negative.
    """
    position = [each.value for each in CATEGORIES].index(category)
    start = [prior(name)[position] if name.startswith("=") else 0.0 for name in names]
    bias, weights = -3.0, list(start)
    for number in range(ROUNDS):
        rows = list(_rows(examples, category, bias, weights, first=number == 0))
        bias, weights = _descend(rows, start, bias, weights)
    return bias, weights


Row = tuple[list[tuple[int, float]], float, float]


def _rows(
    examples: list[Example], category: str, bias: float, weights: list[float], *, first: bool
) -> Iterator[Row]:
    """Yield values, target (1 or -1) and weight of every statement that is learnt from."""
    for example in examples:
        if category in example.unsure:
            continue
        if category not in example.labels:
            weight = example.weight * (OTHERS if example.labels else 1.0)
            yield from ((values, -1.0, weight) for values in example.values)
            continue
        sums = [bias + sum(weights[at] * value for at, value in row) for row in example.values]
        for values, total in zip(example.values, sums, strict=True):
            if first or total > 1.0 or total == max(sums):
                yield values, 1.0, example.weight


def _descend(
    rows: list[Row], start: list[float], bias: float, weights: list[float]
) -> tuple[float, list[float]]:
    """Minimise the logistic loss by steps that shrink where the slope has been steep."""
    size = len(weights)
    steep = [1e-8] * (size + 1)
    for step in range(STEPS):
        slope = [STIFFNESS * (now - then) for now, then in zip(weights, start, strict=True)]
        slope_of_bias = 0.0
        for values, target, weight in rows:
            margin = target * (bias + sum(weights[at] * value for at, value in values))
            pull = -weight * target / (1.0 + math.exp(min(margin, 500.0)))
            slope_of_bias += pull
            for at, value in values:
                slope[at] += pull * value
        rate = 0.5 / (1.0 + step / 20)
        for at in range(size):
            steep[at] += slope[at] * slope[at]
            weights[at] -= rate * slope[at] / math.sqrt(steep[at])
        steep[size] += slope_of_bias * slope_of_bias
        bias -= rate * slope_of_bias / math.sqrt(steep[size])
    return bias, weights


def write(path: Path, bias: list[float], weights: dict[str, list[float]]) -> None:
    """Write one feature a line, so that a change of weights can be read as a diff."""
    lines = [
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(values)}"
        for name, values in sorted(weights.items())
    ]
    written = ",\n".join(lines)
    path.write_text(f'{{"bias": {json.dumps(bias)}, "weights": {{\n{written}\n}}}}\n', "utf-8")


def main() -> None:
    """Read the labels, learn, write the weights."""
    parser = argparse.ArgumentParser(description="Rebuild the weights.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    asked = parser.parse_args()
    examples = [*from_labels(asked.labels), *from_sentences(SENTENCES)]
    names = vocabulary(examples)
    index = {name: at for at, name in enumerate(names)}
    for example in examples:
        example.values = [
            [(index[name], 1.0 if name[0] == "=" else WORD) for name in shown if name in index]
            for shown in example.shown
        ]
    learnt = [learn(examples, names, each.value) for each in CATEGORIES]
    weights = {
        name: [round(of[at] * (1.0 if name[0] == "=" else WORD), 3) for _, of in learnt]
        for at, name in enumerate(names)
    }
    kept = {
        name: values
        for name, values in weights.items()
        if name[0] == "=" or max(map(abs, values)) >= SMALLEST
    }
    pairs = zip(CATEGORIES, learnt, strict=True)
    bias = [round(of_category - THRESHOLDS[each.value], 3) for each, (of_category, _) in pairs]
    write(asked.out, bias, kept)
    print(f"{len(examples)} items, {len(kept)} weights, bias {bias}")


if __name__ == "__main__":
    main()
