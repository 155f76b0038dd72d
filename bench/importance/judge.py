"""Measure the importance classifier on labelled changelog items of vendors it has not seen.

    python -m importance.judge LABELS.jsonl [--half dev|test|both] [--worst N] [--shipped]

A line of LABELS.jsonl is an item: label (breaking, deprecation, security or none), title,
text, vendor, version, basis and keywords_agree. Vendors are split in two halves by the
lowest bit of SHA-1 over their name. Each half is judged by weights that are learnt from the
other one (and from what needs no labels), by the recipe of ``weights.py``; rules,
recipe and thresholds were chosen on the half ``dev`` only. ``--shipped`` judges by the weights
that ship, which have seen both halves. Learning needs numpy.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from importance.material import HALVES, Item, half, read_items
from ingest.importance import IMPORTANCE_VERSION, classify
from ingest.importance.model import MODEL, Model
from openapi.vocabulary import Category


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item or an entry, with its vendor's labels and the categories of the classifier."""

    labels: frozenset[str]
    found: frozenset[str]
    agreed: bool
    vendor: str
    text: str


def judge_item(item: Item, model: Model) -> JudgedItem:
    """Classify one item on its own, without the heading it stood under."""
    categories = classify(item["title"], item["text"], model=model).categories
    return JudgedItem(
        labels=frozenset({item["label"]} - {"none"}),
        found=frozenset(map(str, categories)),
        agreed=item["keywords_agree"],
        vendor=item["vendor"],
        text=item["text"],
    )


def releases(items: Iterable[Item]) -> list[tuple[str, str, frozenset[str], str]]:
    """Put releases together: vendor, text, labels, source of each.

    Lines of one vendor and version are grouped under their headings; advisories and
    items with a type instead of a heading stay entries of their own.
    """
    grouped: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        if item["basis"].startswith("section:"):
            grouped[item["vendor"], str(item["version"])].append(item)
        else:
            grouped[item["vendor"], item["id"]].append(item)
    return [_release(vendor, lines) for (vendor, _), lines in grouped.items()]


def _release(vendor: str, lines: list[Item]) -> tuple[str, str, frozenset[str], str]:
    labels = frozenset(line["label"] for line in lines) - {"none"}
    if not lines[0]["basis"].startswith("section:"):
        return vendor, lines[0]["title"], labels, lines[0]["text"]
    under: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        under[line["basis"].removeprefix("section:")].append(f"- {line['text']}")
    parts = [f"## {heading}\n\n" + "\n".join(texts) for heading, texts in under.items()]
    return vendor, f"{lines[0]['product']} {lines[0]['version'][:40]}", labels, "\n\n".join(parts)


def ratio(part: int, total: int) -> str:
    """Return a share with three digits."""
    return f"{part / total:.3f}" if total else "  -  "


def scores(
    judged: list[JudgedItem], matches: Callable[[frozenset[str]], bool]
) -> tuple[str, str, int]:
    """Return precision, recall and support of a wanted set against items of no category."""
    positive = [item for item in judged if matches(item.labels)]
    none = [item for item in judged if not item.labels]
    hit = sum(matches(item.found) for item in positive)
    false = sum(matches(item.found) for item in none)
    return ratio(hit, hit + false), ratio(hit, len(positive)), len(positive)


def table(name: str, judged: list[JudgedItem]) -> None:
    """Print precision and recall of every category against none."""
    print(f"\n{name} ({len(judged)}, none: {sum(not item.labels for item in judged)})")
    print("  against none   precision  recall  support")
    rows: list[tuple[str, Callable[[frozenset[str]], bool]]] = [("important", bool)]
    rows += [(category, lambda labels, c=category: c in labels) for category in Category]
    for label, matches in rows:
        precision, recall, support = scores(judged, matches)
        print(f"  {label:<14} {precision:>9} {recall:>7} {support:>8}")


def confusion(judged: list[JudgedItem]) -> None:
    """Print which label was found as what."""
    counted = Counter(
        ("+".join(sorted(item.labels)) or "none", "+".join(sorted(item.found)) or "none")
        for item in judged
    )
    print("\nConfusion (label -> found)")
    for (label, categories), count in sorted(counted.items()):
        print(f"  {label:<14} -> {categories:<32} {count:>5}")


def worst(judged: list[JudgedItem], most: int) -> None:
    """Print false negatives and false positives."""
    missed = [item for item in judged if item.labels and not item.found]
    invented = [item for item in judged if item.found and not item.labels]
    for name, wrong in (("Missed", missed), ("Invented", invented)):
        print(f"\n{name}: {len(wrong)}")
        for item in wrong[:most]:
            excerpt = " ".join(item.text.split())[:160]
            print(f"  {'/'.join(item.labels | item.found):<12} {item.vendor:<36} {excerpt}")


def speed(items: list[Item]) -> None:
    """Print how many entries of 500 to 2,000 characters one core classifies in a second.

    The best of five rounds, because a shared machine only ever makes it slower.
    """
    entries = [(title, text) for _, title, _, text in releases(items) if 500 <= len(text) <= 2_000][
        :1_000
    ]
    took = min(_seconds(entries) for _ in range(5))
    mean = sum(len(text) for _, text in entries) / len(entries)
    print(f"\nSpeed: {len(entries) / took:,.0f} entries a second (mean {mean:,.0f} characters)")


def _seconds(entries: list[tuple[str, str]]) -> float:
    """Return the processor time that one round over the entries takes."""
    started = time.process_time()
    for title, text in entries:
        classify(title, text)
    return time.process_time() - started


def report(name: str, items: list[Item], model: Model, most: int) -> None:
    """Print everything that is measured on one half."""
    judged = [judge_item(item, model) for item in items]
    table(f"{name}: single items without their heading", judged)
    table(f"{name}: keywords_agree true", [item for item in judged if item.agreed])
    table(f"{name}: keywords_agree false", [item for item in judged if not item.agreed])
    entries = [judge_release(*release, model) for release in releases(items)]
    table(f"{name}: whole entries with their headings", entries)
    confusion(judged)
    if most:
        worst(judged, most)
        worst(entries, most)


def judge_release(
    vendor: str, title: str, labels: frozenset[str], text: str, model: Model
) -> JudgedItem:
    """Classify a whole entry, its items under their headings."""
    categories = classify(title, text, model=model).categories
    return JudgedItem(labels, frozenset(map(str, categories)), True, vendor, text)


def learnt_from(items: list[Item]) -> Model:
    """Return a model that has seen these items and nothing of other vendors' labels."""
    from importance.weights import learnt

    return Model(learnt(items))


def main() -> None:
    """Read the labels and print the report."""
    parser = argparse.ArgumentParser(description="Measure the importance classifier.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    parser.add_argument("--shipped", action="store_true", help="judge by the shipped weights")
    options = parser.parse_args()
    halves: dict[str, list[Item]] = {name: [] for name in HALVES}
    for item in read_items(options.labels):
        halves[half(item["vendor"])].append(item)
    print(f"importance version {IMPORTANCE_VERSION}")
    for name, other_half in (HALVES, HALVES[::-1]):
        if options.half in (name, "both"):
            model = MODEL if options.shipped else learnt_from(halves[other_half])
            report(name, halves[name], model, options.worst)
    speed(halves["dev"])


if __name__ == "__main__":
    main()
