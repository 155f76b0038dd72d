"""RSS 2.0 (specification 4.7)."""

from collections.abc import Sequence
from email.utils import format_datetime
from functools import lru_cache
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from handlers.site.feeds.formats import MOST_KEPT, Channel, Item, as_html, last_change

RSS: Final = "application/rss+xml"
TTL_MINUTES: Final = 60
END: Final = b"</channel></rss>"


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
    document: bytes = tostring(rss, encoding="utf-8", xml_declaration=True)
    return b"".join([document.removesuffix(END), *map(_item_xml, items), END])


@lru_cache(maxsize=MOST_KEPT)
def _item_xml(item: Item) -> bytes:
    """Write an item, which depends on nothing but itself."""
    element = Element("item")
    quotes = "".join(as_html(f"{category}: “{text}”") for category, text in item.evidence)
    _add(element, "title", item.title)
    _add(element, "link", item.url)
    _add(element, "description", quotes + as_html(item.text))
    _add(element, "dc:creator", item.source_name)
    for label in item.labels:
        _add(element, "category", label)
    _add(element, "guid", item.id, isPermaLink="false")
    _add(element, "pubDate", format_datetime(item.published_at, usegmt=True))
    written: bytes = tostring(element, encoding="utf-8")
    return written


def _add(parent: Element, name: str, text: str | None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
