"""Choose what the importance classifier is built from: cross-validation over vendors.

    python -m importance.validation LABELS.jsonl [--parts 8]

Needs numpy. The vendors of the half ``dev`` are dealt into parts; each part is judged by
weights learnt from everything else. Clues, features, the recipe and the thresholds in
``weights.py`` are chosen by what this prints: the half ``test`` is never opened.
"""

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from importance.material import Item, half, material, read_items
from importance.weights import THRESHOLDS, rows_of
from ingest.importance.judgement import judge
from ingest.importance.model import CATEGORIES, Model, Rows
from ingest.importance.statements import statements

DEPTH = 12.0  # log-odds below a threshold that are still told apart
STEPS = (-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)  # of the threshold for breaking changes
PRECISIONS = {"breaking": 0.80, "deprecation": 0.90, "security": 0.92}  # precision

Sums = dict[str, float]  # log-odds above the threshold, by category


@dataclass(frozen=True, slots=True)
class ValidatedItem:
    """An item with its label, and its log-odds by weights learnt without its vendor."""

    vendor: str
    label: str
    sums: Sums


def part_of(vendor: str, parts: int) -> int:
    """Return which part a vendor is dealt into; the same on every machine."""
    return int.from_bytes(hashlib.sha1(f"part {vendor}".encode()).digest()[:4], "big") % parts


def deepened(rows: Rows) -> Rows:
    """Return weights by which nearly everything is found, so that sums can be compared."""
    return rows | {"": tuple(bias + DEPTH for bias in rows[""])}


def sums(item: Item, model: Model) -> Sums:
    """Return the highest log-odds of each category over the statements of an item."""
    highest = {category.value: -DEPTH for category in CATEGORIES}
    for statement in statements(item["title"], item["text"]):
        for judgement in judge(statement, model):
            highest[judgement.category] = max(highest[judgement.category], judgement.odds - DEPTH)
    return highest


def validated(items: list[Item], parts: int) -> list[ValidatedItem]:
    """Return every item, judged by weights of other vendors."""
    judged = []
    for part in range(parts):
        training = [item for item in items if part_of(item["vendor"], parts) != part]
        model = Model(deepened(rows_of(material(training))))
        judged += [
            ValidatedItem(item["vendor"], item["label"], sums(item, model))
            for item in items
            if part_of(item["vendor"], parts) == part
        ]
    return judged


def figures(judged: list[ValidatedItem], matches: Callable[[Sums], bool], label: str | None) -> str:
    """Return precision against none and recall of a label, or of any of them."""
    positive = [
        item for item in judged if item.label == label or not (label or item.label == "none")
    ]
    hit = sum(matches(item.sums) for item in positive)
    false = sum(matches(item.sums) for item in judged if item.label == "none")
    return f"{hit / max(1, hit + false):.3f} / {hit / max(1, len(positive)):.3f}"


def doubled(judged: list[ValidatedItem], by: float) -> float:
    """Return the share of deprecations that are called breaking as well."""
    deprecations = [item for item in judged if item.label == "deprecation"]
    both = sum(
        item.sums["breaking"] > by and item.sums["deprecation"] > 0.0 for item in deprecations
    )
    return both / max(1, len(deprecations))


def best(judged: list[ValidatedItem], category: str, precision: float) -> tuple[float, float]:
    """Return the best recall at a precision, and the sum at which it is reached."""
    recall, begins = 0.0, float("inf")
    positive = sum(item.label == category for item in judged)
    hit = false = 0
    for item in sorted(judged, key=lambda item: -item.sums[category]):
        hit += item.label == category
        false += item.label == "none"
        if hit and hit / (hit + false) >= precision and item.sums[category] > -DEPTH:
            recall, begins = hit / positive, item.sums[category]
    return recall, begins


def report(judged: list[ValidatedItem]) -> None:
    """Print what is found at the thresholds and around that for breaking changes."""
    for category in ("deprecation", "security"):
        scores = figures(judged, lambda sums, name=category: sums[name] > 0.0, category)
        print(f"{category:<12} {scores}")
    print("threshold    breaking       important (precision / recall, against none)  doubled")
    for step in STEPS:
        breaking = figures(judged, lambda sums, by=step: sums["breaking"] > by, "breaking")
        important = figures(
            judged,
            lambda sums, by=step: (
                sums["breaking"] > by or sums["deprecation"] > 0.0 or sums["security"] > 0.0
            ),
            None,
        )
        both = doubled(judged, step)
        print(f"{THRESHOLDS['breaking'] + step:+9.2f}    {breaking}  {important}  {both:.3f}")
    for category, precision in PRECISIONS.items():
        recall, begins = best(judged, category, precision)
        at = THRESHOLDS[category] + begins
        print(f"best recall at {precision:.2f}: {category:<12} {recall:.3f}, threshold {at:+.2f}")


def main() -> None:
    """Learn once for each part and print what the others make of it."""
    parser = argparse.ArgumentParser(description="Cross-validate over vendors.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--parts", type=int, default=8)
    options = parser.parse_args()
    items = [item for item in read_items(options.labels) if half(item["vendor"]) == "dev"]
    report(validated(items, options.parts))


if __name__ == "__main__":
    main()
