"""Earlier texts of an edited entry, compared word by word. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

import orjson

from storage.entries.single_entry import FormerText

MOST_WORDS: Final = 1_200  # of a text that is compared; the rest of a longer one is left out
_WORDS: Final = re.compile(r"\S+\s*")


class Words(NamedTuple):
    """A run of words. ``op``: equal, delete or insert."""

    op: str
    text: str


@dataclass(frozen=True, slots=True)
class EditView:
    """An edit: what the title and the text had before and have since, None where they stayed."""

    at: datetime
    title: tuple[Words, ...] | None
    text: tuple[Words, ...] | None


def edits_of(document: bytes, former: Sequence[FormerText]) -> list[EditView]:
    """Return the edits of an entry, the newest first."""
    edits = []
    after = orjson.loads(document)
    for before in former:
        edits.append(_edit(orjson.loads(before.document), after, before.replaced_at))
        after = orjson.loads(before.document)
    return edits


def _edit(before: dict[str, Any], after: dict[str, Any], at: datetime) -> EditView:
    title, text = (
        tuple(word_diff(before[field] or "", after[field] or ""))
        if before[field] != after[field]
        else None
        for field in ("title", "summary")
    )
    return EditView(at, title, text)


def word_diff(before: str, after: str) -> Iterator[Words]:
    """Yield two texts as one: what stayed, went and came."""
    old, new = (_WORDS.findall(text)[:MOST_WORDS] for text in (before, after))
    for op, start, end, new_start, new_end in SequenceMatcher(None, old, new, False).get_opcodes():
        if op == "equal":
            yield Words("equal", "".join(old[start:end]))
            continue
        if end > start:
            yield Words("delete", "".join(old[start:end]))
        if new_end > new_start:
            yield Words("insert", "".join(new[new_start:new_end]))
