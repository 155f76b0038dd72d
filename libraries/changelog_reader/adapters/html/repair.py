"""Repair of a recipe after a page was redesigned.

The entries stored last are the anchors. Every selector that the places of their titles have in
common is tried as a recipe; one is believed only if it finds again at least four fifths of the
anchors that the page still shows, proposes at most three times as many entries, dates them as they
are stored, and gives them more than a title: a navigation that lists old titles is no changelog.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from changelog_reader.adapters.html.anchors import (
    day_agrees,
    lines_of_entries,
    same_link,
    title_key,
)
from changelog_reader.adapters.html.candidate import (
    Candidate,
    PageAnalysis,
    PageItem,
    analysed_page,
)
from changelog_reader.adapters.html.dates import DateHabits
from changelog_reader.adapters.html.outline import PageLine
from changelog_reader.adapters.html.permalinks import permalinks
from changelog_reader.adapters.html.ranking import has_text
from changelog_reader.adapters.html.reader import entries_of
from changelog_reader.adapters.html.recipe import Recipe, apply_recipe, starts_of

LEAST_OVERLAP = 0.3  # share of the stored entries below which a repair is tried
LEAST_RECOVERED = 0.8  # share of the anchors on the page that must be found again
MOST_CANDIDATES = 3  # times as many entries as anchors may be proposed
FEWEST_ANCHORS = 3  # of which a structure can be generalised
_MOST_RECIPES = 60  # that are tried on one page
_MOST_CLIMB = 7  # elements above a title that may hold its entry
Repaired: TypeAlias = tuple[Recipe, tuple[ParsedEntry, ...]]
"""A new structure that was accepted, and its entries in the page's order.

Those that are stored carry their stored id as the vendor's, so that they keep it whatever their new
links and titles are.
"""


@dataclass(frozen=True, slots=True)
class _Trial:
    recipe: Recipe
    candidate: Candidate
    pairs: dict[str, int]
    problem: str | None
    rank: tuple[float, ...]


def needs_repair(document: ParsedDocument, stored_entries: Sequence[KnownEntry]) -> bool:
    """Return whether what a page gave has too little in common with what is stored."""
    if not stored_entries:
        return False
    habits = DateHabits()
    keys = {title_key(entry.title, habits) for entry in document.entries}
    shown = [
        stored
        for stored in stored_entries
        if title_key(stored.title, habits) in keys
        or any(same_link(stored.url, entry.url) for entry in document.entries)
    ]
    return len(shown) < LEAST_OVERLAP * len(stored_entries)


def repair(
    body: bytes, *, address: str, content_type: str | None, stored_entries: Sequence[KnownEntry]
) -> Repaired | str:
    """Return the page's new structure as a recipe with its entries, or why there is none.

    ``stored_entries`` are the entries stored last, newest first. Raises what parse_page raises.
    """
    with analysed_page(body, address=address, content_type=content_type) as analysis:
        return _repair(analysis, stored_entries)


def _repair(analysis: PageAnalysis, stored_entries: Sequence[KnownEntry]) -> Repaired | str:
    anchors = lines_of_entries(stored_entries, analysis)
    if len(anchors) < min(FEWEST_ANCHORS, len(stored_entries)) or not anchors:
        return f"{len(anchors)} of {len(stored_entries)} stored entries are on the page."
    present = [entry for entry in stored_entries if entry.id in anchors]
    recipes = _differing(_recipes(anchors), analysis, most=MOST_CANDIDATES * len(present) + 1)
    trials = [_tried(recipe, analysis, present) for recipe in recipes]
    good = [trial for trial in trials if trial.problem is None]
    if not good:
        best = max(trials, key=lambda trial: trial.rank, default=None)
        return (best and best.problem) or "The stored titles share no structure."
    best = max(good, key=lambda trial: trial.rank)
    return _repaired(best, analysis)


def _repaired(trial: _Trial, analysis: PageAnalysis) -> Repaired:
    ids = {place: entry_id for entry_id, place in trial.pairs.items()}
    items = tuple(
        replace(item, vendor_id=ids.get(place)) for place, item in enumerate(trial.candidate.items)
    )
    entries = entries_of(replace(trial.candidate, items=items), analysis)
    return trial.recipe, entries


def _differing(recipes: Iterator[Recipe], analysis: PageAnalysis, *, most: int) -> Iterator[Recipe]:
    """Yield the recipes that find other elements than the ones before.

    One that finds far too many is tried once, for its reason.
    """
    earlier: set[tuple[bool, tuple[int, ...]]] = set()
    for recipe in recipes:
        starts = starts_of(recipe, analysis)
        key = (bool(recipe.title), tuple(node.mem_id for node in starts[:most]))
        if key not in earlier:
            earlier.add(key)
            yield recipe


def _recipes(anchors: Mapping[str, Sequence[PageLine]]) -> Iterator[Recipe]:
    """Yield recipes from what the titles' elements and those around them have in common."""
    shapes: Counter[tuple[str, str]] = Counter()
    for lines in anchors.values():
        tried: set[tuple[str, str]] = set()
        for line in lines[:6]:
            node = line.node if line.node.is_element_node else line.node.parent
            if node is not None:
                tried.update(_shapes(node))
        shapes.update(tried)
    least = LEAST_RECOVERED * len(anchors)
    common = [(shape, times) for shape, times in shapes.items() if times >= least]
    common.sort(key=lambda counted: (-counted[1], -len(counted[0][0]), counted[0]))
    for (entry, title), _ in common[:_MOST_RECIPES]:
        yield Recipe(entry=entry, title=title)


