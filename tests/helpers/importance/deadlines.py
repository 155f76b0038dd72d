"""Measure the deadlines on sentences with their deadlines written beside them.

    python -m importance.deadlines [deadlines.jsonl] [--half dev]

A deadline counts when its kind and both days are right and its evidence holds its
date. Sentences are split in two halves by the lowest bit of SHA-1 over the text; rules
were written looking at the half ``dev`` only.
"""

import argparse
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from changelog_reader.importance import classify

SENTENCES = Path(__file__).parents[2] / "libraries/changelog_reader/importance/deadlines.jsonl"

Deadlines = set[tuple[str, str, str]]


def half(text: str) -> str:
    """Return which half a sentence is in; the same on every machine."""
    return ("dev", "test")[hashlib.sha1(text.encode()).digest()[-1] & 1]


def found_deadlines(sentence: dict[str, Any]) -> Deadlines:
    """Return the deadlines found in a sentence: kind, first day, last day."""
    on = sentence.get("published_on")
    published_at = None if on is None else datetime.fromisoformat(on).replace(tzinfo=UTC)
    importance = classify("", sentence["text"], published_at=published_at)
    return {
        (deadline.kind, str(deadline.from_), str(deadline.to)) for deadline in importance.deadlines
    }


def expected(sentence: dict[str, Any]) -> Deadlines:
    """Return the deadlines written beside a sentence."""
    return {
        (deadline["kind"], deadline["from"], deadline["to"]) for deadline in sentence["deadlines"]
    }


def report(name: str, sentences: list[dict[str, Any]], *, wrong: bool) -> None:
    """Print precision and recall, and every sentence that was read wrongly."""
    hits = extra = missed = 0
    for sentence in sentences:
        actual, expected_deadlines = found_deadlines(sentence), expected(sentence)
        hits += len(actual & expected_deadlines)
        extra += len(actual - expected_deadlines)
        missed += len(expected_deadlines - actual)
        if wrong and actual != expected_deadlines:
            print(f"  {sentence['text']}\n    found {sorted(actual)}")
            print(f"    wants {sorted(expected_deadlines)}")
    precision, recall = hits / max(1, hits + extra), hits / max(1, hits + missed)
    print(
        f"{name}: {len(sentences)} sentences, {hits + missed} deadlines,"
        f" precision {precision:.3f}, recall {recall:.3f}"
    )


def main() -> None:
    """Read the sentences and print the report."""
    parser = argparse.ArgumentParser(description="Measure the deadlines.")
    parser.add_argument("sentences", type=Path, nargs="?", default=SENTENCES)
    parser.add_argument("--half", choices=("dev", "test", "both"), default="both")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    lines = options.sentences.read_text(encoding="utf-8").splitlines()
    sentences = [json.loads(line) for line in lines]
    for name in ("dev", "test") if options.half == "both" else (options.half,):
        chosen = [example for example in sentences if half(example["text"]) == name]
        report(name, chosen, wrong=options.wrong)


if __name__ == "__main__":
    main()
