"""Links to older pages of a feed (RFC 5005). Pure."""

import re
from typing import Final

from ingest.content.urls import safe_url

_HEAD: Final = 65_536  # bytes in which a feed names its other pages
_ITEM: Final = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_LINK: Final = re.compile(rb"<(?:\w{1,20}:)?link\s([^<>]{1,2000})>", re.IGNORECASE)
_REL: Final = re.compile(rb"""\brel\s*=\s*["']([\w -]{1,100})["']""", re.IGNORECASE)
_HREF: Final = re.compile(rb"""\bhref\s*=\s*["']([^"'<>]{1,2000})["']""", re.IGNORECASE)


def older_page(body: bytes, *, address: str) -> str | None:
    """Return the address of the page with the next older entries, None if the feed names none.

    These are the links ``next`` of a paged feed and ``prev-archive`` of an archived one
    (RFC 5005 §3 and §4), at the head of the feed or at its end.
    """
    first_item = _ITEM.search(body)
    head = body[: min(first_item.start(), _HEAD)] if first_item else body[:_HEAD]
    by_rel: dict[bytes, str] = {}
    for link in (*_LINK.finditer(head), *_LINK.finditer(body[max(len(head), len(body) - 4096) :])):
        rel, href = _REL.search(link[1]), _HREF.search(link[1])
        if rel is None or href is None:
            continue
        reference = href[1].decode("utf-8", "replace").replace("&amp;", "&")
        url = safe_url(reference, base=address)
        for word in rel[1].lower().split():
            if url is not None and url != address:
                by_rel.setdefault(word, url)
    return by_rel.get(b"prev-archive") or by_rel.get(b"next")
