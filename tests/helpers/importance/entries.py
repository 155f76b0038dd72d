"""Measure the classifier on real entries that a careful reader labelled, as they are served.

    python -m importance.entries CORPUS [--half read|apart|both] [--worst N]

CORPUS/judged_entries.jsonl has a line for each entry: the document below CORPUS that holds it,
title, text, labels, ``doubt`` (a colleague may decide otherwise), ``cut`` (the reader did not
see all of it) and ``weight``, the number of entries it stands for. Each document is read by its
adapter; what is classified is what the adapter hands over, found again by title and text. Entries
that the adapter does not find are counted and left out. Rules are chosen on the vendors of one
half (``read``); the entries of the other one (``apart``) are looked at for totals only.
"""

import argparse
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.importance import IMPORTANCE_VERSION, classify
from ingest.pipeline.public_entry import types_of
from openapi.vocabulary import AdapterType, Category

HALVES = ("read", "apart")
ROWS = ("important", *Category)
_SAME_VENDOR = {"claude": "anthropic"}
_WORDS = re.compile(r"\w+")
_SIMILAR = 0.6


@dataclass(frozen=True, slots=True)
class JudgedEntry:
    """An entry as it is served, with the labels of the reader and those of the classifier."""

    kind: str
    vendor: str
    labels: frozenset[str]
    found: frozenset[str]
    sure: bool
    weight: float
    entry: ParsedEntry
    why: str
    evidence: tuple[str, ...]


def vendor_of(document: str) -> str:
    """Return the vendor of a document: versions and formats of one source have the same one."""
    path = Path(document)
    name = path.parent.name if path.parent.parent.name == "history" else path.name
    first = re.split(r"[_.-]", re.sub(r"^(?:npm|php)_", "", name))[0]
    return _SAME_VENDOR.get(first, first)


def kind_of(document: str) -> str:
    """Return the kind of a source: feeds, github, pages, pages rendered from Markdown."""
    top, below = Path(document).parts[:2]
    if top == "html":
        return "pages" if below == "real" else "rendered pages"
    return "pages" if document.endswith(".html") else {"github": "github"}.get(top, "feeds")


def half_of(vendor: str) -> str:
    """Return which half of the vendors a vendor is in; the same on every machine."""
    return HALVES[hashlib.sha1(vendor.encode()).digest()[-1] & 1]


def read_document(path: Path) -> tuple[ParsedEntry, ...]:
    """Return the entries that the adapter of a document finds."""
    kind = AdapterType.HTML if path.suffix == ".html" else AdapterType.RSS
    if path.parent.name == "github":
        kind = AdapterType.GITHUB_RELEASES
    address = f"https://{path.parent.name}.example/{path.name}"
    try:
        return ADAPTERS[kind](path.read_bytes(), address=address, content_type=None).entries
    except UnreadableDocument:
        return ()


def served(line: dict[str, Any], entries: Iterable[ParsedEntry]) -> ParsedEntry | None:
    """Return the entry that was labelled: of the same title the one whose text is most like it."""
    words = _letters(line["text"])
    title = _letters(line["title"])
    best, alike = None, 0.0
    for entry in entries:
        same_title = _letters(entry.title) == title
        text = _letters(entry.summary or "")
        if not same_title and (not words or text[:5] != words[:5]):
            continue
        ratio = SequenceMatcher(None, text[:300], words[:300], autojunk=False).ratio()
        if ratio + same_title > alike:
            best, alike = entry, ratio + same_title
    return best if alike >= _SIMILAR else None


def _letters(text: str) -> list[str]:
    return _WORDS.findall(text.lower())


def judge(line: dict[str, Any], entry: ParsedEntry) -> JudgedEntry:
    """Classify an entry as ingestion does."""
    importance = classify(
        entry.title, entry.summary, published_at=entry.published_at, types=types_of(entry.raw)
    )
    return JudgedEntry(
        kind=kind_of(line["document"]),
        vendor=vendor_of(line["document"]),
        labels=frozenset(line["labels"]),
        found=frozenset(map(str, importance.categories)),
        sure=not line["doubt"],
        weight=line["weight"],
        entry=entry,
        why=line["why"],
        evidence=tuple(f"{each.category}: {each.text}" for each in importance.evidence),
    )


