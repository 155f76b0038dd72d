"""The html adapter: from the bytes of a page to its entries."""

from collections.abc import Sequence
from itertools import chain

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.base import ParsedDocument, ParsedEntry
from changelog_reader.adapters.html.badges import badges
from changelog_reader.adapters.html.blocks import blocks
from changelog_reader.adapters.html.candidate import (
    MOST_ITEMS,
    Candidate,
    PageAnalysis,
    PageItem,
    analysed_page,
)
from changelog_reader.adapters.html.end_tables import besides, end_tables
from changelog_reader.adapters.html.endings import drop_ending
from changelog_reader.adapters.html.outline import inner_markup, is_permalink_sign, text_of
from changelog_reader.adapters.html.page import inside
from changelog_reader.adapters.html.permalinks import permalinks
from changelog_reader.adapters.html.ranking import best_candidate, has_text, is_page_of_release
from changelog_reader.adapters.html.recipe import Recipe, apply_recipe
from changelog_reader.content.markdown import without_marks
from changelog_reader.content.text import clean_html, html_to_text, one_line, text_line
from changelog_reader.vocabulary import ENDS, Json

_LONGEST_MARKUP = 65_536  # characters of one entry that are cleaned
_LABEL_TAGS = ("span", "time", "small")
_LABELS = ", ".join(_LABEL_TAGS)
_CODE = ("pre", "code", "kbd", "samp")


def parse_page(
    body: bytes, *, address: str, content_type: str | None, recipe: Recipe | None = None
) -> ParsedDocument:
    """Return a page's entries and blocks; a page that lists none gives none.

    Raises BlockedDocument for a challenge, consent or sign-in page, UnreadableDocument for
    other documents. ``recipe`` says where the entries are; it is tried first.
    """
    with analysed_page(body, address=address, content_type=content_type) as analysis:
        listed = blocks(analysis.lines)
        candidate = apply_recipe(recipe, analysis) if recipe else None
        if candidate is None or not candidate.items:
            candidate = best_candidate(analysis)
        ends = end_tables(analysis, candidate)
        if candidate is not None and ends is not None:
            candidate = besides(candidate, ends, analysis)
        read = (entries_of(it, analysis) for it in (ends, candidate) if it is not None)
        entries = tuple(chain.from_iterable(read))
        title = analysis.page.title or None
        return ParsedDocument(entries=entries, title=title, blocks=listed)


def entries_of(candidate: Candidate, analysis: PageAnalysis) -> tuple[ParsedEntry, ...]:
    """Return the candidate's entries, cleaned. The page's tree is used up."""
    page, items = analysis.page, candidate.items[:MOST_ITEMS]
    with_text = [has_text(item, analysis.habits) for item in items]
    links = permalinks(items, page)
    if candidate.strategy == ENDS:
        links = [item.link for item in items]
    elif candidate.strategy == "one posting" or is_page_of_release(items, analysis):
        links = [link or page.address for link in links]
    raws = [_raw(item, candidate.strategy) for item in items]  # before its nodes are dropped
    markups = [
        _markup(item, is_last=item is items[-1]) if has else ""
        for item, has in zip(items, with_text, strict=True)
    ]
    entries = [
        _entry(item, markup, link, page.base, raw)
        for item, markup, link, raw in zip(items, markups, links, raws, strict=True)
    ]
    return tuple(entry for entry in entries if entry.title)


def _raw(item: PageItem, strategy: str) -> dict[str, Json]:
    """Return what is known of an entry besides its fields."""
    source = item.dated.source if item.dated else "none"
    raw: dict[str, Json] = {"strategy": strategy, "date_source": source}
    if item.version:
        raw["version"] = one_line(item.version)
    types = badges(item)
    return raw | {"categories": list[Json](types)} if types else raw


def _entry(
    item: PageItem, markup: str, link: str | None, base: str, raw: dict[str, Json]
) -> ParsedEntry:
    html = clean_html(markup[:_LONGEST_MARKUP], base=base)
    summary = html_to_text(html)
    return ParsedEntry(
        vendor_id=item.vendor_id,
        title=without_marks(text_line(item.title)),
        url=link,
        published_at=item.dated.at if item.dated else None,
        date_source=item.dated.source if item.dated else "none",
        summary=summary or None,
        html=html or None,
        updated_at=item.updated_at,
        raw={**raw, "html": html} if html else raw,
    )


def _drop_permalink_signs(top: LexborNode) -> None:
    for link in top.css('a[href*="#"]') if top.is_element_node else ():
        if is_permalink_sign(link) and link.css_first("img") is None:
            link.decompose()


def _set_apart(top: LexborNode) -> None:
    """Put a space between labels that only the page's style sets apart: "Feature", "1 day ago"."""
    if not top.is_element_node or top.tag in _CODE:
        return
    for label in top.css(_LABELS):
        following = label.next
        if following is None or following.tag not in _LABEL_TAGS:
            continue
        if _is_worded(label) and _is_worded(following) and not inside(label, _CODE):
            label.insert_after(" ")


def _is_worded(label: LexborNode) -> bool:
    """Return whether a label holds a text of several letters and nothing else."""
    child = label.child
    is_leaf = child is not None and child.is_text_node and child.next is None
    return is_leaf and len(text_of(label)) > 1


def _markup(item: PageItem, *, is_last: bool) -> str:
    """Return an entry's markup without what repeats its title and its date, or leads elsewhere."""
    if item.markup is not None:
        return item.markup
    return clean_region(item.region, item.apart, is_last=is_last)


def clean_region(
    region: Sequence[LexborNode], apart: Sequence[LexborNode], *, is_last: bool
) -> str:
    """Return a region's markup, still the vendor's, without the nodes ``apart`` and its ending."""
    tops = {top.mem_id for top in region}
    left_out = {node.mem_id for node in apart}
    for node in apart:
        if node.mem_id not in tops:
            node.remove()
    pieces: list[str] = []
    length = 0
    kept = [top for top in region if top.mem_id not in left_out or len(region) == 1]
    for top in drop_ending(kept, is_last=is_last):
        if length > _LONGEST_MARKUP:
            break
        _drop_permalink_signs(top)
        _set_apart(top)
        cells = (f"<div>{inner_markup(cell)}</div>" for cell in top.iter())  # told apart
        pieces.append("".join(cells) if top.tag == "tr" else top.html or "")
        length += len(pieces[-1])
    return "".join(pieces)[:_LONGEST_MARKUP]
