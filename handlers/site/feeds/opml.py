"""Selections as OPML 2.0 (opml.org), the format in which readers hand lists of feeds around.

What is written holds no feed address of a vendor: a source is named by its changelog page and by
our own feed of it. What is read comes from anywhere. A document type is refused, and with it every
entity (no bombs, no files), and the reader keeps nothing but the lines.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Final
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring
from xml.parsers.expat import ExpatError, ParserCreate

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.decoding import decode_document
from handlers.site.feeds.formats import source_feed
from openapi.text import writable
from storage.catalog.addresses import Directory, PublicSource, without_variations
from storage.people.accounts import Refused

OPML: Final = "text/x-opml"
MOST_LINES: Final = 20_000
_FEEDS, _ATOM = source_feed("\0").split("\0")
_LONGEST_NAME: Final = 80
_BARE_AMPERSAND: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)")


@dataclass(frozen=True, slots=True)
class Outline:
    """An outline of a list: where it is in the file, its name and its addresses."""

    number: int
    name: str
    addresses: tuple[str, ...]


def as_opml(sources: Iterable[PublicSource], *, title: str, site_url: str, now: datetime) -> bytes:
    """Write a list of sources, the same bytes for the same ones at the same time."""
    opml = Element("opml", {"version": "2.0"})
    head = SubElement(opml, "head")
    SubElement(head, "title").text = writable(title)
    SubElement(head, "dateCreated").text = format_datetime(now, usegmt=True)
    body = SubElement(opml, "body")
    for source in sources:
        outline = {
            "type": "rss",  # so the format calls every feed
            "text": writable(source.name),
            "title": writable(source.name),
            "xmlUrl": site_url + source_feed(source.slug),
            "htmlUrl": writable(source.changelog_url),
        }
        SubElement(body, "outline", outline)
    indent(opml)
    return bytes(tostring(opml, encoding="utf-8", xml_declaration=True)) + b"\n"


def read_opml(document: bytes) -> list[Outline]:
    """Return the lines of a list; folders are looked into, however deep. Raises Refused.

    As in other readers, blank lines may come first, ``&`` may stand alone, and an encoding that is
    not declared, or wrongly, is found out.
    """
    blank_lines = document.partition(b"<")[0].count(b"\n")
    parser = ParserCreate("utf-8")
    lines: list[Outline] = []
    opened: list[tuple[Outline, int] | None] = []

    def refuse(*_: object) -> None:
        raise Refused("Document types are not allowed. Remove the DOCTYPE and try again.")

    def start(name: str, attributes: dict[str, str]) -> None:
        if not opened and name != "opml":
            raise Refused(f"This is not OPML: it begins with {writable(name)[:_LONGEST_NAME]}.")
        fields = {key.lower(): value.strip() for key, value in attributes.items()}
        name_shown = fields.get("title") or fields.get("text") or ""
        urls = tuple(fields[key] for key in ("xmlurl", "htmlurl", "url") if fields.get(key))
        line = Outline(blank_lines + parser.CurrentLineNumber, name_shown, urls)
        opened.append((line, len(lines)) if name == "outline" else None)

    def end(_: str) -> None:
        line, before = opened.pop() or (None, 0)
        if line is not None and (line.addresses or len(lines) == before):  # no folder
            lines.append(line)
        if len(lines) > MOST_LINES:
            raise Refused(f"A list can have at most {MOST_LINES} lines.")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        text = _BARE_AMPERSAND.sub("&amp;", decode_document(document, None))
        parser.Parse(text.encode(), True)
    except UnreadableDocument as error:
        raise Refused(f"This is not OPML. {error}") from None
    except ExpatError as error:
        at = f"line {blank_lines + error.lineno}"
        raise Refused(f"This is not OPML: it is not well-formed XML ({at}).") from None
    return sorted(lines, key=lambda line: line.number)  # a folder ends after what is in it


def look_up(
    lines: Sequence[Outline], catalog: Directory, *, site_url: str
) -> tuple[list[str], list[str]]:
    """Return the slugs of the sources that a list means, and each line that means none, with why.

    A line means a source by our feed of it, by its changelog page, by its slug as its name, or by
    a homepage that only one source has.
    """
    found: list[str] = []
    unknown: list[str] = []
    for line in lines:
        slugs = _meant(line, catalog, site_url)
        if len(slugs) == 1:
            found += slugs
        else:
            why = f"may be any of {', '.join(slugs[:5])}" if slugs else "is not in the catalog"
            name = writable(line.name or next(iter(line.addresses), "")) or "without a name"
            unknown.append(f"line {line.number} ({name[:_LONGEST_NAME]}): {why}")
    return list(dict.fromkeys(found)), unknown


def _meant(line: Outline, catalog: Directory, site_url: str) -> Sequence[str]:
    """Return the slugs that a line can mean by the surest sign it has."""
    pages = [without_variations(address) for address in line.addresses]
    ours = [slug for address in line.addresses if (slug := _slug_in(address, site_url))]
    for slugs in (
        [slug for slug in ours if slug in catalog.by_slug],
        [slug for page in pages for slug in catalog.by_page.get(page, ())],
        [line.name] if line.name in catalog.by_slug else [],
        [slug for page in pages for slug in catalog.by_homepage.get(page, ())],
    ):
        if slugs:
            return list(dict.fromkeys(slugs))
    return ()


def _slug_in(address: str, site_url: str) -> str | None:
    """Return the slug that one of our feed addresses names, under whatever host we had then."""
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:
        return None
    path = path.removeprefix(urlsplit(site_url).path)
    if path.startswith(_FEEDS) and path.endswith(_ATOM):
        return path[len(_FEEDS) : -len(_ATOM)]
    return None
