"""What the importance classifier learns from: labelled items, our own sentences, changelogs.

``sentences`` holds what we wrote, ``label | text``, a file for each
world of vendors. ``changelogs.jsonl.gz`` holds
what lines of other projects show, which are among no labelled items: project, what the line
counts, its label, the features of its statements (``changelogs.py`` writes it).
"""

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.importance.features import clues_of, features
from ingest.importance.statements import statements
from ingest.importance.words import words

Item = dict[str, Any]

DATA = Path(__file__).parent / "data"
CHANGELOGS = DATA / "changelogs.jsonl.gz"
HALVES = ("dev", "test")

OUR_OWN = "our own"
OWN = 3.0  # what one of our own sentences counts
PROSE = 3.0  # what a paragraph of prose counts, of what is noted beside it
MOST_STATEMENTS = 40  # of one item
FEWEST_VENDORS, FEWEST_KINDS = 5, 2  # that must use a word
FEWEST_WORLDS = 3  # of our own sentences, whose products are invented

# A label is the vendor's heading. "Deprecations" also lists what is gone by now, and
# "breaking changes" what will be: what is plainly said is learnt as what it says.
REMOVAL = frozenset(
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
DEPRECATION = COMING | {"=is deprecated"}


@dataclass(slots=True)
class Example:
    """An item: what its statements show, what it is, and what it may be (not learnt).

    ``kind`` is where the vendor was found: a registry, a platform.
    """

    shown: list[list[str]]
    vendor: str
    kind: str
    labels: frozenset[str]
    unsure: frozenset[str] = frozenset()
    weight: float = 1.0


def half(vendor: str) -> str:
    """Return which half of the vendors a vendor is in; the same on every machine."""
    return HALVES[hashlib.sha1(vendor.encode()).digest()[-1] & 1]


def read_items(path: Path) -> list[Item]:
    """Return the labelled items of a file, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def changelogs() -> Iterator[Example]:
    """Yield what the lines of other projects show."""
    return (example for _, example in noted())


def noted() -> Iterator[tuple[str, Example]]:
    """Yield the label of each line of other projects, and the line as an example."""
    for line in gzip.decompress(CHANGELOGS.read_bytes()).splitlines():
        project, counts, label, shown = json.loads(line)
        if project.startswith("prose/"):
            counts *= PROSE
        yield label, example_of(shown, label, project, counts)


def material(items: list[Item]) -> list[Example]:
    """Return everything that is learnt from beside and with these items, in one order."""
    return [*without_changelogs(items), *changelogs()]


def without_changelogs(items: list[Item]) -> list[Example]:
    """Return these items and our own sentences."""
    return [*map(_from_item, items), *_from_sentences()]


def vocabulary(examples: list[Example]) -> list[str]:
    """Return the features that are learnt: every clue, and words of several vendors."""
    vendors: dict[str, set[str]] = defaultdict(set)
    kinds: dict[str, set[str]] = defaultdict(set)
    worlds = {example.vendor for example in examples if example.kind == OUR_OWN}
    for example in examples:
        for name in {name for names in example.shown for name in names}:
            vendors[name].add(example.vendor)
            kinds[name].add(example.kind)
    return sorted(
        name
        for name in vendors
        if name.startswith("=")
        or (len(vendors[name]) >= FEWEST_VENDORS and len(kinds[name]) >= FEWEST_KINDS)
        or len(vendors[name] & worlds) >= FEWEST_WORLDS
    )


def shows(title: str, text: str) -> list[list[str]]:
    """Return what each statement of an item shows, each thing once."""
    shown = []
    for statement in statements(title, text):
        names = [f"={sighting.clue.name}" for sighting in clues_of(statement.masked)]
        names += features(statement.masked, words(statement.masked))
        shown.append(list(dict.fromkeys(names)))
    return shown[:MOST_STATEMENTS] or [[]]


def _meaning(label: str, names: Container[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return what an item is learnt as, and of which categories nothing is learnt."""
    is_removal = any(name in names for name in REMOVAL)
    if label == "deprecation":
        coming = any(name in names for name in COMING)
        return frozenset({"breaking" if is_removal and not coming else label}), frozenset()
    if label == "breaking" and any(name in names for name in DEPRECATION):
        if is_removal:
            return frozenset({label}), frozenset({"deprecation"})
        return frozenset({label, "deprecation"}), frozenset()
    if label == "security":
        return frozenset({label}), frozenset({"breaking", "deprecation"})
    return frozenset({label} - {"none"}), frozenset()


def _from_item(item: Item) -> Example:
    """Describe a labelled item; a title that repeats the text teaches nothing more."""
    title = "" if item["text"][:15] == item["title"][:15] else item["title"]
    return example_of(shows(title, item["text"]), item["label"], item["vendor"], 1.0)


def example_of(shown: list[list[str]], label: str, vendor: str, weight: float) -> Example:
    """Return what is learnt from something that is labelled and shows this."""
    labels, unsure = _meaning(label, {name for names in shown for name in names})
    return Example(shown, vendor, vendor.split("/")[0], labels, unsure, weight)


def _from_sentences() -> Iterator[Example]:
    """Yield our own sentences; each file is a vendor of its own."""
    for path in sorted((DATA / "sentences").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                label, text = line.split(" | ", 1)
                labels = frozenset(label.split("+")) - {"none"}
                yield Example(shows("", text), path.stem, OUR_OWN, labels, weight=OWN)
