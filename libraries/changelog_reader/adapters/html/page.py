"""Loading of a page: decoded, parsed, without elements that are never content.

The encoding is chosen as browsers choose it (byte order mark, charset of the transfer, charset
of the page, else UTF-8, else Windows-1252). Markup nested deeper than browsers go is
flattened before parsing, since the parser's time grows with the square of the depth.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.decoding import declared_encoding, mostly
from changelog_reader.adapters.feed_markup import with_characters
from changelog_reader.adapters.html.badge_spacing import space_badges
from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.text_documents import as_page, text_format
from changelog_reader.adapters.html.words import WORDS
from changelog_reader.content.text import text_line

LARGEST_PAGE_BYTES = 10 * 1024 * 1024  # what the fetcher lets through
_MOSTLY = 0.8  # of a page's text, where the page only shows a document
DEEPEST_NESTING = 512  # elements; where browsers stop nesting, too

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
_READABLE_TYPES = ("", "text/html", "application/xhtml+xml", "text/plain", "application/xml")

# Never content, wherever it stands.
_NEVER = (
    "script, style, template, noscript, svg, math, iframe, object, embed, canvas, audio, video, "
)
_NEVER += "select, textarea, dialog, [role=dialog], [role=alertdialog], "
_NEVER += 'img[src^="data:"]'
_NAVIGATION = (
    "nav, [role=navigation], [role=search], [role=menu], [role=contentinfo], [role=banner]"
)
Script: TypeAlias = tuple[str, str, str]
"""A script of the page, as data: its type, its id, its text."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. ``body`` holds content only; scripts stand apart and are never run.

    ``address`` is where it came from, ``base`` what its links are relative to, ``locale``
    the language it declares (``en-US``) or empty.
    """

    parser: LexborHTMLParser
    body: LexborNode
    address: str
    base: str
    locale: str
    title: str
    scripts: tuple[Script, ...]
    metas: tuple[tuple[str, str], ...]

    @property
    def language(self) -> str:
        """The primary subtag of the page's language, in lower case, or empty."""
        return re.split(r"[-_]", self.locale, maxsplit=1)[0].lower()

    def meta(self, *names: str) -> str:
        """Return the content of the first meta element with one of the names, or empty."""
        return next((content for name, content in self.metas if name in names), "")

    @property
    def host(self) -> str:
        """The host of the address without a leading ``www.``."""
        return host_of(self.address)


def host_of(address: str) -> str:
    """Return an address's host without ``www.``, or empty where it has none."""
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def decode(body: bytes, content_type: str | None) -> str:
    """Return a page's text. Undecodable bytes become replacement characters."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    stated = body[:4096].decode("ascii", "replace")
    declared = declared_encoding(content_type or "") or declared_encoding(stated)
    if declared:
        return body.decode(declared, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return mostly(body, "utf-8") or body.decode("cp1252", "replace")


def flatten(text: str, deepest: int = DEEPEST_NESTING) -> str:
    """Return the markup without the tags that would nest deeper than ``deepest``."""
    if text.count("<") <= deepest:
        return text
    pieces: list[str] = []
    last = depth = 0
    for match in _TAG.finditer(text, 0, text.rfind(">") + 1):  # each match ends: no second look
        if match[2].lower() in WORDS["flat"] or match[0].endswith("/>"):
            continue
        depth += -1 if match[1] else 1
        if depth + bool(match[1]) > deepest:
            pieces.append(text[last : match.start()])
            last = match.end()
        depth = max(depth, 0)
    return "".join(pieces) + text[last:]


def load_page(body: bytes, *, address: str, content_type: str | None) -> Page:
    """Return the parsed page; of a Markdown or reStructuredText document what it renders to.

    Raises UnreadableDocument for other types, feeds, documents without markup or too large.
    """
    markup = markup_of(body, address=address, content_type=content_type)
    parser = _parsed(markup)
    shown = _shown_document(parser, address)
    if shown is not None:
        parser = _parsed(shown)
    root = parser.root
    if root is None or parser.body is None:
        raise UnreadableDocument("The page holds no elements.")
    html = parser.css_first("html")
    title = parser.css_first("head title") or parser.css_first("title")
    base = parser.css_first("base[href]")
    scripts = tuple(_scripts(parser))
    metas = tuple(_metas(parser))
    _drop(parser)
    space_badges(parser)
    return Page(
        parser=parser,
        body=parser.body,
        address=address,
        base=_join(address, base.attributes.get("href") or "") if base else address,
        locale=(html.attributes.get("lang") or "") if html else "",
        title=text_line(title.text() if title else ""),
        scripts=scripts,
        metas=metas,
    )


def _parsed(markup: str) -> LexborHTMLParser:
    return LexborHTMLParser(flatten(markup.replace("\0", "")))


def _shown_document(parser: LexborHTMLParser, address: str) -> str | None:
    """Return the page of a text document that a page shows unrendered, and hardly anything else."""
    boxes = parser.css("body pre")
    if len(boxes) != 1 or parser.body is None:
        return None
    text = boxes[0].text(deep=True)
    whole = "".join(parser.body.text(deep=True).split())
    if len("".join(text.split())) < _MOSTLY * len(whole):
        return None
    format_ = text_format(text, address=address, media_type="text/plain")
    return None if format_ is None else as_page(text, format_, address=address)


def markup_of(body: bytes, *, address: str, content_type: str | None) -> str:
    """Return the markup of a page, or what a Markdown or reStructuredText document renders to.

    Raises UnreadableDocument when the bytes can be neither.
    """
    if len(body) > LARGEST_PAGE_BYTES:
        raise UnreadableDocument("The page is larger than 10 MiB.")
    text = decode(body, content_type)
    media_type = (content_type or "").split(";")[0].strip().lower()
    format_ = text_format(text, address=address, media_type=media_type)
    if format_ is not None:
        return as_page(text, format_, address=address)
    _refuse_other_documents(body, media_type)
    return with_characters(text)


def _refuse_other_documents(body: bytes, media_type: str) -> None:
    """Raise UnreadableDocument when the bytes cannot be a page."""
    if media_type not in _READABLE_TYPES:
        raise UnreadableDocument(f"The document is {media_type[:60]}, not a page.")
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if re.match(rb"(<\?xml[^>]*>\s*(<!--.*?-->\s*)*)?<(rss|feed|rdf:rdf)\b", start, re.DOTALL):
        raise UnreadableDocument("The document is a feed, not a page.")
    if start[:1] in (b"{", b"[") or b"<" not in body:
        raise UnreadableDocument("The document holds no markup.")


def _join(address: str, link: str) -> str:
    try:
        return urljoin(address, link)
    except ValueError:
        return address


def _scripts(parser: LexborHTMLParser) -> Iterator[Script]:
    for node in parser.css("script"):
        attributes = node.attributes
        if "src" not in attributes:
            kind = (attributes.get("type") or "").strip().lower()
            yield kind, attributes.get("id") or "", node.text(deep=True) or ""


def _metas(parser: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in parser.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name:
            yield name.strip().lower(), text_line(attributes.get("content") or "")


def _drop(parser: LexborHTMLParser) -> None:
    """Remove elements that are never content, navigation and page footers."""
    for node in parser.css(_NEVER):
        node.decompose()
    for node in parser.css(_NAVIGATION):
        node.decompose()
    for node in parser.css("body footer"):
        if not inside(node, ("article", "section", "main", "li")):
            node.decompose()


def inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    """Return whether a node lies in an element of one of the tags."""
    return any(above.tag in tags for above in ancestors(node))
