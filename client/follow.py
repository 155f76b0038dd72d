"""Following entries without loss: pages with a place to come back to (RFC 8288 links)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from client.errors import UnexpectedAnswer
from openapi.shapes import ChangelogEntry

_NEXT = re.compile(r'<([^<>]*)>\s*;\s*rel="?next"?\s*(?:,|$)')


@dataclass(frozen=True, slots=True)
class News:
    """What the service learned next, and where to go on. Keep ``cursor`` once it is dealt with."""

    entries: list[ChangelogEntry]
    cursor: str


def news_of(page: dict[str, Any], link: str) -> tuple[News, bool]:
    """Return a page of /entries with ``follow``, and whether there is more already.

    Raises UnexpectedAnswer for a page that does not say where to go on.
    """
    entries = cast("list[ChangelogEntry]", page["items"])
    cursor = next(_cursors(link), None)
    if cursor is None:
        raise UnexpectedAnswer(
            "The answer does not say where to go on.", hint="Does this service know follow?"
        )
    return News(entries, cursor), page["total"] > len(entries)


def _cursors(link: str) -> Iterator[str]:
    """Take the cursor out of the next page's address: the key goes to the known address only."""
    for match in _NEXT.finditer(link):
        yield from parse_qs(urlsplit(match[1]).query).get("follow", ())
