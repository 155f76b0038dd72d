"""Which entries and diffs the reader shows. Pure."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from openapi.shapes import ChangelogEntry, Diff, DiffPage, ImportantEntry, PublicEntry

Entry = TypeVar("Entry", ChangelogEntry, PublicEntry, ImportantEntry)
FARTHEST = 2_000
"""How many entries of a public feed are searched for those of some sources."""
MOST_SHOWN = 1_000
"""The largest ``--limit``."""


def select_entries(
    entries: Iterable[Entry], *, sources: Collection[str], limit: int
) -> tuple[list[Entry], bool]:
    """Return the entries of some sources, and whether there may be more.

    ``entries`` come newest first; no more of them are taken than needed, and at most FARTHEST.
    """
    selected: list[Entry] = []
    for count, entry in enumerate(entries):
        if count == FARTHEST:
            return selected, True
        if sources and entry["source"] not in sources:
            continue
        if len(selected) == limit:
            return selected, True
        selected.append(entry)
    return selected, False


def missing_entries_message(shown: int, *, more: bool, limit: int) -> str | None:
    """Return why there are no entries, or not all; None if all are shown."""
    if not shown:
        return f"None among the newest {FARTHEST:,} entries." if more else "No entry was found."
    if not more:
        return None
    if shown < limit:
        return f"There may be more: only the newest {FARTHEST:,} entries were searched."
    return f"There is more: --limit takes up to {MOST_SHOWN}." if limit < MOST_SHOWN else None


def diffs_since(page: DiffPage, since: datetime | None, limit: int) -> DiffPage:
    """Return a page with only the diffs that were seen after a time, ``limit`` at most."""
    diffs = [
        diff
        for diff in page["items"]
        if since is None or datetime.fromisoformat(diff["after"]["fetchedAt"]) > since
    ]
    return {**page, "items": diffs[:limit]}


def address_of(diff: Diff) -> str | None:
    """Return the vendor's address of the first change that has one."""
    for change in diff["changes"]:
        url = (change["after"] or change["before"] or {}).get("url")
        if isinstance(url, str):
            return url
    return None


def address_to_open(url: str | None) -> str | None:
    """Return an address that is safe to open in a browser: http or https, printable ASCII."""
    if url is None or not url.isascii() or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None
