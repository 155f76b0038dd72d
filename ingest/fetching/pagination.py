"""The links of a feed to its older pages (RFC 5005). Pure."""

import re
from collections.abc import Iterator
from typing import Final

from changelog_reader.content.urls import safe_url
from ingest.fetching.outcomes import BEGINNING, END

_ITEM: Final = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_LINK: Final = re.compile(rb"<(?:\w{1,20}:)?link\s([^<>]{1,2000})>", re.IGNORECASE)
_REL: Final = re.compile(rb"""\brel\s*=\s*["']([\w -]{1,100})["']""", re.IGNORECASE)
_HREF: Final = re.compile(rb"""\bhref\s*=\s*["']([^"'<>]{1,2000})["']""", re.IGNORECASE)


def older_page(body: bytes, *, address: str) -> str | None:
    """Return the address of the page with the next older entries, None if the feed names none.

    These are the links ``next`` of a paged feed and ``prev-archive`` of an archived one
    (RFC 5005 §3 and §4), at the head of the feed or at its end.
    """
    head = _head_of(body)
    by_rel: dict[bytes, str] = {}
    for words, url in (
        *_links_in(head, base=address),
        *_links_in(body[max(len(head), len(body) - END) :], base=address),
    ):
        for word in words:
            if url != address:
                by_rel.setdefault(word, url)
    return by_rel.get(b"prev-archive") or by_rel.get(b"next")


def _head_of(body: bytes) -> bytes:
    """Return what stands before the first item of a feed."""
    first_item = _ITEM.search(body, 0, BEGINNING)
    return body[: first_item.start() if first_item else BEGINNING]


def _links_in(markup: bytes, *, base: str) -> Iterator[tuple[list[bytes], str]]:
    """Yield the links of a piece of a feed: the words of their relation, and where they lead."""
    for link in _LINK.finditer(markup):
        rel, href = _REL.search(link[1]), _HREF.search(link[1])
        if rel is None or href is None:
            continue
        url = safe_url(href[1].decode("utf-8", "replace").replace("&amp;", "&"), base=base)
        if url is not None:
            yield rel[1].lower().split(), url
