"""A recipe: where a page's entries are, as CSS selectors. Nothing in it is executed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.html.candidate import Candidate, EntryDate, PageAnalysis, PageItem
from changelog_reader.adapters.html.dates import find_date
from changelog_reader.adapters.html.label_runs import page_item_in
from changelog_reader.adapters.html.outline import heading_text, text_of
from changelog_reader.adapters.html.regions import ancestors, regions
from changelog_reader.adapters.html.signs import plain_line
from changelog_reader.content.dates import parse_timestamp

_NOWHERE = LexborHTMLParser("<p>").css("p")[0]  # where selectors are tried
_LONGEST_SELECTOR = 500  # characters


@dataclass(frozen=True, slots=True)
class Recipe:
    """Selectors of a page's entries.

    ``entry`` finds each entry's element or, on flat pages, the element each entry starts
    with. The others are looked for inside the entry; an empty one leaves the choice to the
    adapter. ``title`` may be "&", which means the entry's element itself.
    """

    entry: str
    title: str = ""
    date: str = ""
    link: str = ""
    body: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the recipe as a JSON object; empty selectors are left out."""
        return {name: selector for name, selector in asdict(self).items() if selector}

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Recipe":
        """Return the recipe of a JSON object; raises UnreadableDocument for anything else."""
        names = cls.__dataclass_fields__
        unknown = [name for name in value if name not in names]
        if unknown:
            raise UnreadableDocument(f"A recipe has no {unknown[0][:40]}.")
        texts = {name: text for name, text in value.items() if isinstance(text, str)}
        if len(texts) != len(value) or any(
            len(text) > _LONGEST_SELECTOR for text in texts.values()
        ):
            raise UnreadableDocument(
                "Each selector of a recipe is a text of at most 500 characters."
            )
        if not texts.get("entry", "").strip():
            raise UnreadableDocument("A recipe needs the selector of its entries.")
        for name, selector in texts.items():
            if selector and not (name == "title" and selector == "&"):
                _css(_NOWHERE, selector)
        return cls(**texts)


def starts_of(recipe: Recipe, analysis: PageAnalysis) -> list[LexborNode]:
    """Return the elements that a recipe's entries are or start with."""
    nodes = _css(analysis.page.body, recipe.entry)
    chosen = {node.mem_id for node in nodes}
    return [node for node in nodes if not any(above.mem_id in chosen for above in ancestors(node))]


def apply_recipe(recipe: Recipe, analysis: PageAnalysis) -> Candidate:
    """Return what a recipe finds on a page. Raises UnreadableDocument for a broken selector."""
    starts = starts_of(recipe, analysis)
    flat = _flat(starts, analysis)
    areas = regions(starts, analysis.page.body) if flat else [(node,) for node in starts]
    items = []
    for start, area in zip(starts, areas, strict=True):
        item = _page_item(recipe, start, area, analysis)
        if item is not None:
            items.append(item)
    return Candidate("recipe", tuple(items))


def _css(root: LexborNode, selector: str) -> list[LexborNode]:
    try:
        return root.css(selector)
    except SelectolaxError as error:
        raise UnreadableDocument(f"The selector {selector[:80]!r} cannot be read.") from error


def _flat(starts: list[LexborNode], analysis: PageAnalysis) -> bool:
    """Return whether the elements are what entries start with, not what holds them."""
    short = [node for node in starts if len(analysis.lines_in((node,))) <= 1]
    return len(short) * 2 > len(starts)


def _page_item(
    recipe: Recipe, start: LexborNode, area: tuple[LexborNode, ...], analysis: PageAnalysis
) -> PageItem | None:
    guess = page_item_in(area, analysis, start=None)
    if guess is None:
        return None
    title = _inside(area, recipe.title, start)
    date = _inside(area, recipe.date, start)
    link = _inside(area, recipe.link, start)
    body = _inside(area, recipe.body, start)
    dated = _dated_by(date, analysis) if date is not None else guess.dated
    return PageItem(
        title=heading_text(title) if title is not None else guess.title,
        dated=dated or guess.dated,
        region=area if body is None else (body,),
        heading=title if title is not None else guess.heading,
        date_node=date if date is not None else guess.date_node,
        apart=tuple(node for node in (title, date) if node is not None) or guess.apart,
        link=(link.attributes.get("href") if link is not None else None) or guess.link,
        version=guess.version,
    )


def _inside(area: tuple[LexborNode, ...], selector: str, start: LexborNode) -> LexborNode | None:
    if not selector:
        return None
    if selector == "&":
        return start
    for top in area:
        if top.is_element_node:
            nodes = _css(top, selector)
            if nodes:
                return nodes[0]
    return None


def _dated_by(node: LexborNode, analysis: PageAnalysis) -> EntryDate | None:
    """Return the date of an element that a recipe points to."""
    for line in analysis.lines_in((node,)):
        if date := analysis.dated(line):
            return date
    stamp = node if node.tag == "time" else node.css_first("time[datetime]")
    at = parse_timestamp(stamp.attributes.get("datetime") or "") if stamp is not None else None
    if at is not None:
        return EntryDate(at, "time[datetime]")
    written = find_date(plain_line(text_of(node)), analysis.habits)
    return EntryDate(written.at, "text") if written else None
