"""Entries as pages show them."""

from dataclasses import dataclass
from datetime import datetime

import orjson

from storage.entries.documents import shortened


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry as pages show it: everything is text but the url, which may be a link."""

    headline: str
    title: str
    url: str | None
    summary: str | None
    published_at: datetime


def entry_view(document: bytes) -> EntryView:
    """Read a stored entry."""
    entry = orjson.loads(document)
    return EntryView(
        entry.get("headline", entry["title"]),
        entry["title"],
        entry["url"],
        shortened(entry["summary"]),
        datetime.fromisoformat(entry["published_at"]),
    )
