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
WANTED = {"breaking": 0.80, "deprecation": 0.90, "security": 0.92}  # precision

Sums = dict[str, float]  # log-odds above the threshold, by category


@dataclass(frozen=True, slots=True)
class Judged:
    """An item with its label, and what weights that have not seen its vendor say of it."""

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
    highest = {each.value: -DEPTH for each in CATEGORIES}
    for statement in statements(item["title"], item["text"]):
        for each in judge(statement, model):
            highest[each.category] = max(highest[each.category], each.odds - DEPTH)
    return highest


def validated(items: list[Item], parts: int) -> list[Judged]:
    """Return every item, judged by weights of other vendors."""
    judged = []
    for part in range(parts):
        seen = [item for item in items if part_of(item["vendor"], parts) != part]
        model = Model(deepened(rows_of(material(seen))))
        judged += [
            Judged(item["vendor"], item["label"], sums(item, model))
            for item in items
            if part_of(item["vendor"], parts) == part
        ]
    return judged


def figures(judged: list[Judged], found: Callable[[Sums], bool], label: str | None) -> str:
    """Return precision against none and recall of a label, or of any of them."""
    positive = [
        each for each in judged if each.label == label or not (label or each.label == "none")
    ]
    hit = sum(found(each.sums) for each in positive)
    false = sum(found(each.sums) for each in judged if each.label == "none")
    return f"{hit / max(1, hit + false):.3f} / {hit / max(1, len(positive)):.3f}"


def doubled(judged: list[Judged], by: float) -> float:
    """Return the share of deprecations that are called breaking as well."""
    deprecations = [each for each in judged if each.label == "deprecation"]
    both = sum(
        each.sums["breaking"] > by and each.sums["deprecation"] > 0.0 for each in deprecations
    )
    return both / max(1, len(deprecations))


def best(judged: list[Judged], category: str, precision: float) -> tuple[float, float]:
    """Return the best recall at a precision, and the sum at which it is reached."""
    recall, begins = 0.0, float("inf")
    positive = sum(each.label == category for each in judged)
    hit = false = 0
    for each in sorted(judged, key=lambda one: -one.sums[category]):
        hit += each.label == category
        false += each.label == "none"
        if hit and hit / (hit + false) >= precision and each.sums[category] > -DEPTH:
            recall, begins = hit / positive, each.sums[category]
    return recall, begins


def report(judged: list[Judged]) -> None:
    """Print what is found at the thresholds and around that for breaking changes."""
    for category in ("deprecation", "security"):
        found = figures(judged, lambda sums, name=category: sums[name] > 0.0, category)
        print(f"{category:<12} {found}")
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
    for category, precision in WANTED.items():
        recall, begins = best(judged, category, precision)
        at = THRESHOLDS[category] + begins
        print(f"best recall at {precision:.2f}: {category:<12} {recall:.3f}, threshold {at:+.2f}")


def main() -> None:
    """Learn once for each part and print what the others make of it."""
    parser = argparse.ArgumentParser(description="Cross-validate over vendors.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--parts", type=int, default=8)
    asked = parser.parse_args()
    items = [item for item in read_items(asked.labels) if half(item["vendor"]) == "dev"]
    report(validated(items, asked.parts))


if __name__ == "__main__":
    main()
