"""The feeds and pages of the invented vendors."""

import re
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime
from html import escape
from xml.etree import ElementTree as ET  # writes only, and only our own text

from openapi.vocabulary import AdapterType
from service.demo.vendors import Announcement, Product

_ATOM = "http://www.w3.org/2005/Atom"
_CODE = re.compile(r"`([^`]+)`")


def document(product: Product, shown: Sequence[Announcement], *, at: datetime) -> bytes:
    """Return the document of a product with these announcements, newest first."""
    write = {AdapterType.RSS: _rss, AdapterType.ATOM: _atom, AdapterType.HTML: _page}
    return write[product.format](product, shown, at)


def _rss(product: Product, shown: Sequence[Announcement], at: datetime) -> bytes:
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    _add(channel, "title", product.name)
    _add(channel, "link", product.changelog_url)
    _add(channel, "description", f"What is new in {product.name}")
    for one in shown:
        item = ET.SubElement(channel, "item")
        _add(item, "title", one.title.replace("`", ""))
        _add(item, "link", f"{product.changelog_url}/{one.id}")
        _add(item, "guid", one.id).set("isPermaLink", "false")
        _add(item, "pubDate", format_datetime(one.at))
        _add(item, "description", _html(one.text_at(at)))
    return _bytes(root)


def _atom(product: Product, shown: Sequence[Announcement], at: datetime) -> bytes:
    root = ET.Element("feed", xmlns=_ATOM)
    _add(root, "title", product.name)
    _add(root, "id", product.changelog_url)
    _add(root, "updated", (shown[0].at if shown else at).isoformat())
    for one in shown:
        entry = ET.SubElement(root, "entry")
        _add(entry, "title", one.title.replace("`", ""))
        _add(entry, "id", f"tag:{product.vendor}.example,2024:{one.id}")
        ET.SubElement(entry, "link", href=f"{product.changelog_url}/{one.id}")
        _add(entry, "published", one.at.isoformat())
        edited = one.edited_at is not None and one.edited_at <= at
        _add(entry, "updated", (one.edited_at if edited and one.edited_at else one.at).isoformat())
        _add(entry, "content", _html(one.text_at(at))).set("type", "html")
    return _bytes(root)


def _page(product: Product, shown: Sequence[Announcement], at: datetime) -> bytes:
    articles = "\n".join(
        f'<article id="{one.id}"><h2><a href="#{one.id}">{_inline(one.title)}</a></h2>\n'
        f'<time datetime="{one.at:%Y-%m-%d}">{one.at:%B} {one.at.day}, {one.at.year}</time>\n'
        f"{_html(one.text_at(at))}</article>"
        for one in shown
    )
    title = escape(product.name)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>What is new in {title}</h1><main>\n{articles}\n</main></body></html>"
    ).encode()


def _html(text: str) -> str:
    """Return a text as HTML: a list where its lines begin with a dash, else a paragraph."""
    if text.startswith("- "):
        items = "".join(f"<li>{_inline(line[2:])}</li>" for line in text.splitlines())
        return f"<ul>{items}</ul>"
    return f"<p>{_inline(text)}</p>"


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _add(parent: ET.Element, name: str, text: str) -> ET.Element:
    element = ET.SubElement(parent, name)
    element.text = text
    return element


def _bytes(root: ET.Element) -> bytes:
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode").encode()
