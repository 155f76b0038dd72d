"""The core of the feed adapters: whatever kind of feed it is, read it.

Catalogs call an Atom feed RSS and the other way round, and vendors change their minds, so
the document decides: RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, CDF, JSON Feed.
"""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from io import BytesIO
from typing import Any, Final, NoReturn

import feedparser

from ingest.adapters import PARSER_VERSION
from ingest.adapters.base import ParsedDocument, UnreadableDocument
from ingest.adapters.decoding import text_and_bytes
from ingest.adapters.disclosure import FeedAddresses
from ingest.adapters.fast_feed.document import TakenApart, taken_apart
from ingest.adapters.fast_feed.fingerprint import MARK, KnownItems, MarkedDocument
from ingest.adapters.fast_feed.skip_known import skimmed
from ingest.adapters.feed_entry import FeedContext, as_entry
from ingest.adapters.json_feed import parse_json_feed
from ingest.content.text import one_line, safe_url

feedparser.api.PREFERRED_XML_PARSERS.clear()  # none but expat is looked for at each document

LONGEST_TTL: Final = timedelta(days=31)
"""What a vendor may ask us to wait; more is a slip of the pen."""

_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf|channel)(?=[\s>/])", re.IGNORECASE)
_PAGE: Final = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARATION: Final = b"<?xml version='1.0' encoding='utf-8'?>\n"
_LOOKED_AT: Final = 65_536  # characters in which the root element must begin
_HEADERS: Final = {"content-type": "application/xml; charset=utf-8"}
_PERIODS: Final = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}


@dataclass(frozen=True, slots=True)
class _Read:
    """What feedparser says, with the marks of its entries and what they inherit, if known."""

    found: Any
    marks: tuple[bytes | None, ...] = ()
    scope: bytes | None = None


