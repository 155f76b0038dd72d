"""Measure the importance classifier on announcements whose author had not seen its rules.

    python -m importance.unread [--worst N]

``data/unread.jsonl`` has 480 of them in the manner of ten kinds of vendors, title and
text, with a label and, where a reader could say two, ``also``. Nothing is learnt from them. One
half, by the lowest bit of the first byte of SHA-1 over title and text, was read for what is missed;
the other one was not, and is the figure that counts.
"""

import argparse
import hashlib
import json

from importance.judge import JudgedItem, table, worst
from importance.material import DATA
from ingest.importance import classify

NAMES = ("not read", "read")


def judged() -> dict[str, list[JudgedItem]]:
    """Return what is found in the announcements of both halves, by the weights that ship."""
    halves: dict[str, list[JudgedItem]] = {name: [] for name in NAMES}
    for line in (DATA / "unread.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        text = item["title"] + item["text"]
        name = NAMES[1 - (hashlib.sha1(text.encode()).digest()[0] & 1)]
        labels = {item["label"], *item.get("also", ())} - {"none"}
        categories = classify(item["title"], item["text"]).categories
        halves[name].append(
            JudgedItem(frozenset(labels), frozenset(map(str, categories)), True, item["kind"], text)
        )
    return halves


def main() -> None:
    """Print precision and recall of both halves."""
    parser = argparse.ArgumentParser(description="Measure on announcements nobody learnt from.")
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    options = parser.parse_args()
    for name, items in judged().items():
        table(name, items)
        if options.worst:
            worst(items, options.worst)


if __name__ == "__main__":
    main()
