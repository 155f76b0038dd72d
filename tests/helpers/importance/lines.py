"""Measure the classifier on labelled lines, each on its own: no heading, no types.

    python -m importance.lines LABELS.jsonl [--worst N]

A line has ``label`` (breaking, deprecation, security or none), ``title``, ``text`` and, where a
reader could say two, ``also``; ``keywords_agree`` false marks those that a plain list of words gets
wrong. ``announcements.jsonl`` beside this module is such a file: 480 announcements that were made
up, in the manner of ten kinds of vendors. Lines of the same text are counted once.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from changelog_reader.importance import classify
from importance.entries import ROWS, matcher


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A line with its labels and the categories of the classifier."""

    labels: frozenset[str]
    found: frozenset[str]
    agreed: bool
    text: str


def judged_lines(path: Path) -> list[JudgedLine]:
    """Return the different lines of a file, classified."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    different = {(line["title"], line["text"]): line for line in lines}
    return [
        JudgedLine(
            labels=frozenset({line["label"], *line.get("also", ())} - {"none"}),
            found=frozenset(map(str, classify(title, text).categories)),
            agreed=line.get("keywords_agree", True),
            text=f"{title} {text}",
        )
        for (title, text), line in different.items()
    ]


def table(name: str, lines: list[JudgedLine]) -> None:
    """Print precision and recall of each category; only lines of no category count as false."""
    print(f"\n{name} ({len(lines)}, of no category {sum(not line.labels for line in lines)})")
    for row in ROWS:
        matches = matcher(row)
        labelled = [line for line in lines if matches(line.labels)]
        right = sum(matches(line.found) for line in labelled)
        false = sum(matches(line.found) for line in lines if not line.labels)
        print(f"  {row:<12} {_ratio(right, right + false)} / {_ratio(right, len(labelled))}")


def _ratio(part: int, total: int) -> str:
    return f"{part / total:.3f}" if total else "  -  "


def worst(name: str, lines: Iterable[JudgedLine], most: int) -> None:
    """Print the first lines that are wrong."""
    for line in list(lines)[:most]:
        categories = "/".join(sorted(line.labels | line.found))
        print(f"  {name} {categories:<12} {' '.join(line.text.split())[:160]}")


def main() -> None:
    """Read the lines and print the report."""
    parser = argparse.ArgumentParser(description="Measure the importance of labelled lines.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    options = parser.parse_args()
    lines = judged_lines(options.labels)
    table("all", lines)
    table("a plain list of words agrees with the label", [line for line in lines if line.agreed])
    table("it does not", [line for line in lines if not line.agreed])
    worst("missed", (line for line in lines if line.labels and not line.found), options.worst)
    worst("invented", (line for line in lines if line.found and not line.labels), options.worst)


if __name__ == "__main__":
    main()
