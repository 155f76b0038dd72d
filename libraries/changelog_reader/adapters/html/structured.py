"""Entries that a page describes as data: JSON-LD, microdata.

Schema.org's articles and postings are taken; what describes the page itself, a product
or an organisation is not.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import Candidate, EntryDate, PageAnalysis, PageItem
from changelog_reader.adapters.html.outline import text_of
from changelog_reader.adapters.html.page import Page
from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.words import WORDS
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.text import one_line

_POSTS = WORDS["postings"]
_MOST_OBJECTS = 20_000  # objects of a page's data that are looked at


def json_ld(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidate of the page's JSON-LD."""
    items: dict[tuple[str, str | None], PageItem] = {}
    for posting in ld_objects(analysis.page):
        item = _from_object(posting) if types_of(posting) & _POSTS else None
        if item:
            items.setdefault((item.title, item.link), item)
    if items:
        yield Candidate("json-ld", tuple(items.values()))


def ld_objects(page: Page) -> Iterator[Mapping[str, Any]]:
    """Yield every object of the page's JSON-LD, however deep."""
    waiting: list[Any] = []
    for kind, _, text in page.scripts:
        if kind == "application/ld+json":
            try:
                waiting.append(json.loads(text.strip(), strict=False))
            except (ValueError, RecursionError):
                continue
    visited = 0
    while waiting and visited < _MOST_OBJECTS:
        value = waiting.pop(0)
        visited += 1
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            waiting.extend(inner for inner in value.values() if isinstance(inner, dict | list))


def types_of(value: Mapping[str, Any]) -> frozenset[str]:
    """Return an object's types without their vocabulary."""
    type_ = value.get("@type")
    listed = type_ if isinstance(type_, list) else [type_]
    return frozenset(type_.rsplit("/", 1)[-1] for type_ in listed if isinstance(type_, str))


def _from_object(value: Mapping[str, Any]) -> PageItem | None:
    title = _first_text(value, "headline", "name", "title")
    at = parse_timestamp(_first_text(value, "datePublished", "dateCreated") or "")
    if not title or at is None:
        return None
    page = value.get("mainEntityOfPage")
    page = page.get("@id") if isinstance(page, dict) else page
    return PageItem(
        title=one_line(title),
        dated=EntryDate(at, "json-ld"),
        link=_first_text(value, "url") or (page if isinstance(page, str) else None),
        markup=_first_text(value, "articleBody", "description", "abstract") or "",
        updated_at=parse_timestamp(_first_text(value, "dateModified") or ""),
        version=_first_text(value, "softwareVersion", "version"),
    )


def _first_text(value: Mapping[str, Any], *names: str) -> str | None:
    return next(
        (
            text.strip()
            for name in names
            if isinstance(text := value.get(name), str) and text.strip()
        ),
        None,
    )


def microdata(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidate of the page's microdata."""
    items = []
    for node in analysis.page.body.css("[itemscope][itemtype]"):
        kind = (node.attributes.get("itemtype") or "").rsplit("/", 1)[-1]
        item = _from_item(node) if kind in _POSTS else None
        if item:
            items.append(item)
    if items:
        yield Candidate("microdata", tuple(items))


def _from_item(node: LexborNode) -> PageItem | None:
    heading = _property(node, "headline") or _property(node, "name")
    date = _property(node, "datePublished") or _property(node, "dateCreated")
    if heading is None or date is None:
        return None
    attributes = date.attributes
    written = attributes.get("datetime") or attributes.get("content") or text_of(date)
    at = parse_timestamp(written.strip())
    title = heading.attributes.get("content") or text_of(heading)
    if at is None or not title.strip():
        return None
    link = heading.css_first("a[href]") or _property(node, "url")
    if link is None and heading.parent is not None and heading.parent.tag == "a":
        link = heading.parent
    return PageItem(
        title=title,
        dated=EntryDate(at, "microdata"),
        region=(node,),
        heading=heading,
        date_node=date,
        apart=(heading, date),
        link=(link.attributes.get("href") or link.attributes.get("content")) if link else None,
    )


def _property(node: LexborNode, name: str) -> LexborNode | None:
    """Return the element of a property, not of an item inside the item."""
    for element in node.css(f"[itemprop~={name}]"):
        around = (above for above in ancestors(element) if "itemscope" in above.attributes)
        holder = next(around, None)
        if holder is not None and holder.mem_id == node.mem_id:
            return element
    return None