def precision_and_recall(
    judged: Iterable[JudgedEntry], matches: Callable[[frozenset[str]], bool]
) -> tuple[float | None, float | None, int]:
    """Return weighted precision and recall, and how many entries have the label."""
    both = found = labelled = 0.0
    support = 0
    for each in judged:
        both += each.weight * (matches(each.found) and matches(each.labels))
        found += each.weight * matches(each.found)
        labelled += each.weight * matches(each.labels)
        support += matches(each.labels)
    return (both / found if found else None, both / labelled if labelled else None, support)


def matcher(row: str) -> Callable[[frozenset[str]], bool]:
    """Return what tells whether categories have that of a row of the table."""
    return bool if row == "important" else lambda categories: row in categories


def table(name: str, judged: list[JudgedEntry]) -> None:
    """Print weighted precision and recall of each category, doubtful entries apart."""
    sure = [each for each in judged if each.sure]
    print(f"\n{name}: {len(sure)} sure entries, {len(judged)} with the doubtful ones")
    for row in ROWS:
        figures = [precision_and_recall(part, matcher(row)) for part in (sure, judged)]
        print(f"  {row:<12}" + "".join(_cell(*figure) for figure in figures))


def _cell(precision: float | None, recall: float | None, support: int) -> str:
    shown = ("  -  " if ratio is None else f"{ratio:.3f}" for ratio in (precision, recall))
    return f"   {' / '.join(shown)} ({support})"


def worst(judged: list[JudgedEntry], most: int) -> None:
    """Print the sure entries that are wrong, those first that stand for most others."""
    wrong = [each for each in judged if each.sure and each.labels != each.found]
    for each in sorted(wrong, key=lambda each: -each.weight)[:most]:
        missed, invented = sorted(each.labels - each.found), sorted(each.found - each.labels)
        print(f"\n{each.vendor} | {each.entry.title} | x{each.weight:.1f}")
        print(f"  missed {missed}, invented {invented}; reader: {each.why}")
        for passage in each.evidence:
            print(f"  - {passage}")


def speed(judged: list[JudgedEntry]) -> None:
    """Print how many different entries one core classifies in a second, the best of five rounds."""
    entries = {(each.entry.title, each.entry.summary) for each in judged}
    times = []
    for _ in range(5):
        started = time.process_time()
        for title, summary in entries:
            classify(title, summary)
        times.append(time.process_time() - started)
    size = sum(len(summary or "") for _, summary in entries) / len(entries)
    print(
        f"\n{len(entries) / times[0]:,.0f} entries a second at first, "
        f"{len(entries) / min(times):,.0f} at best (mean {size:,.0f} characters)"
    )


def main() -> None:
    """Read the labelled entries of a corpus and print the report."""
    parser = argparse.ArgumentParser(
        description="Measure importance on entries as they are served."
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    options = parser.parse_args()
    path = options.corpus / "judged_entries.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if not line["cut"]]
    if options.half != "both":
        lines = [line for line in lines if half_of(vendor_of(line["document"])) == options.half]
    documents = {
        name: read_document(options.corpus / name) for name in {line["document"] for line in lines}
    }
    matched = [(line, served(line, documents[line["document"]])) for line in lines]
    judged = [judge(line, entry) for line, entry in matched if entry is not None]
    print(f"importance version {IMPORTANCE_VERSION}; precision / recall (labelled)")
    lost = Counter(kind_of(line["document"]) for line, entry in matched if entry is None)
    print(f"not found in what the adapters hand over: {dict(lost)}")
    for name in HALVES if options.half == "both" else (options.half,):
        table(name, [each for each in judged if half_of(each.vendor) == name])
    if options.half == "both":
        for name in sorted({each.kind for each in judged}):
            table(name, [each for each in judged if each.kind == name])
        table("all", judged)
    worst(judged, options.worst)
    speed(judged)


if __name__ == "__main__":
    main()
