"""Measure the deadlines on sentences with their deadlines written beside them.

    python -m importance.deadlines [tests/ingest/importance/deadlines.jsonl] [--half dev]

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

from ingest.importance import classify

SENTENCES = Path(__file__).parents[2] / "tests/ingest/importance/deadlines.jsonl"

Found = set[tuple[str, str, str]]


def half(text: str) -> str:
    """Return which half a sentence is in; the same on every machine."""
    return ("dev", "test")[hashlib.sha1(text.encode()).digest()[-1] & 1]


def found(sentence: dict[str, Any]) -> Found:
    """Return the deadlines found in a sentence: kind, first day, last day."""
    on = sentence.get("published_on")
    published_at = None if on is None else datetime.fromisoformat(on).replace(tzinfo=UTC)
    importance = classify("", sentence["text"], published_at=published_at)
    return {(each.kind, str(each.from_), str(each.to)) for each in importance.deadlines}


def expected(sentence: dict[str, Any]) -> Found:
    """Return the deadlines written beside a sentence."""
    return {(each["kind"], each["from"], each["to"]) for each in sentence["deadlines"]}


def report(name: str, sentences: list[dict[str, Any]], *, wrong: bool) -> None:
    """Print precision and recall, and every sentence that was read wrongly."""
    hits = extra = missed = 0
    for sentence in sentences:
        is_there, should_be = found(sentence), expected(sentence)
        hits += len(is_there & should_be)
        extra += len(is_there - should_be)
        missed += len(should_be - is_there)
        if wrong and is_there != should_be:
            print(f"  {sentence['text']}\n    found {sorted(is_there)}")
            print(f"    wants {sorted(should_be)}")
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
    asked = parser.parse_args()
    lines = asked.sentences.read_text(encoding="utf-8").splitlines()
    sentences = [json.loads(line) for line in lines]
    for name in ("dev", "test") if asked.half == "both" else (asked.half,):
        chosen = [each for each in sentences if half(each["text"]) == name]
        report(name, chosen, wrong=asked.wrong)


if __name__ == "__main__":
    main()
