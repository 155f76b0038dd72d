"""Entries around dates and version labels that are in no heading.

Lists, cards, table rows and definition lists have in common that each entry holds one
date (or one version label) of the same shape. These are gathered by shape; the region
around each is the entry, and its title is looked for inside.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import MOST_ITEMS, Candidate, PageAnalysis, PageItem
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine, text_of
from changelog_reader.adapters.html.regions import ancestors, regions, same, signature
from changelog_reader.adapters.html.signs import SignKind, plain_line
from changelog_reader.adapters.html.words import CHANGELOG_WORDS, PHRASES, WORDS

_LONGEST_LABEL = 60  # characters of a version label
_MOST_WORDS = 4  # of a link that leads on
_LONGEST_TITLE = 160  # characters of a text that may be a title

_MORE = PHRASES["more_signs"]  # arrows come first
_STRUCTURES = {"tr": "table", "li": "list", "dd": "definition list", "dt": "definition list"}
_MARKED = (("article", "articles"), (".h-entry", "microformats"), (".hentry", "microformats"))


def label_runs(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield one candidate for each shape of dates or version labels that repeats."""
    for lines in _by_shape(analysis).values():
        if len(lines) < 2 or _headings_lead(lines, analysis):
            continue
        starts = _titles_above(lines, analysis) or lines
        areas = regions([line.node for line in starts], analysis.page.body)
        items = tuple(
            item
            for line, area in zip(lines[:MOST_ITEMS], areas, strict=False)
            if (item := page_item_in(area, analysis, start=line)) is not None
        )
        if len(items) >= 2:
            tag = areas[0][0].tag or ""
            yield Candidate(_STRUCTURES.get(tag, "repeated structure"), items)


def _titles_above(lines: Sequence[PageLine], analysis: PageAnalysis) -> list[PageLine] | None:
    """Return the lines right above all dates, where these alone have a shape of their own.

    This is how titles look that are above their dates, all entries being siblings.
    """
    above = [analysis.lines[line.index - 1] for line in lines if line.index]
    shape = _style_key(above[0].node) if above else ("", "")
    alike = [line for line in analysis.lines if not line.level and _style_key(line.node) == shape]
    own = len(above) == len(lines) == len(alike) and {*alike} == {*above}
    short = all(len(line.text) <= _LONGEST_TITLE and _says_something(line.text) for line in above)
    different = len({line.text for line in above}) == len(above)
    flat = all(_side_by_side(one, other) for one, other in zip(above, lines, strict=False))
    return above if own and short and different and flat else None


def _style_key(node: LexborNode) -> tuple[str, str]:
    """Return the tag and class of a node; a node without a class equals only itself."""
    classes = node.attributes.get("class") if node.is_element_node else None
    return (node.tag or "", classes) if classes else ("", str(node.mem_id))


def _side_by_side(title: PageLine, date: PageLine) -> bool:
    """Return whether a title's element and the date's, or what holds only that, are siblings."""
    node: LexborNode | None = date.node
    while node is not None and not same_parent(title.node, node):
        node = node.parent
        if node is not None and node.tag == "body":
            return False
    return node is not None


