"""Export of a catalog: as CSV that reads back the same, and as OPML for feed readers."""

import csv
import io
import re
from collections.abc import Iterable
from datetime import datetime
from email.utils import format_datetime
from itertools import groupby
from operator import attrgetter
from xml.etree import ElementTree

from ingest.catalog.rows import FURTHER, HEADER
from storage.catalog.rows import CatalogRow

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters XML 1.0 §2.2 has no way to write."""


def as_csv(rows: Iterable[CatalogRow]) -> str:
    """Return the rows as a catalog, with its header and LF line ends.

    `read_catalog` reads it back as the same rows.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(HEADER + FURTHER)
    for row in rows:
        writer.writerow([_cell(getattr(row, column)) for column in HEADER + FURTHER])
    return written.getvalue()


def _cell(value: str | tuple[str, ...] | None) -> str:
    return ";".join(value) if isinstance(value, tuple) else value or ""


def as_opml(rows: Iterable[CatalogRow], *, title: str, now: datetime) -> str:
    """Return the feeds among the rows as OPML 2.0, grouped by vendor in alphabetical order.

    For operators only: it carries feed addresses. ``now`` is aware and becomes dateCreated.
    """
    opml = ElementTree.Element("opml", version="2.0")
    head = ElementTree.SubElement(opml, "head")
    ElementTree.SubElement(head, "title").text = _xml_text(title)
    ElementTree.SubElement(head, "dateCreated").text = format_datetime(now)
    body = ElementTree.SubElement(opml, "body")
    feeds = sorted((row for row in rows if row.feed_url), key=attrgetter("vendor", "slug"))
    for vendor, sources in groupby(feeds, key=attrgetter("vendor")):
        group = ElementTree.SubElement(body, "outline", text=_xml_text(vendor))
        for row in sources:
            ElementTree.SubElement(group, "outline", _outline(row))
    ElementTree.indent(opml)
    body_text: bytes = ElementTree.tostring(opml, encoding="utf-8", xml_declaration=True)
    return body_text.decode() + "\n"


def _outline(row: CatalogRow) -> dict[str, str]:
    """Return the attributes of a subscription; OPML calls every kind of feed rss."""
    attributes = {
        "type": "rss",
        "text": row.name,
        "title": row.name,
        "xmlUrl": row.feed_url or "",
        "htmlUrl": row.changelog_url,
        "category": ",".join(row.tags),
    }
    return {name: _xml_text(value) for name, value in attributes.items()}


def _xml_text(text: str) -> str:
    """Return the text without the characters XML has no way to write."""
    return _NOT_XML.sub("", text)
