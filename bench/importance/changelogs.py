"""Note what other projects' changelogs show, without keeping what they say.

    python -m importance.changelogs LABELS.jsonl TEXTS.txt [--add]

``TEXTS.txt`` holds lines ``label | text`` under headings ``## project | what a line counts``: the
items of changelogs that stand under a heading such as "Removed" or carry a mark such as
"semver-major". The texts are their authors' and stay outside; ``changelogs.jsonl.gz`` keeps of each
line the label and, sorted, those clues, forms and words that are learnt because several vendors
show them. A new clue is seen in these lines only after they were read again. With ``--add`` the
lines of projects that ``TEXTS.txt`` does not name stay as they were noted.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from importance.material import (
    CHANGELOGS,
    Example,
    example_of,
    noted,
    read_items,
    shows,
    vocabulary,
    without_changelogs,
)


def read_texts(path: Path) -> Iterator[tuple[str, Example]]:
    """Yield the label of each line, and the line as an example."""
    project, counts = "", 0.0
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            project, *_, number = line.removeprefix("## ").split(" | ")
            counts = float(number)
        elif line.strip() and not line.startswith("#"):
            label, text = line.split(" | ", 1)
            yield label, example_of(shows("", text), label, project, counts)


def main() -> None:
    """Read labels and texts, write what the texts show."""
    parser = argparse.ArgumentParser(description="Note what changelogs show.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--add", action="store_true", help="keep the lines of other projects")
    options = parser.parse_args()
    new_lines = list(read_texts(options.texts))
    named = {item.vendor for _, item in new_lines}
    old_lines = [
        addition for addition in noted() if options.add and addition[1].vendor not in named
    ]
    labelled = without_changelogs(read_items(options.labels))
    learnt = frozenset(vocabulary([*labelled, *(item for _, item in old_lines + new_lines)]))
    lines = []
    for label, example in old_lines + new_lines:
        shown = [sorted(learnt.intersection(names)) for names in example.shown]
        row = [example.vendor, example.weight, label, shown]
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    CHANGELOGS.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{len(lines)} lines, of which {len(learnt)} clues, forms and words are noted")


if __name__ == "__main__":
    main()
