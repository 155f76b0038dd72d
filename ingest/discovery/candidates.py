"""Candidates for where a vendor's changes can be read, derived from an address and a page.

Pure: nothing is fetched. In the order of preference these are the feeds that a page links to, the
releases of a repository on GitHub, and addresses that are customary for feeds and changelogs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.page import flatten, markup_of
from changelog_reader.content.repositories import repository_of
from changelog_reader.content.text import one_line, safe_url
from ingest.sandbox.parsing import contained
from openapi.vocabulary import AdapterType

_TYPES: Final = {
    "application/rss+xml": AdapterType.RSS,
    "application/atom+xml": AdapterType.ATOM,
    "application/rdf+xml": AdapterType.RSS,
}
_FEED_PATH: Final = re.compile(
    r"(?:^|/)(?:(?:index|feed|feeds|rss|atom|news|changelog|releases|updates)"
    r"\.(?:xml|rss|atom|rdf)|(?:feed|rss|atom)/?)$|\.(?:rss|atom)$",
    re.IGNORECASE,
)
_FEED_WORDS: Final = re.compile(r"\b(?:rss|atom)\b|^(?:web )?feed$", re.IGNORECASE)
_COMMENTS: Final = re.compile(r"\bcomments?\b|\bkommentar|\bcommentaires?\b", re.IGNORECASE)

_BELOW_PAGE: Final = ("feed.xml", "rss.xml", "atom.xml", "feed", "rss", "index.xml")
_AT_ROOT: Final = (
    *("changelog/feed.xml", "changelog/rss.xml", "changelog.xml", "changelog.rss"),
    *("feed.xml", "rss.xml", "atom.xml", "feed", "blog/feed.xml", "blog/rss.xml"),
)
_PAGES: Final = (
    *("changelog", "release-notes", "releases", "whats-new", "updates", "docs/changelog"),
    *("docs/release-notes", "changes", "news", "blog"),
)
_MOST_FEEDS: Final = 20  # of one page; more is a directory of other people's feeds


@dataclass(frozen=True, slots=True)
class NamedFeed:
    """A feed that a page names: its address, its type, and what the page calls it.

    ``declared`` is false when only the address or the wording of a link makes it a feed.
    """

    url: str
    type: AdapterType
    title: str
    declared: bool


def named_feeds(body: bytes, *, address: str, content_type: str | None = None) -> list[NamedFeed]:
    """Return the feeds that a page names, with what it says of them.

    Feeds declared in the page's head come before links in its text, and feeds of comments
    last. Raises UnreadableDocument for what is not a page.
    """
    markup = markup_of(body, address=address, content_type=content_type)
    parser = LexborHTMLParser(flatten(markup))
    base_node = parser.css_first("base[href]")
    stated = base_node.attributes.get("href") if base_node is not None else None
    base = safe_url(stated, base=address) or address
    by_url: dict[str, NamedFeed] = {}
    for feed in (*_declared(parser, base), *_linked(parser, base)):
        if feed.url != address:
            by_url.setdefault(feed.url, feed)
    ordered = sorted(by_url.values(), key=_is_secondary)
    return ordered[:_MOST_FEEDS]


def _is_secondary(feed: NamedFeed) -> tuple[bool, bool]:
    about_comments = bool(_COMMENTS.search(f"{feed.title} {urlsplit(feed.url).path}"))
    return about_comments, not feed.declared


def _declared(parser: LexborHTMLParser, base: str) -> Iterator[NamedFeed]:
    """Yield the link elements of feed autodiscovery (HTML Living Standard §4.6.7.1)."""
    for node in parser.css("link[href][rel~=alternate i], link[href][rel~=feed i]"):
        attributes = node.attributes
        media_type = (attributes.get("type") or "").split(";")[0].strip().lower()
        url = safe_url(attributes.get("href"), base=base)
        by_rel = "feed" in (attributes.get("rel") or "").lower().split() and not media_type
        kind = _TYPES.get(media_type) or (_type_of(url or "") if by_rel else None)
        if url and kind:
            yield NamedFeed(url, kind, one_line(attributes.get("title") or ""), declared=True)


def _linked(parser: LexborHTMLParser, base: str) -> Iterator[NamedFeed]:
    """Yield links in the page whose address or words are a feed's."""
    for node in parser.css("a[href]"):
        url = safe_url(node.attributes.get("href"), base=base)
        if url is None or "#" in url:
            continue
        words = one_line(node.text(deep=True) or node.attributes.get("title") or "")
        media_type = (node.attributes.get("type") or "").strip().lower()
        if media_type in _TYPES or _looks_like_feed(url, words, node):
            yield NamedFeed(url, _TYPES.get(media_type) or _type_of(url, words), words, False)


def _looks_like_feed(url: str, words: str, node: LexborNode) -> bool:
    path = urlsplit(url).path
    if _FEED_PATH.search(path):
        return True
    label = words or node.attributes.get("aria-label") or ""
    return len(label) <= 40 and bool(_FEED_WORDS.search(label)) and path.endswith((".xml", "/feed"))


def _type_of(url: str, words: str = "") -> AdapterType:
    text = f"{urlsplit(url).path} {words}".lower()
    return AdapterType.ATOM if "atom" in text else AdapterType.RSS


def feed_addresses_to_try(address: str) -> list[str]:
    """Return customary feed addresses for a page: beside it first, then at its host."""
    parts = urlsplit(address)
    folder = parts.path.rstrip("/")
    beside = [f"{folder}/{name}" for name in _BELOW_PAGE] if folder else []
    if folder:
        beside += [f"{folder}.xml", f"{folder}.rss", f"{folder}.atom"]
    paths = dict.fromkeys([*beside, *(f"/{name}" for name in _AT_ROOT)])
    return [urlunsplit((parts.scheme, parts.netloc, path, "", "")) for path in paths]


def changelog_addresses_to_try(address: str) -> list[str]:
    """Return customary addresses of a vendor's changelog, for its homepage."""
    parts = urlsplit(address)
    own = parts.path.rstrip("/")
    paths = [f"/{name}" for name in _PAGES if f"/{name}" != own]
    return [urlunsplit((parts.scheme, parts.netloc, path, "", "")) for path in paths]


def repositories_named_by(body: bytes, *, address: str) -> list[str]:
    """Return the GitHub repositories whose releases a page links to, each once."""
    parser = LexborHTMLParser(flatten(markup_of(body, address=address, content_type=None)))
    by_slug: dict[str, str] = {}
    for node in parser.css("a[href]"):
        url = safe_url(node.attributes.get("href"), base=address) or ""
        repository = repository_of(url) if re.search(r"/releases(/|\.atom|$)", url) else None
        if repository:
            by_slug.setdefault(repository.lower(), repository)
    return list(by_slug.values())


@contained
def read_page_links(
    body: bytes, address: str, content_type: str | None
) -> tuple[tuple[NamedFeed, ...], tuple[str, ...], ParsedDocument]:
    """Return the feeds and repositories that a page links to, and its own entries.

    It runs in a child process; every failure is an UnreadableDocument.
    """
    return (
        tuple(named_feeds(body, address=address, content_type=content_type)),
        tuple(repositories_named_by(body, address=address)),
        parse_page(body, address=address, content_type=content_type),
    )
