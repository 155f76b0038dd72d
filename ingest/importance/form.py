"""The form of a statement, beside its words: its length, its opening, where a commit is named.

Generated changelogs end their items with the commit, except for the notes on breaking
changes, which stand for themselves; those also are longer, in sentences, and speak to
the reader.
"""

import re
from bisect import bisect_right

from ingest.importance.mask import FILLER

_LENGTHS = (1, 3, 6, 10, 20, 40)  # words where a next class of length begins
_HASH = r"(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\b"
_COMMIT_LAST = re.compile(rf"\(\[?{_HASH}\]?(?:\({FILLER}*\))?[^\n]{{0,100}}$")
_READER = frozenset(("you", "your", "yourself", "you'll", "you're"))
_NEXT_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
_MARKS = " *`_-"


def form(masked: str, plain: list[str], others: int, component: int) -> list[str]:
    """Return what a statement looks like, as names that start with ``#``.

    ``plain`` are its ordinary words; ``others`` counts names, versions and code;
    ``component`` is where the statement goes on behind a component's name, else 0.
    """
    names = [f"#length {bisect_right(_LENGTHS, len(plain))}"]
    if len(plain) < _LENGTHS[1] and others:
        names.append("#only names")
    if _COMMIT_LAST.search(masked, max(0, len(masked) - 300)):
        names.append("#commit last")
    if not _READER.isdisjoint(plain):
        names.append("#to the reader")
    if _NEXT_SENTENCE.search(masked):
        names.append("#sentences")
    if component:
        names.append("#component")
    opening = masked[component : component + 100].lstrip(_MARKS)[:1]
    if opening:
        names.append(f"#opens {_kind(opening)}")
    return names


def _kind(letter: str) -> str:
    """Return what a statement's first letter says about its first word."""
    if letter == FILLER:
        return "code"
    if letter.isupper():
        return "upper"
    return "lower" if letter.islower() else "mark"