def parse_feed(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    """Return what a feed of any kind says.

    Raises UnreadableDocument when the document is no feed, BlockedDocument when it is a page
    that stands in front of one.
    """
    return parse_marked_feed(body, address=address, content_type=content_type, known=None).document


def parse_marked_feed(
    body: bytes, *, address: str, content_type: str | None, known: KnownItems | None
) -> MarkedDocument:
    """Return what parse_feed returns, with marks, and without the items that are known.

    All items are read, and ``order`` is all None, where it is not sure that known ones mean what
    they meant. Raises what parse_feed raises.
    """
    text, written = text_and_bytes(body, content_type)
    if text[0] in "{[":
        return MarkedDocument.without_marks(parse_json_feed(text, address=address))
    document = _feed_in(text, written)
    if known is not None:
        passed = _passed_over(document, text, known, address=address)
        if passed is not None:
            return passed
    read = _read(document)
    context = _context(read.found, address=address)
    parsed = _as_document(read.found, text, context)
    if read.scope is None:
        return MarkedDocument.without_marks(parsed)
    order = (None,) * len(parsed.entries)
    return MarkedDocument(parsed, read.marks, order, _basis(context, read))


def parse_xml_feed(text: str, *, address: str) -> ParsedDocument:
    """Return what an XML feed says; like parse_feed, of decoded text."""
    found = _read(_feed_in(text, text.encode())).found
    return _as_document(found, text, _context(found, address=address))


def _feed_in(text: str, written: bytes) -> bytes:
    """Return the feed of a document as XML. Raises UnreadableDocument when there is none.

    ``written`` is the text as UTF-8.
    """
    head = _COMMENT.sub(lambda comment: " " * len(comment.group()), text[:_LOOKED_AT])
    root = _ROOT.search(head)
    if root is None or _PAGE.search(head, 0, root.start()):
        _refuse(text)
    # What stands before the root element is a declaration, a warning of the vendor's server,
    # or the DOCTYPE that makes entities bombs and files readable: none of it is needed.
    return _DECLARATION + written[len(text[: root.start()].encode()) :]


def _read(document: bytes) -> _Read:
    """Return what feedparser says of a document, most of its items read in a faster way."""
    apart = taken_apart(document)
    if apart is None or all(item is None for item in apart.items):
        return _Read(_fed(document))
    read = _put_together(apart, apart.prefixes)
    return _Read(_fed(document)) if read is None else read


def _put_together(apart: TakenApart, prefixes: frozenset[str]) -> _Read | None:
    """Return what feedparser says of the rest, with the items that were taken out; None if unsure.

    ``prefixes`` are those of the whole document.
    """
    found = _fed(apart.rest)
    if found.bozo or len(found.entries) != apart.items.count(None):
        return None
    unusual = iter(found.entries)
    found.entries = [next(unusual) if item is None else item for item in apart.items]
    found.namespaces.update(dict.fromkeys(prefixes, ""))
    return _Read(found, apart.marks, apart.scope)


def _passed_over(
    document: bytes, text: str, known: KnownItems, *, address: str
) -> MarkedDocument | None:
    """Read a document without its known items; None if they may mean something else by now."""
    rest = skimmed(document, known.places())
    apart = None if rest is None else taken_apart(rest.rest)
    if rest is None or apart is None:
        return None
    read = _put_together(apart, rest.prefixes)
    if read is None:
        return None
    context = _context(read.found, address=address)
    if _basis(context, replace(read, scope=rest.scope)) != known.basis:
        return None
    return MarkedDocument(
        _as_document(read.found, text, context), apart.marks, rest.order, known.basis
    )


def _basis(context: FeedContext, read: _Read) -> bytes:
    """Return a digest of all that items inherit, from their feed and from this program."""
    inherited = (
        *(PARSER_VERSION, context.base, context.addresses.places, context.is_atom),
        *(context.id_is_link, context.has_dublin_core, context.language),
        *(read.found.version, read.scope),
    )
    return blake2b(repr(inherited).encode(), digest_size=MARK).digest()


def _fed(document: bytes) -> Any:
    """Return what feedparser makes of a document; it stumbles over some markup."""
    try:
        return feedparser.parse(
            BytesIO(document),
            response_headers=dict(_HEADERS),
            resolve_relative_uris=False,
            sanitize_html=False,
        )
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument("The feed's markup is broken beyond reading.") from error


def _context(found: Any, *, address: str) -> FeedContext:
    channel = _plain(found.feed)
    links = [link for link in channel.get("links", ()) if isinstance(link, dict)]
    own = [link.get("href") for link in links if link.get("rel") == "self"]
    is_atom = found.version.startswith("atom")
    addresses = FeedAddresses([address, *own])
    return FeedContext(
        base=addresses.base_of(safe_url(channel.get("link"), base=address), address=address),
        addresses=addresses,
        is_atom=is_atom,
        id_is_link=found.version in {"rss090", "rss10"},
        has_dublin_core="dc" in found.namespaces,
        language=channel.get("language"),
    )


def _as_document(found: Any, text: str, context: FeedContext) -> ParsedDocument:
    channel = _plain(found.feed)
    items = found.entries[:-1] if found.bozo and _is_cut_off(text) else found.entries
    return ParsedDocument(
        entries=tuple(as_entry(_as_read(item), context) for item in items),
        title=one_line(channel.get("title", "")) or None,
        ttl=_ttl(channel),
    )


def _as_read(item: Any) -> Any:
    return item if type(item) is dict else _plain(item)  # a plain one was read by us


def _plain(found: Any) -> Any:
    """Return feedparser's dictionaries as plain ones, which do not map one key to another."""
    if isinstance(found, dict):
        return {key: _plain(value) for key, value in dict(found).items()}
    return [_plain(each) for each in found] if isinstance(found, list) else found


def _is_cut_off(text: str) -> bool:
    """Say whether the document ends inside an item, which is then half an item."""
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
    """Return a number of up to seven digits, or None; nobody means more."""
    digits = str(number or "").strip()
    return int(digits) or None if re.fullmatch(r"[0-9]{1,7}", digits) else None


def _refuse(text: str) -> NoReturn:
    """Say what came instead of a feed."""
    from selectolax.lexbor import LexborHTMLParser  # what reads pages is loaded where one comes

    from ingest.adapters.html.block_pages import refuse_block_page

    if _PAGE.search(text[:_LOOKED_AT]):
        page = LexborHTMLParser(text[: 4 * _LOOKED_AT])
        title = page.css_first("title")
        refuse_block_page(text, page, one_line(title.text() if title else ""))
        raise UnreadableDocument("An HTML page came instead of a feed.")
    raise UnreadableDocument("The document is no feed: it has no rss, rdf or feed element.")
