"""A summary of a stored diff for a page. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

OPS: Final = {
    "added": "Added",
    "changed": "Edited",
    "removed": "Taken away",
    "rolled_off": "Rolled off",
    "moved": "Moved",
}
MOST_CHANGES: Final = 12


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One change: what happened (``op`` for style sheets, ``what`` for people), and to what."""

    op: str
    what: str
    title: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiffView:
    """A diff: when it was found, its counts in words, its first changes, how many more."""

    fetched_at: datetime
    counts: str
    changes: tuple[ChangeView, ...]
    more: int


def diff_view(document: bytes) -> DiffView:
    """Read a stored diff."""
    diff = orjson.loads(document)
    changes = diff["changes"]
    return DiffView(
        datetime.fromisoformat(diff["after"]["fetchedAt"]),
        _counts(diff["stats"]),
        tuple(_change(change) for change in changes[:MOST_CHANGES]),
        max(0, len(changes) - MOST_CHANGES),
    )


def _counts(stats: Mapping[str, int]) -> str:
    words = (
        (stats["added"], "added"),
        (stats["changed"], "edited"),
        (stats["removed"], "taken away"),
        (stats["rolledOff"], "rolled off"),
    )
    return ", ".join(f"{count} {word}" for count, word in words if count) or "order changed"


def _change(change: Mapping[str, Any]) -> ChangeView:
    item = change["after"] or change["before"] or {}
    title = item.get("title") or item.get("text") or change.get("entryId") or "A part of the page"
    return ChangeView(change["op"], OPS[change["op"]], _cut(str(title)), tuple(_details(change)))


def _details(change: Mapping[str, Any]) -> Iterator[str]:
    for fact in change.get("facts", []):
        detail = f": {fact['detail']}" if fact["detail"] else ""
        yield _cut(fact["type"].replace("_", " ").capitalize() + detail)
    if not change.get("facts"):
        for field in change["fields"]:
            yield f"{field['path'].replace('_', ' ').capitalize()} changed"


def _cut(text: str, longest: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