def _shapes(title: LexborNode) -> Iterator[tuple[str, str]]:
    """Yield selectors of a title and of what may hold it, with the title's inside it."""
    inner = _selectors(title)
    for entry in inner:
        yield entry, "&"
        yield entry, ""
    holder = title.parent
    for _ in range(_MOST_CLIMB):
        if holder is None or holder.tag in ("body", "html", "main", "tbody", "ul", "ol", "dl"):
            return
        for entry in _selectors(holder):
            yield entry, inner[0]
            yield entry, ""
        holder = holder.parent


def _selectors(node: LexborNode) -> list[str]:
    """Return selectors of a node from the most particular to its bare tag."""
    tag = node.tag or "*"
    selector = tag + "".join(f".{name}" for name in _classes(node))
    parent = node.parent
    above = (parent.tag or "") if parent is not None else ""
    selectors = [selector]
    if above and parent is not None:
        selector_above = above + "".join(f".{name}" for name in _classes(parent))
        selectors.append(f"{selector_above} > {selector}")
        selectors.append(f"{above} > {tag}")
    selectors.append(tag)
    return list(dict.fromkeys(selectors))


def _classes(node: LexborNode) -> list[str]:
    classes = (node.attributes.get("class") or "").split()
    return sorted({name for name in classes if name.replace("-", "a").isidentifier()})[:4]


def _tried(recipe: Recipe, analysis: PageAnalysis, present: Sequence[KnownEntry]) -> _Trial:
    """Return how a recipe does, with the first rule that it breaks."""
    candidate = apply_recipe(recipe, analysis)
    items = candidate.items
    links = permalinks(items, analysis.page) if items else []
    pairs = _paired(items, links, present, analysis)
    recovered = len(pairs) / len(present)
    with_content = [place for place in pairs.values() if _has_content(items[place], analysis)]
    share_with_content = len(with_content) / len(pairs) if pairs else 0.0
    strange = len(items) - len(pairs)
    problem = None
    if recovered < LEAST_RECOVERED:
        problem = (
            f"Only {len(pairs)} of {len(present)} stored entries on the page were found again."
        )
    elif len(items) > MOST_CANDIDATES * len(present):
        problem = f"{len(items)} entries were proposed for {len(present)} stored ones."
    elif share_with_content < LEAST_RECOVERED:
        problem = "The stored titles are on the page, but without their dates and texts."
    elif not _strangers_are_dated(pairs, items):
        problem = "Among the stored entries there are others without a date."
    linked = sum(
        same_link(entry.url, links[pairs[entry.id]]) for entry in present if entry.id in pairs
    )
    dated = sum(item.dated is not None for item in items)
    length = sum(len(analysis.lines_in(item.region)) for item in items)
    rank = (recovered, share_with_content, -strange, linked, dated, length)
    return _Trial(recipe, candidate, pairs, problem, rank)


def _paired(
    items: Sequence[PageItem],
    links: Sequence[str | None],
    present: Sequence[KnownEntry],
    analysis: PageAnalysis,
) -> dict[str, int]:
    """Return the place of the page's item for each stored entry, by link first, then by title."""
    pairs: dict[str, int] = {}
    taken: set[int] = set()
    keys = [title_key(item.title, analysis.habits) for item in items]
    for by_link in (True, False):
        for entry in present:
            if entry.id in pairs:
                continue
            key = title_key(entry.title, analysis.habits)
            for place, item in enumerate(items):
                same = same_link(entry.url, links[place]) if by_link else keys[place] == key
                if (
                    same
                    and place not in taken
                    and day_agrees(entry, item.dated.at if item.dated else None)
                ):
                    pairs[entry.id] = place
                    taken.add(place)
                    break
    return pairs


def _has_content(item: PageItem, analysis: PageAnalysis) -> bool:
    """Return whether an entry has a text, or a date outside its title and a page of its own."""
    return has_text(item, analysis.habits) or (item.date_node is not None and item.link is not None)


def _strangers_are_dated(pairs: dict[str, int], items: Sequence[PageItem]) -> bool:
    places = set(pairs.values())
    dated_matches = sum(items[place].dated is not None for place in places)
    if dated_matches * 2 < len(places):
        return True
    return all(item.dated for place, item in enumerate(items) if place not in places)