def marked_containers(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidates of elements that say of themselves to be entries."""
    for selector, strategy in _MARKED:
        nodes = [node for node in analysis.page.body.css(selector) if not _nested(node, selector)]
        items = tuple(
            item
            for node in nodes
            if (item := page_item_in((node,), analysis, start=None)) is not None
        )
        if items and len(items) * 2 >= len(nodes):
            yield Candidate(strategy, items)


def _by_shape(analysis: PageAnalysis) -> dict[str, list[PageLine]]:
    shapes: dict[str, list[PageLine]] = defaultdict(list)
    for line in analysis.lines:
        if line.level and line.level < 7:
            continue
        sign = analysis.sign(line)
        if analysis.dated(line):
            shapes[f"date in {signature(line.node)}"].append(line)
        elif sign.kind is SignKind.VERSION and sign.bare and len(line.text) <= _LONGEST_LABEL:
            shapes[f"version in {signature(line.node)}"].append(line)
    return shapes


def _headings_lead(lines: Sequence[PageLine], analysis: PageAnalysis) -> bool:
    """Return whether most lines come right after a heading: then the headings are the starts."""
    led = [line for line in lines if line.index and 0 < analysis.lines[line.index - 1].level <= 6]
    flat = [line for line in led if same_parent(line.node, analysis.lines[line.index - 1].node)]
    return len(flat) * 2 > len(lines)


def same_parent(one: LexborNode, other: LexborNode) -> bool:
    """Return whether two nodes are siblings."""
    return one.parent is not None and other.parent is not None and same(one.parent, other.parent)


def _nested(node: LexborNode, selector: str) -> bool:
    """Return whether a node lies in another that the selector, a tag or a class, finds."""
    name = selector.removeprefix(".")
    return any(
        name in (above.tag, *(above.attributes.get("class") or "").split())
        for above in ancestors(node)
        if above.is_element_node
    )


def page_item_in(
    area: tuple[LexborNode, ...], analysis: PageAnalysis, *, start: PageLine | None
) -> PageItem | None:
    """Return the entry of a region, or None when nothing in it can be its title."""
    lines = analysis.lines_in(area)
    dated_line = start if start and analysis.dated(start) else _dated_line(lines, analysis)
    dated = analysis.dated(dated_line) if dated_line else None
    title = _title_line(lines, analysis, dated_line)
    link = main_link(area, title)
    words = title.title if title else None
    if title is not None and title is dated_line and title.level in (0, PSEUDO_LEVEL):
        words = _beside_date(title, analysis, link)
    if words is None and link is not None:
        words = " ".join(link.text(deep=True).split())
    if not words:
        return None
    version = next(
        (sign.version for line in lines[:4] if (sign := analysis.sign(line)).version), None
    )
    return PageItem(
        title=words,
        dated=dated,
        region=area,
        heading=title.node if title and title.level else None,
        apart=_apart(title, dated_line),
        date_node=dated_line.node if dated_line and dated_line is not title else None,
        link=link.attributes.get("href") if link else None,
        version=version,
    )


def _apart(title: PageLine | None, dated: PageLine | None) -> tuple[LexborNode, ...]:
    """Return the nodes that say only the title or only the date."""
    short = [line for line in (title, dated) if line and len(line.text) <= _LONGEST_TITLE]
    return tuple(node for line in short for node in line.nodes)


def _dated_line(lines: Sequence[PageLine], analysis: PageAnalysis) -> PageLine | None:
    """Return the line that dates a region: a marked date before a written one."""
    dated = [(line, date) for line in lines[:12] if (date := analysis.dated(line))]
    stamped = [line for line, date in dated if date.source == "time[datetime]"]
    return stamped[0] if stamped else (dated[0][0] if dated else None)


def _title_line(
    lines: Sequence[PageLine], analysis: PageAnalysis, dated: PageLine | None
) -> PageLine | None:
    """Return the line to take the title from.

    The one heading of the highest level; else a version label; else the line that holds the date
    and a link or bold words; else the first short text that is not the date.
    """
    headings = [line for line in lines if 0 < line.level <= 6]
    if headings:
        highest = min(line.level for line in headings)
        top = [line for line in headings if line.level == highest]
        label = next((line for line in lines if analysis.sign(line).announces), None)
        first = headings[0]
        if len(top) == 1 or label is None:
            return top[0] if len(top) == 1 else first
        return label
    labels = [line for line in lines if analysis.sign(line).kind is SignKind.VERSION]
    if labels:
        return labels[0]
    if dated is not None and not dated.level and (_links(dated) or _is_bold(dated, analysis)):
        return dated
    for line in lines:
        if line is not dated and len(line.text) <= _LONGEST_TITLE and _says_something(line.text):
            return line
    others = [line for line in lines if line is not dated and _says_something(line.text)]
    return others[0] if others else dated


def _links(line: PageLine) -> bool:
    """Return whether a line holds a worded link to another page."""
    nodes = [node for node in line.nodes if node.is_element_node]
    links = [link for node in nodes for link in (node, *node.css("a[href]")) if link.tag == "a"]
    return any(_is_page_link(link) and _says_something(text_of(link)) for link in links)


def _is_bold(line: PageLine, analysis: PageAnalysis) -> bool:
    """Return whether all that a line says beside its date is in bold."""
    words = analysis.without_date(line)
    bold = (node.css("b, strong") for node in line.nodes if node.is_element_node)
    return _says_something(words) and any(
        plain_line(text_of(part)) == words for parts in bold for part in parts
    )


def _says_something(text: str) -> bool:
    return sum(character.isalpha() for character in text) >= 3


def main_link(area: Sequence[LexborNode], title: PageLine | None) -> LexborNode | None:
    """Return the link of an entry: of its title, else the region itself, else the only one."""
    if title is not None:
        for node in title.nodes:
            links = node.css("a[href]") if node.is_element_node else []
            inside = [node, *links] if node.tag == "a" else links
            worded = [link for link in inside if _is_page_link(link)]
            if worded:
                return max(worded, key=lambda link: len(link.text(deep=True)))
        holder = title.node.parent
        while holder is not None and holder.is_element_node:
            if holder.tag == "a" and _is_page_link(holder):
                return holder
            if any(same(holder, top) for top in area):
                break
            holder = holder.parent
    for top in area:
        if top.is_element_node and top.tag == "a" and _is_page_link(top):
            return top
    return _only_link(area, title)


def _only_link(area: Sequence[LexborNode], title: PageLine | None) -> LexborNode | None:
    """Return the only link of a region if it leads on to more, else the one with the title."""
    links = [
        link
        for top in area
        if top.is_element_node
        for link in top.css("a[href]")
        if _is_page_link(link)
    ]
    words = [plain_line(text_of(link)) for link in links]
    if len({link.attributes.get("href") for link in links}) == 1 and any(map(leads_on, words)):
        return links[0]
    titled = [link for link in links if title and plain_line(text_of(link)) == title.text]
    telling = [
        link
        for link in titled
        if any(word in (link.attributes.get("href") or "").lower() for word in CHANGELOG_WORDS)
    ]
    return next(iter([*telling, *titled]), None)


def leads_on(words: str) -> bool:
    """Return whether a link's words promise the whole entry ("Read more →")."""
    few = words.lower().split()
    if len(words) > _LONGEST_LABEL or len(few) > _MOST_WORDS:
        return False
    signs = words.startswith(_MORE) or words.endswith(_MORE[:3])
    return signs or not few or few[0].strip(".…!:") in WORDS["more"]


def _is_page_link(node: LexborNode) -> bool:
    link = (node.attributes.get("href") or "").strip().lower()
    return bool(link) and not link.startswith(("#", "javascript:", "mailto:", "tel:"))


def _beside_date(line: PageLine, analysis: PageAnalysis, link: LexborNode | None) -> str:
    """Return the words of a line that holds its date: its link's, or what the date leaves."""
    if link is not None and _says_something(link.text(deep=True)):
        return " ".join(link.text(deep=True).split())
    left = analysis.without_date(line)
    if not any(map(str.isalnum, left)):
        return line.text
    return left if len(left) <= _LONGEST_TITLE else f"{left[:_LONGEST_TITLE].rpartition(' ')[0]} …"
