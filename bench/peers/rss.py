"""The RSS feed as peers write it: the standard library's tree, the fields that ours has."""

import html
from collections.abc import Sequence
from email.utils import format_datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from peers import orm


def rss_of(entries: Sequence[orm.Entry]) -> bytes:
    """Write RSS 2.0."""
    rss = Element("rss", {"version": "2.0", "xmlns:dc": "http://purl.org/dc/elements/1.1/"})
    channel = SubElement(rss, "channel")
    for name, text in (("title", "Updates"), ("link", "http://127.0.0.1/"), ("ttl", "60")):
        SubElement(channel, name).text = text
    for entry in entries:
        item = SubElement(channel, "item")
        description = f"<p>{html.escape(entry.short_summary or '', quote=False)}</p>"
        for name, text in (
            ("title", entry.title),
            ("link", entry.url),
            ("description", description),
            ("dc:creator", entry.of.name),
            *(("category", tag) for tag in (entry.of.vendor, *entry.of.tags)),
            ("pubDate", format_datetime(entry.published_at, usegmt=True)),
        ):
            SubElement(item, name).text = text
        guid = SubElement(item, "guid", {"isPermaLink": "false"})
        guid.text = f"{entry.of.slug}:{entry.external_id}"
    return tostring(rss, encoding="utf-8", xml_declaration=True)
