"""Atom (RFC 4287)."""

from collections.abc import Sequence
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from handlers.site.feeds.formats import Channel, Item, as_html, last_change
from storage.entries.documents import timestamp

ATOM: Final = "application/atom+xml"
NEVER: Final = "1970-01-01T00:00:00Z"  # a feed has to say when it changed, an empty one too
LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"


def atom_of(
    channel: Channel,
    items: Sequence[Item],
    *,
    site_url: str,
    path: str,
    page: str | None = None,
) -> bytes:
    """Write Atom, the same bytes for the same items.

    ``path`` is where the feed is served; ``page`` what it is a feed of, for people, the site's
    front page unless told otherwise.
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
    quotes = "".join(as_html(f"{category}: “{text}”") for category, text in item.evidence)
    _add(entry, "id", uuid5(NAMESPACE_URL, item.id).urn)
    _add(entry, "title", item.title)
    _add(entry, "updated", timestamp(item.edited_at or item.published_at))
    _add(entry, "published", timestamp(item.published_at))
    _add(SubElement(entry, "author"), "name", item.source_name)
    _add(entry, "link", None, rel="alternate", href=item.url)
    for label in item.labels:
        _add(entry, "category", None, term=label)
    _add(entry, "content", quotes + as_html(item.text), type="html")


def _add(parent: Element, name: str, text: str | None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
