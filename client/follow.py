"""Following entries without loss: pages with a cursor in their Link header (RFC 8288)."""

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
    """New entries and the next cursor. Store ``cursor`` once the entries are processed."""

    entries: list[ChangelogEntry]
    cursor: str


def news_of(page: dict[str, Any], link: str) -> tuple[News, bool]:
    """Return a page of /entries with ``follow``, and whether there are more.

    Raises UnexpectedAnswer for a page without a cursor.
    """
    entries = cast("list[ChangelogEntry]", page["items"])
    cursor = next(_cursors(link), None)
    if cursor is None:
        raise UnexpectedAnswer(
            "The answer does not say where to go on.", hint="Does this service know follow?"
        )
    return News(entries, cursor), page["total"] > len(entries)


def _cursors(link: str) -> Iterator[str]:
    """Yield the cursor of the next link; its URL is not requested, so the key goes nowhere else."""
    for match in _NEXT.finditer(link):
        yield from parse_qs(urlsplit(match[1]).query).get("follow", ())
