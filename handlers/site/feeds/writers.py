"""Items as RSS 2.0 (specification 4.7), Atom (RFC 4287) and JSON Feed 1.1 (jsonfeed.org)."""

from collections.abc import Sequence
from email.utils import format_datetime
from html import escape, unescape
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

import orjson

from handlers.site.feeds.formats import Channel, Item, last_change
from handlers.site.vendor_text import plain_as_html, vendor_html
from openapi.vocabulary import Json
from storage.entries.documents import timestamp

RSS: Final = "application/rss+xml"
ATOM: Final = "application/atom+xml"
JSON_FEED: Final = "application/feed+json"
NEVER: Final = "1970-01-01T00:00:00Z"  # a feed has to say when it changed, an empty one too
LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
TTL_MINUTES: Final = 60


def rss_of(channel: Channel, items: Sequence[Item], *, site_url: str, path: str) -> bytes:
    """Return RSS 2.0, the same bytes for the same items; it is served at ``path``."""
    rss = Element(
        "rss",
        {
            "version": "2.0",
            "xmlns:atom": "http://www.w3.org/2005/Atom",
            "xmlns:dc": "http://purl.org/dc/elements/1.1/",
        },
    )
    head = SubElement(rss, "channel")
    _add(head, "title", channel.title)
    _add(head, "link", f"{site_url}/")
    _add(head, "description", channel.description)
    _add(head, "atom:link", None, rel="self", href=site_url + path, type=RSS)
    _add(head, "language", "en")
    changed_at = last_change(items)
    if changed_at is not None:
        _add(head, "lastBuildDate", format_datetime(changed_at, usegmt=True))
    _add(head, "ttl", str(TTL_MINUTES))
    for item in items:
        element = SubElement(head, "item")
        _add(element, "title", _rss_title(item.title))
        _add(element, "link", item.url)
        _add(element, "description", _html(item))
        _add(element, "dc:creator", item.source_name)
        for label in item.labels:
            _add(element, "category", label)
        _add(element, "guid", item.id, isPermaLink="false")
        _add(element, "pubDate", format_datetime(item.published_at, usegmt=True))
    body: bytes = tostring(rss, encoding="utf-8", xml_declaration=True)
    return body


def _rss_title(title: str) -> str:
    """Return a title as RSS has it: as text, or as HTML where readers would take it for HTML."""
    is_like_html = "</" in title or "/>" in title or unescape(title) != title
    return escape(title, quote=False) if is_like_html else title


def atom_of(
    channel: Channel,
    items: Sequence[Item],
    *,
    site_url: str,
    path: str,
    page: str | None = None,
) -> bytes:
    """Return Atom, the same bytes for the same items; it is served at ``path``.

    ``page`` is what it is a feed of, for people: by default the site's front page.
    """
    feed = Element("feed", {"xmlns": "http://www.w3.org/2005/Atom", LANGUAGE: "en"})
    _add(feed, "id", site_url + path)
    _add(feed, "title", channel.title)
    _add(feed, "subtitle", channel.description)
    changed_at = last_change(items)
    _add(feed, "updated", NEVER if changed_at is None else timestamp(changed_at))
    _add(feed, "link", None, rel="self", href=site_url + path, type=ATOM)
    _add(feed, "link", None, rel="alternate", href=page or f"{site_url}/", type="text/html")
    _add(SubElement(feed, "author"), "name", "Changewire")
    _add(feed, "generator", "Changewire", uri=f"{site_url}/")
    for item in items:
        _add_entry(SubElement(feed, "entry"), item)
    body: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return body


def _add_entry(entry: Element, item: Item) -> None:
    """Write an entry. Its id has to be an address: ours are not, so a name is made of each."""
    _add(entry, "id", uuid5(NAMESPACE_URL, item.id).urn)
    _add(entry, "title", item.title)
    _add(entry, "updated", timestamp(item.edited_at or item.published_at))
    _add(entry, "published", timestamp(item.published_at))
    _add(SubElement(entry, "author"), "name", item.source_name)
    _add(entry, "link", None, rel="alternate", href=item.url)
    for label in item.labels:
        _add(entry, "category", None, term=label)
    _add(entry, "content", _html(item), type="html")


def json_feed_of(channel: Channel, items: Sequence[Item], *, site_url: str, path: str) -> bytes:
    """Return a JSON Feed, the same bytes for the same items; it is served at ``path``."""
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


def _html(item: Item) -> str:
    """Return the evidence and the text of an item as HTML."""
    quotes = "".join(plain_as_html(f"{category}: “{text}”") for category, text in item.evidence)
    return quotes + vendor_html(item.markup)


def _add(parent: Element, name: str, text: str | None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
