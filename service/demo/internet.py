"""The invented vendors' servers, as a transport: nothing leaves the machine."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from email.utils import format_datetime
from html import escape
from xml.etree import ElementTree as ET  # writes only, and only our own text

import httpcore2

from service.demo.vendors import Announcement, Product, announcements

SHOWN = 25
"""How many announcements a feed has; older ones leave it."""
_LOGIN = b"<!doctype html><title>Sign in</title><form><input type=password></form>"
_CODE = re.compile(r"`([^`]+)`")


class InventedInternet:
    """Answers requests for the feeds of the invented vendors as they are at ``clock()``."""

    def __init__(
        self, products: Sequence[Product], *, clock: Callable[[], datetime], now: datetime
    ) -> None:
        """``now`` is the day on which the two years of announcements end."""
        self._clock, self._now = clock, now
        self._feeds = {
            product.feed_url: (product, announcements(product, now=now)) for product in products
        }

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Answer a request: 404 for every address but those of feeds."""
        address, at = bytes(request.url).decode(), self._clock()
        if address not in self._feeds:
            return httpcore2.Response(404)
        product, every = self._feeds[address]
        match product.trouble_at(at, now=self._now):
            case "down":
                return httpcore2.Response(503)
            case "gone":
                return httpcore2.Response(404)
            case "login":
                return _served(_LOGIN, "text/html")
        return _served(
            feed(product, [one for one in every if one.at <= at][-SHOWN:], at=at), "application/xml"
        )

    def close(self) -> None:
        """Nothing is open."""


def _served(body: bytes, kind: str) -> httpcore2.Response:
    """Return a response whose content is still to be read, as it is of a real one."""
    return httpcore2.Response(200, headers=[("content-type", kind)], content=body)


def feed(product: Product, shown: Sequence[Announcement], *, at: datetime) -> bytes:
    """Return the RSS feed of a product with these announcements as they read at a moment."""
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    ET.SubElement(channel, "title").text = product.name
    for one in reversed(shown):
        item = ET.SubElement(channel, "item")
        ET.SubElement(item, "title").text = one.title.replace("`", "")
        ET.SubElement(item, "link").text = f"{product.changelog_url}/{one.id}"
        ET.SubElement(item, "guid", isPermaLink="false").text = one.id
        ET.SubElement(item, "pubDate").text = format_datetime(one.at)
        ET.SubElement(item, "description").text = _html(one.text_at(at))
    return ET.tostring(root)


def _html(text: str) -> str:
    """Return a text as HTML: a list where its lines begin with a dash, else a paragraph."""
    marked = _CODE.sub(r"<code>\1</code>", escape(text))
    if text.startswith("- "):
        return f"<ul>{''.join(f'<li>{line[2:]}</li>' for line in marked.splitlines())}</ul>"
    return f"<p>{marked}</p>"
