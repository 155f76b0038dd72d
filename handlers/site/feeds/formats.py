"""Entries as items of feeds: RSS 2.0 (specification 4.7), Atom (RFC 4287) and JSON Feed 1.1."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape, unescape
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import orjson
import structlog
from flask import render_template

from handlers.site.services import site_services
from handlers.site.vendor_text import plain_as_html, vendor_html
from openapi.text import joined, writable
from openapi.vocabulary import Json
from storage.entries.documents import FUTURE_TOLERANCE, timestamp
from storage.entries.entry_pages import FeedEntry

log = structlog.get_logger(__name__)
RSS: Final = "application/rss+xml"
ATOM: Final = "application/atom+xml"
JSON_FEED: Final = "application/feed+json"
TYPES: Final = {"RSS": RSS, "Atom": ATOM, "JSON Feed": JSON_FEED}


@dataclass(frozen=True, slots=True)
class Channel:
    """A feed as a whole, whatever its format."""

    title: str
    description: str
    only_important: bool = False


UPDATES: Final = Channel(
    "Changewire: vendor updates", "The newest entries of all changelogs on Changewire."
)
IMPORTANT: Final = Channel(
    "Changewire: important vendor updates",
    "Breaking changes, deprecations and security fixes of all changelogs on Changewire.",
    only_important=True,
)


@dataclass(frozen=True, slots=True)
class Item:
    """An entry in words that every format can carry.

    ``id`` is its own among all sources and stays when the entry is edited. ``text`` is plain:
    headings start with ``## ``, list items with ``- ``; ``markup`` has it clean as the
    vendor wrote it. ``evidence`` holds the vendor's words that made it important, each with its
    category. ``shown_since`` is when this state of it first was in a feed.
    """

    id: str
    source: str
    source_name: str
    vendor: str
    title: str
    url: str
    text: str
    markup: str
    published_at: datetime
    shown_since: datetime
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    edited_at: datetime | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Return what it can be filtered by: the vendor, the tags, why it is important."""
        return tuple(dict.fromkeys((self.vendor, *self.tags, *self.categories)))

    @property
    def html(self) -> str:
        """Return the evidence and the text as HTML."""
        quotes = (plain_as_html(f"{category}: “{text}”") for category, text in self.evidence)
        return "".join(quotes) + vendor_html(self.markup)

    @property
    def title_for_rss(self) -> str:
        """Return the title as RSS has it: escaped where readers would take it for HTML."""
        is_like_html = (
            "</" in self.title or "/>" in self.title or unescape(self.title) != self.title
        )
        return str(escape(self.title, quote=False)) if is_like_html else self.title

    @property
    def urn(self) -> str:
        """Return the id as Atom has it: an address, which ours are not."""
        return uuid5(NAMESPACE_URL, self.id).urn


def items_of(entries: Sequence[FeedEntry]) -> list[Item]:
    """Return the entries as items, without those that cannot be read."""
    items = []
    for entry in entries:
        try:
            items.append(_item(entry))
        except (ValueError, LookupError, TypeError) as error:
            log.warning("entry left out of a feed, it cannot be read", error=str(error))
    return items


def last_change(items: Sequence[Item]) -> datetime | None:
    """Return when a feed of these items last changed, to the second; None of an empty one."""
    changed_at = max((item.shown_since for item in items), default=None)
    return None if changed_at is None else changed_at.replace(microsecond=0)


def _item(entry: FeedEntry) -> Item:
    document = loads(entry.public)
    why = {} if entry.importance is None else loads(entry.importance)
    shown = document if entry.whole is None else loads(entry.whole)
    text, markup = writable(shown["summary"] or ""), shown.get("raw", {}).get("html")
    source = writable(document["source"])
    return Item(
        id=writable(f"{source}:{document['id']}"),
        source=source,
        source_name=writable(entry.source_name),
        vendor=writable(document["vendor"]),
        title=joined(writable(document.get("headline", document["title"])))
        or joined(text[:120])
        or source,
        url=writable(document["url"] or entry.changelog_url),
        text=text,
        markup=writable(markup) if isinstance(markup, str) else plain_as_html(text),
        tags=tuple(map(writable, document["tags"])),
        categories=tuple(map(writable, why.get("categories", ()))),
        evidence=tuple(
            (writable(passage["category"]), writable(passage["text"]))
            for passage in why.get("evidence", ())
        ),
        published_at=entry.published_at,
        edited_at=entry.changed_at if entry.revision > 1 else None,
        shown_since=max(entry.changed_at, entry.published_at - FUTURE_TOLERANCE),
    )


def loads(document: bytes) -> dict[str, Any]:
    """Read a stored JSON object; lone surrogates, which stricter readers refuse, are let through.

    Raises ValueError for anything else.
    """
    value = json.loads(document)
    if not isinstance(value, dict):
        raise ValueError("a stored document is no object")  # noqa: TRY004 - as for any bad JSON
    return value


def source_feed(slug: str) -> str:
    """Return the path of the feed of one source."""
    return f"/feeds/{slug}.atom"


def write_feed(
    media_type: str, channel: Channel, items: Sequence[Item], *, path: str, page: str | None = None
) -> str | bytes:
    """Return a feed, the same for the same items; it is served at ``path``.

    ``page`` is what it is a feed of, for people: by default the site's front page.
    """
    if media_type == JSON_FEED:
        return _json_feed(channel, items, path)
    return render_template(
        "rss.xml" if media_type == RSS else "atom.xml",
        channel=channel,
        items=items,
        changed_at=last_change(items),
        path=path,
        page=page,
    )


def _json_feed(channel: Channel, items: Sequence[Item], path: str) -> bytes:
    site_url = site_services().site_url
    return orjson.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": channel.title,
            "home_page_url": f"{site_url}/",
            "feed_url": site_url + path,
            "description": channel.description,
            "language": "en",
            "items": [_as_json(item) for item in items],
        }
    )


def _as_json(item: Item) -> dict[str, Json]:
    """Return an item, with our own fields in an extension object as the format requires."""
    edited = {} if item.edited_at is None else {"date_modified": timestamp(item.edited_at)}
    return {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_text": item.text,
        "content_html": vendor_html(item.markup),
        "date_published": timestamp(item.published_at),
        **edited,
        "authors": [{"name": item.source_name}],
        "tags": list(item.labels),
        "_changewire": {
            "source": item.source,
            "vendor": item.vendor,
            "categories": list(item.categories),
            "evidence": [{"category": category, "text": text} for category, text in item.evidence],
        },
    }


def feeds_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return the feeds of all sources with a name: paths and formats."""
    paths = (f"/rss/{name}.xml", f"/feeds/{name}.atom", f"/feeds/{name}.json")
    return tuple(zip(paths, TYPES, strict=True))
