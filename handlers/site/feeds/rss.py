"""RSS 2.0 (specification 4.7)."""

from collections.abc import Sequence
from email.utils import format_datetime
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from handlers.site.feeds.formats import Channel, Item, as_html, last_change

RSS: Final = "application/rss+xml"
TTL_MINUTES: Final = 60


def rss_of(channel: Channel, items: Sequence[Item], *, site_url: str, path: str) -> bytes:
    """Write RSS 2.0, the same bytes for the same items.

    ``path`` is where the feed is served.
    """
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
        _add_item(SubElement(head, "item"), item)
    body: bytes = tostring(rss, encoding="utf-8", xml_declaration=True)
    return body


def _add_item(element: Element, item: Item) -> None:
    quotes = "".join(as_html(f"{category}: “{text}”") for category, text in item.evidence)
    _add(element, "title", item.title)
    _add(element, "link", item.url)
    _add(element, "description", quotes + as_html(item.text))
    _add(element, "dc:creator", item.source_name)
    for label in item.labels:
        _add(element, "category", label)
    _add(element, "guid", item.id, isPermaLink="false")
    _add(element, "pubDate", format_datetime(item.published_at, usegmt=True))


def _add(parent: Element, name: str, text: str | None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
