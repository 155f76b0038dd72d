"""Which entries of a feed somebody asked for: pure decisions over lazy lists."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from openapi.shapes import ChangelogEntry, Diff, DiffPage, ImportantEntry, PublicEntry

Entry = TypeVar("Entry", ChangelogEntry, PublicEntry, ImportantEntry)
FARTHEST = 2_000
"""How many entries of a public feed are looked through for those of some sources."""
MOST_SHOWN = 1_000
"""The largest ``--limit``."""


def chosen(
    entries: Iterable[Entry], *, since: datetime | None, sources: Collection[str], limit: int
) -> tuple[list[Entry], bool]:
    """Return the entries after a time and of some sources, and whether there may be more.

    ``entries`` come newest first; no more of them are taken than needed, and at most FARTHEST.
    """
    found: list[Entry] = []
    for count, entry in enumerate(entries):
        if count == FARTHEST:
            return found, True
        if since is not None and datetime.fromisoformat(entry["published_at"]) <= since:
            return found, False
        if sources and entry["source"] not in sources:
            continue
        if len(found) == limit:
            return found, True
        found.append(entry)
    return found, False


def what_is_missing(found: int, *, more: bool, limit: int) -> str | None:
    """Say why there are no entries, or not all; None where there is nothing to say."""
    if not found:
        return f"None among the newest {FARTHEST:,} entries." if more else "No entry was found."
    if not more:
        return None
    if found < limit:
        return f"There may be more: only the newest {FARTHEST:,} entries were looked through."
    return f"There is more: --limit takes up to {MOST_SHOWN}." if limit < MOST_SHOWN else None


def diffs_since(page: DiffPage, since: datetime | None, limit: int) -> DiffPage:
    """Return a page with only the diffs that were seen after a time, ``limit`` at most."""
    found = [
        each
        for each in page["items"]
        if since is None or datetime.fromisoformat(each["after"]["fetchedAt"]) > since
    ]
    return {**page, "items": found[:limit]}


def address_of(diff: Diff) -> str | None:
    """Return the vendor's address of the first change that has one."""
    for change in diff["changes"]:
        url = (change["after"] or change["before"] or {}).get("url")
        if isinstance(url, str):
            return url
    return None


def address_to_open(url: str | None) -> str | None:
    """Return an address if a browser may be sent there: http or https, nothing unseen in it."""
    if url is None or not url.isascii() or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None
