"""Where an entry can be linked to: its own page, or its anchor on this one.

Anchors that count positions (``section-0``, ``section-1``) or that a framework makes up
anew for each build or visit are no permalinks: the next entry would take them over.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from urllib.parse import quote, urldefrag

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import PageItem
from changelog_reader.adapters.html.outline import heading_text, text_of
from changelog_reader.adapters.html.page import Page, host_of
from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.signs import plain_line
from changelog_reader.content.text import safe_url

_MADE_UP = re.compile(
    r"^(:r\w+:|«r\w+»|_r_\w+_|(radix|headlessui|react-aria|mui|chakra|mantine|svelte|ng|v)-\W?\w*\d[\w:-]*"
    r"|ember\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"^(.*?)(\d{1,3})$")
_PAGE_ANCHORS = frozenset(
    {"top", "main", "content", "main-content", "root", "app", "__next", "page"}
)
_SAFE = "!$&'()*+,;=:@/?-._~%"  # what a fragment may hold unescaped (RFC 3986 §3.5)
_PLACES = ("heading", "in heading", "beside", "region", "in region", "beside region", "between")


def permalinks(items: Sequence[PageItem], page: Page) -> list[str | None]:
    """Return a link for each entry; no two of them are alike."""
    anchors = _chosen_anchors([dict(_anchors(item)) for item in items])
    own = [_own_link(item, page) for item in items]
    own_times = Counter(own)
    chosen: list[str | None] = []
    for item, link, anchor in zip(items, own, anchors, strict=True):
        permalink = link if link and own_times[link] == 1 else None
        if permalink is None and anchor:
            permalink = f"{urldefrag(page.address).url}#{quote(anchor, safe=_SAFE)}"
        if permalink is None and item.link and item.region:
            permalink = safe_url(item.link, base=page.base)
        if permalink is not None:
            permalink = safe_url(permalink, base=None)
        chosen.append(permalink if permalink not in chosen else None)
    return chosen


def _own_link(item: PageItem, page: Page) -> str | None:
    """Return the link to the entry's own page on the vendor's host."""
    link = item.link or _heading_link(item.heading)
    absolute = safe_url(link, base=page.base)
    if absolute is None:
        return None
    bare, fragment = urldefrag(absolute)
    here = urldefrag(page.address).url
    if bare.rstrip("/") == here.rstrip("/"):
        return absolute if fragment and not _MADE_UP.match(fragment) else None
    host, ours = host_of(absolute), page.host
    related = host == ours or host.endswith(f".{ours}") or ours.endswith(f".{host}")
    return absolute if related or not item.region or not ours else None


def _heading_link(heading: LexborNode | None) -> str | None:
    """Return the link that a whole heading is, or that it lies in."""
    if heading is None or not heading.is_element_node:
        return None
    words = plain_line(heading_text(heading))
    around = heading.parent
    if around is not None and around.tag == "a":
        return _page_link(around)
    for link in heading.css("a[href]"):
        if plain_line(text_of(link)) == words:
            return _page_link(link)
    return None


def _page_link(node: LexborNode) -> str | None:
    link = (node.attributes.get("href") or "").strip()
    return None if not link or link.startswith("#") else link


def _chosen_anchors(offered: Sequence[dict[str, str]]) -> list[str | None]:
    """Return each entry's anchor of the first place where it has a stable one."""
    chosen: list[str | None] = [None] * len(offered)
    for place in _PLACES:
        stable = _stable([anchor.get(place) for anchor in offered])
        chosen = [one or other for one, other in zip(chosen, stable, strict=True)]
    return chosen


def _anchors(item: PageItem) -> Iterator[tuple[str, str]]:
    """Yield the anchors of an entry with the place each of them is in."""
    start = item.heading or item.date_node
    top = item.region[0] if item.region else None
    places: list[tuple[str, Iterator[str]]] = []
    if start is not None:
        places = [("heading", _named(start)), ("in heading", _inside(start))]
        places.append(("beside", _beside(start)))
    if top is not None:
        dated = item.date_node
        if dated is not None and dated.parent is not None and dated.parent.tag == "a":
            dated = dated.parent
        dates = _inside(dated) if dated else iter(())
        places += [("region", _named(top)), ("in region", dates), ("beside region", _beside(top))]
        if start is not None:
            places.append(("between", _around(start, top)))
    for place, values in places:
        value = next((value for value in values if value not in _PAGE_ANCHORS), None)
        if value:
            yield place, value


def _named(node: LexborNode) -> Iterator[str]:
    if not node.is_element_node:
        return
    attributes = node.attributes
    if value := (attributes.get("id") or "").strip():
        yield value
    if node.tag == "a" and (value := (attributes.get("name") or "").strip()):
        yield value


def _inside(node: LexborNode) -> Iterator[str]:
    if not node.is_element_node:
        return
    if node.tag == "a":
        yield from _inside_link(node)
    for link in node.css('a[href^="#"]'):
        if value := (link.attributes.get("href") or "")[1:].strip():
            yield value
    for inner in node.css("a[name], [id]"):
        yield from _named(inner)


def _beside(node: LexborNode) -> Iterator[str]:
    """Yield the anchors of an empty element right before, and of a sign right after."""
    previous = _neighbour(node, forward=False)
    if previous is not None and not text_of(previous).strip():
        yield from _named(previous)
        yield from _inside(previous)
    following = _neighbour(node, forward=True)
    if following is not None and following.tag == "a" and len(text_of(following).strip()) <= 2:
        yield from _inside_link(following)


def _inside_link(link: LexborNode) -> Iterator[str]:
    target = link.attributes.get("href") or ""
    if target.startswith("#") and target[1:]:
        yield target[1:]


def _neighbour(node: LexborNode, *, forward: bool) -> LexborNode | None:
    near = node.next if forward else node.prev
    while near is not None and not near.is_element_node:
        if near.is_text_node and (near.text_content or "").strip():
            return None
        near = near.next if forward else near.prev
    return near


def _around(start: LexborNode, top: LexborNode) -> Iterator[str]:
    """Yield the ids of the elements between a heading and its region."""
    for holder in ancestors(start):
        if not holder.is_element_node or holder.mem_id == top.mem_id:
            return
        yield from _named(holder)
        if holder.tag in ("body", "main"):
            return


def _stable(anchors: Sequence[str | None]) -> list[str | None]:
    """Return the anchors without those that are made up, counted or shared."""
    times = Counter(anchors)
    stable = [
        anchor if anchor and times[anchor] == 1 and not _MADE_UP.match(anchor) else None
        for anchor in anchors
    ]
    counted = [match for anchor in stable if anchor and (match := _COUNTED.match(anchor))]
    numbers = [int(match[2]) for match in counted]
    if (
        len(counted) >= 2
        and len(counted) == sum(anchor is not None for anchor in stable)
        and len({match[1] for match in counted}) == 1
        and all(after == before + 1 for before, after in pairwise(numbers))
    ):
        return [None] * len(stable)
    return stable
