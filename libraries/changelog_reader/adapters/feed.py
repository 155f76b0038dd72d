"""Feeds of any kind: RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, CDF, JSON Feed.

Catalogs confuse RSS and Atom, and vendors switch between them, so the format is read from
the document, not from the catalog.
"""

import re
from datetime import timedelta
from io import BytesIO
from typing import Any, Final, NoReturn
from urllib.parse import urljoin

import feedparser.api
from selectolax.lexbor import LexborHTMLParser

from changelog_reader.adapters import feed_markup
from changelog_reader.adapters.base import ParsedDocument, UnreadableDocument
from changelog_reader.adapters.block_pages import refuse_block_page
from changelog_reader.adapters.decoding import decode_document
from changelog_reader.adapters.disclosure import FeedAddresses
from changelog_reader.adapters.feed_entry import FeedContext, as_entry
from changelog_reader.adapters.json_feed import parse_json_feed
from changelog_reader.content.text import one_line, safe_url

LONGEST_TTL: Final = timedelta(days=31)
"""The longest wait that a vendor may ask for; more is a mistake."""

_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf|channel)(?=[\s>/])", re.IGNORECASE)
_PAGE: Final = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARATION: Final = b"<?xml version='1.0' encoding='utf-8'?>\n"
_HEAD_LENGTH: Final = 65_536  # characters in which the root element must begin
_HEADERS: Final = {"content-type": "application/xml; charset=utf-8"}
_PERIODS: Final = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
feed_markup.speed_up(feedparser.api)


def parse_feed(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    """Return the entries of a feed of any kind.

    Raises UnreadableDocument when the document is no feed, BlockedDocument when it is a page
    that came instead of one.
    """
    text = decode_document(body, content_type)
    if text[0] in "{[":
        return parse_json_feed(text, address=address)
    return parse_xml_feed(text, address=address)


def parse_xml_feed(text: str, *, address: str) -> ParsedDocument:
    """Return the entries of an XML feed; like parse_feed, for decoded text."""
    parsed = _by_feedparser(_feed_in(text), address=address)
    channel = dict(parsed.feed)
    context = _context(channel, parsed, address=address)
    entries = parsed.entries[:-1] if parsed.bozo and _is_cut_off(text) else parsed.entries
    return ParsedDocument(
        entries=tuple(as_entry(dict(entry), context) for entry in entries),
        title=one_line(channel.get("title", "")) or None,
        ttl=_ttl(channel),
    )


def _feed_in(text: str) -> bytes:
    """Return the feed of a document as XML. Raises UnreadableDocument when there is none."""
    head = _COMMENT.sub(lambda comment: " " * len(comment.group()), text[:_HEAD_LENGTH])
    root = _ROOT.search(head)
    if root is None or _PAGE.search(head, 0, root.start()):
        _refuse(text)
    # What is before the root element is a declaration, a warning of the vendor's server,
    # or the DOCTYPE that makes entities bombs and files readable: none of it is needed.
    return _DECLARATION + feed_markup.mended(text[root.start() :]).encode()


def _by_feedparser(document: bytes, *, address: str) -> Any:
    """Return what feedparser makes of a document; it crashes on some markup."""
    # Without a base ids and links stay as they are written, but nested bases need one.
    base = {"content-location": urljoin(address, ".")} if b"xml:base" in document else {}
    try:
        return feedparser.parse(
            BytesIO(document),
            response_headers=_HEADERS | base,
            resolve_relative_uris=False,
            sanitize_html=False,
        )
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument("The feed's markup is broken beyond reading.") from error


def _context(channel: dict[str, Any], parsed: Any, *, address: str) -> FeedContext:
    """Return what the items inherit from their feed."""
    links = [link for link in channel.get("links", ()) if isinstance(link, dict)]
    own = [link.get("href") for link in links if link.get("rel") == "self"]
    version = parsed.version
    addresses = FeedAddresses([address, *own])
    is_atom = version.startswith("atom")
    # An Atom feed's links are relative to where it is, of which it knows best (RFC 4287 §2); RSS
    # has no rule, and its channel's link is the custom.
    if is_atom:
        base = urljoin(safe_url(next(filter(None, own), None), base=address) or address, ".")
    else:
        base = addresses.base_of(safe_url(channel.get("link"), base=address), address=address)
    return FeedContext(
        base=base,
        addresses=addresses,
        is_atom=is_atom,
        id_is_link=version in {"rss090", "rss10"},
        has_dublin_core="dc" in parsed.namespaces,
        language=channel.get("language"),
    )


def _is_cut_off(text: str) -> bool:
    """Return whether the document ends inside an item, which is then incomplete."""
    lowered = text.lower()
    opened = max(lowered.rfind("<item"), lowered.rfind("<entry"))
    closed = max(lowered.rfind("</item"), lowered.rfind("</entry"))
    return opened > closed and not lowered.endswith(("</rss>", "</feed>", "</rdf:rdf>"))


def _ttl(channel: dict[str, Any]) -> timedelta | None:
    """Return how long the vendor asks to wait: RSS ttl in minutes, else sy:updatePeriod."""
    minutes = _positive(channel.get("ttl"))
    if minutes:
        return min(timedelta(minutes=minutes), LONGEST_TTL)
    period = _PERIODS.get(str(channel.get("sy_updateperiod", "")).lower())
    if period is None:
        return None
    return min(period / (_positive(channel.get("sy_updatefrequency")) or 1), LONGEST_TTL)


def _positive(number: object) -> int | None:
    """Return a number of up to seven digits, or None; a longer one is a mistake."""
    digits = str(number or "").strip()
    return int(digits) or None if re.fullmatch(r"[0-9]{1,7}", digits) else None


def _refuse(text: str) -> NoReturn:
    """Raise the error that names what came instead of a feed."""
    if _PAGE.search(text[:_HEAD_LENGTH]):
        page = LexborHTMLParser(text[: 4 * _HEAD_LENGTH])
        title = page.css_first("title")
        refuse_block_page(text, page, one_line(title.text() if title else ""))
        raise UnreadableDocument("An HTML page came instead of a feed.")
    raise UnreadableDocument("The document is no feed: it has no rss, rdf or feed element.")
