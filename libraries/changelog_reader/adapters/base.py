"""The interface of adapters: what they take and return.

An adapter is a pure function from bytes to entries. It uses no network, no
database and no clock, and it runs in a child process that may be killed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol


class UnreadableDocument(ValueError):
    """The document cannot be read by its adapter. The message says why."""


class BlockedDocument(UnreadableDocument):
    """A challenge, consent or sign-in page came instead of the document."""


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One item as the vendor published it, cleaned of markup and control characters.

    ``vendor_id`` is the vendor's own id or None. ``title`` is plain text on one line.
    ``url`` is absolute and http or https, or None. ``summary`` is plain text that keeps
    its blocks: headings start with ``## ``, list items with ``- ``, paragraphs are apart
    by an empty line. ``html`` is the sanitised markup the summary was made from.
    ``date_source`` names the field ``published_at`` was read from (``none``: no date).
    ``raw`` holds the other fields of the item as JSON; it never holds a feed address.
    """

    vendor_id: str | None
    title: str
    url: str | None
    published_at: datetime | None
    date_source: str
    summary: str | None = None
    html: str | None = None
    updated_at: datetime | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


class KnownEntry(NamedTuple):
    """The part of a stored entry that recognises it in a document.

    ``published_at`` is aware. ``content_hash`` is that of title, url and text; empty: not known.
    """

    id: str
    url: str | None
    title: str
    published_at: datetime
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A whole document: its entries in the vendor's order.

    ``ttl`` is how long the vendor asks to wait before the next request (RSS ttl,
    sy:updatePeriod). ``blocks`` is the text of a page under its headings, for diffs of pages;
    feeds leave it empty. ``is_cut``: it held more than is kept of one document.
    """

    entries: tuple[ParsedEntry, ...]
    title: str | None = None
    ttl: timedelta | None = None
    blocks: tuple["Block", ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page's text: the headings above it, outermost first, and its text."""

    heading: tuple[str, ...]
    text: str


class Adapter(Protocol):
    """A function that parses the documents of one type of source."""

    def __call__(self, body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
        """Return the document's entries.

        ``address`` is where the document came from, for relative links.
        Raises UnreadableDocument when the document has another type.
        """
