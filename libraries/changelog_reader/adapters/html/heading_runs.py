"""Runs of headings that announce releases or days: the shape most changelogs have.

Levels may be mixed (minor versions as h2, patches as h3), nested under years, months or a
version they belong to, or absent (a bold start of a paragraph, a term of a list). Headings
with any title count as well where a date stands right before or after each of them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import (
    MOST_ITEMS,
    Candidate,
    EntryDate,
    PageAnalysis,
    PageItem,
)
from changelog_reader.adapters.html.label_runs import same_parent
from changelog_reader.adapters.html.nearby_dates import (
    LONGEST_LABEL,
    dates_another,
    dates_beside,
    is_day,
    is_subtitle,
    says_only_a_day,
)
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine, text_of
from changelog_reader.adapters.html.page import inside
from changelog_reader.adapters.html.product_names import product_names, sign_among
from changelog_reader.adapters.html.regions import regions
from changelog_reader.adapters.html.signs import Sign, SignKind, plain_line

_QUOTED = ("li", "dd", "td", "pre", "blockquote")  # a heading in one of these ends no entry
_FEW_WORDS = 6  # beside a title and a date: "— Diff — Docs"
_FEW_TITLES = 2  # that differ: one title above a day may be the page's own
_LONGEST_TITLE = 160  # characters of the rest of a line that may be a title


@dataclass(slots=True)
class Heading:
    """A heading that announces something, and the announcing ones ``below`` it.

    ``all_below`` counts all headings right below it, whatever they say. ``title`` is the line that
    titles it, where it is a day.
    """

    line: PageLine
    sign: Sign
    dated: EntryDate | None
    all_below: int = 0
    title: PageLine | None = None
    below: list["Heading"] = field(default_factory=list)


def heading_runs(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidates of headings that announce, real ones and acting ones."""
    kinds = (SignKind.VERSION, SignKind.DATE, SignKind.YEAR, SignKind.NOT_YET)
    names = product_names(analysis)
    announcing = [
        Heading(line, sign, analysis.dated(line))
        for line in analysis.lines
        if line.level and (sign := sign_among(line, names, analysis)).kind in kinds
    ]
    for real in (True, False):
        headings = [it for it in announcing if (it.line.level < PSEUDO_LEVEL) is real]
        for heading in headings:
            heading.all_below = _headings_right_below(heading.line, analysis)
        entries = list(_entries(_tree(headings)))
        if entries and not _only_subtitles(entries, analysis):
            _title_days(entries, analysis)
            yield candidate_of("headings" if real else "acting headings", entries, analysis)


def _each_release_once(entries: Sequence[Heading]) -> list[Heading]:
    """Return the headings without those that another heading of their release follows at once."""
    kept = list(entries[:1])
    for heading in entries[1:]:
        above = kept[-1]
        again = heading.sign.version and heading.sign.version == above.sign.version
        if again and heading.line.index == above.line.index + 1:
            heading.dated = heading.dated or above.dated
            kept.pop()
        kept.append(heading)
    return kept


def _only_subtitles(entries: Sequence[Heading], analysis: PageAnalysis) -> bool:
    """Return whether most of these headings are the dates of titles right above them."""
    subtitles = [
        line
        for heading in entries
        if (line := heading.line).index
        and is_subtitle(line, analysis.lines[line.index - 1], analysis)
    ]
    titles = {analysis.lines[line.index - 1].text for line in subtitles}
    return len(titles) >= _FEW_TITLES and len(subtitles) * 2 > len(entries)


def _title_days(entries: Sequence[Heading], analysis: PageAnalysis) -> None:
    """Title days by the one heading right below each, where nearly all of them have just one."""
    titles = {heading.line.index: _title_below(heading, analysis) for heading in entries}
    if sum(title is not None for title in titles.values()) * 5 >= len(entries) * 4:
        for heading in entries:
            heading.title = titles[heading.line.index]


def _title_below(heading: Heading, analysis: PageAnalysis) -> PageLine | None:
    below = analysis.lines[heading.line.index + 1 : heading.line.index + 2]
    if not (below and heading.all_below == 1 and says_only_a_day(heading.sign)):
        return None
    line, is_other = below[0], analysis.sign(below[0]).kind is SignKind.OTHER
    return line if heading.line.level < line.level < PSEUDO_LEVEL and is_other else None


def titled_runs(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidates of headings of one level that have a date right beside them."""
    for level in sorted({line.level for line in analysis.lines if line.level}):
        headings = [
            Heading(line, analysis.sign(line), None)
            for line in analysis.lines
            if line.level == level and not dates_another(line, analysis)
        ]
        if level == PSEUDO_LEVEL and all(heading.sign.announces for heading in headings):
            continue
        beside = dates_beside([heading.line for heading in headings], analysis)
        if len(beside) >= 2 and len(beside) * 2 >= len(headings):
            dated = list(_dated_by(headings, beside, analysis))
            yield candidate_of("dated headings", dated, analysis)


def _dated_by(
    headings: Sequence[Heading], beside: dict[int, PageLine], analysis: PageAnalysis
) -> Iterator[Heading]:
    """Yield the dated headings, and releases among them that have no date.

    A date above a heading is also that of the next ones below it.
    """
    last: EntryDate | None = None
    above: PageLine | None = None
    dated_titles: set[str] = set()
    for heading in headings:
        line = beside.get(heading.line.index)
        if line is not None:
            heading.dated = analysis.dated(line)
            last = heading.dated if line.index < heading.line.index else None
        elif last and heading.line.text not in dated_titles and _in_one_group(heading.line, above):
            heading.dated = last
        elif heading.sign.kind is not SignKind.VERSION:
            continue
        dated_titles.add(heading.line.text)
        above = heading.line
        yield heading


def _in_one_group(one: PageLine, other: PageLine | None) -> bool:
    """Return whether two headings are in boxes of their own inside one box."""
    first, second = one.node.parent, other.node.parent if other else None
    if other is None or first is None or second is None or same_parent(one.node, other.node):
        return False
    return same_parent(first, second)


def _tree(headings: Sequence[Heading]) -> list[Heading]:
    """Nest headings by their levels."""
    tops: list[Heading] = []
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].line.level >= heading.line.level:
            open_headings.pop()
        (open_headings[-1].below if open_headings else tops).append(heading)
        open_headings.append(heading)
    return tops


def _entries(siblings: Sequence[Heading]) -> Iterator[Heading]:
    """Yield the headings that are entries, in order."""
    for heading in siblings:
        if _is_group(heading, alone=len(siblings) == 1):
            for below in heading.below:
                if below.dated is None and heading.sign.kind is SignKind.DATE:
                    below.dated = heading.dated
            yield from _entries(heading.below)
            continue
        if (
            heading.dated is None
            and len(heading.below) == 1
            and heading.below[0].sign.kind is SignKind.DATE
        ):
            heading.dated = heading.below[0].dated
            heading.below = []
        if heading.sign.announces:
            yield heading
        yield from _entries(
            [below for below in heading.below if _same_form(heading.sign, below.sign)]
        )


def _headings_right_below(line: PageLine, analysis: PageAnalysis) -> int:
    """Return how many headings of the next level are below a heading."""
    levels: list[int] = []
    for index in range(line.index + 1, len(analysis.lines)):
        below = analysis.lines[index]
        if 0 < below.level <= line.level:
            break
        if line.level < below.level < PSEUDO_LEVEL or below.level == PSEUDO_LEVEL == line.level + 1:
            levels.append(below.level)
    return levels.count(min(levels)) if levels else 0


def _same_form(one: Sign, other: Sign) -> bool:
    """Return whether a deeper heading is a release of its own ("8.4.1" below "8.5.0")."""
    return (
        one.kind is other.kind is SignKind.VERSION
        and one.bare == other.bare
        and one.before == other.before
    )


def _is_group(heading: Heading, *, alone: bool) -> bool:
    """Return whether a heading only sorts the ones below it."""
    sign, below = heading.sign, heading.below
    if sign.kind in (SignKind.YEAR, SignKind.NOT_YET):
        return True
    versions = [child.sign for child in below if child.sign.kind is SignKind.VERSION]
    days = [child.sign for child in below if child.sign.kind is SignKind.DATE]
    if sign.kind is SignKind.DATE:
        coarse = sign.date is not None and not sign.date.is_day
        most = len(versions) * 2 > heading.all_below
        return most or (coarse and any(is_day(day) for day in days))
    if len(days) >= 2 and not versions:
        return sign.date is None
    if sign.date is not None or len(versions) < 2:
        return False
    if alone and not any(_same_form(sign, version) for version in versions):
        return True  # the title of the page, such as "Acme 3.2 release notes"
    stem = (sign.version or "").rstrip(".xX*") + "."
    within = [version for version in versions if (version.version or "").startswith(stem)]
    return len(within) >= 2 and len(within) * 2 > len(versions)


def candidate_of(strategy: str, entries: Sequence[Heading], analysis: PageAnalysis) -> Candidate:
    """Return the candidate of these headings, each with its part of the page."""
    entries = _each_release_once(entries)
    lines = [heading.line for heading in entries]
    beside = dates_beside(lines, analysis)
    starts = [
        min((line, beside.get(line.index, line)), key=lambda candidate: candidate.index).node
        for line in lines
    ]
    highest = min(line.level for line in lines)
    own = {line.node.mem_id for line in (*lines, *beside.values())}
    others = [
        line
        for line in analysis.lines
        if 0 < line.level <= highest
        and not inside(line.node, _QUOTED)
        and line.node.mem_id not in own
    ]
    texts = Counter(line.text for line in others if same_parent(line.node, lines[0].node))
    boundaries = [line.node for line in others if texts[line.text] <= 1]  # else parts of entries
    areas = regions(starts, analysis.page.body, boundaries)
    items = tuple(
        _page_item(heading, beside.get(heading.line.index), area, analysis)
        for heading, area in zip(entries[:MOST_ITEMS], areas, strict=False)
    )
    return Candidate(strategy, items)


def _page_item(
    heading: Heading, beside: PageLine | None, area: tuple[LexborNode, ...], analysis: PageAnalysis
) -> PageItem:
    dated = heading.dated or (analysis.dated(beside) if beside else None)
    apart = beside is not None and beside.index != heading.line.index
    item = PageItem(
        title=_title(heading, beside, analysis),
        dated=dated,
        region=area,
        heading=heading.line.node,
        date_node=beside.node if beside is not None and apart else None,
        apart=(*_title_nodes(heading.line, analysis), *(beside.nodes if beside and apart else ())),
        link=_date_link(beside) if beside is not None and apart else None,
        version=heading.sign.version,
    )
    if heading.title is not None:
        apart_too = (*item.apart, *heading.title.nodes)
        return replace(item, title=heading.title.title, apart=apart_too)
    if not says_only_a_day(heading.sign):
        return item
    acting = heading.line.level == PSEUDO_LEVEL
    return _titled_by_link(item) if acting else _titled_by_label(item, heading.line, analysis)


def _title(heading: Heading, beside: PageLine | None, analysis: PageAnalysis) -> str:
    """Return a heading's text, without its date where it has other words.

    Of a bold day at the start of a line ("**May 7** – Faster search") the remainder is the title.
    """
    line, sign = heading.line, heading.sign
    if sign.kind is SignKind.OTHER and beside is line:
        return analysis.without_date(line) or line.title
    remainder = analysis.without_date(line) if line.level == PSEUDO_LEVEL else ""
    in_front = line.text.startswith(plain_line(line.title)) and line.text != line.title
    remainder_is_title = (
        in_front and sign.kind is SignKind.DATE and 3 <= len(remainder) <= _LONGEST_TITLE
    )
    return remainder if remainder_is_title else line.title


def _titled_by_label(item: PageItem, line: PageLine, analysis: PageAnalysis) -> PageItem:
    """Return the entry under the version label beside its date, where there is one."""
    own = {label_line.index for label_line in analysis.lines_in(item.region)}
    for index in (line.index - 1, line.index + 1):
        near = analysis.lines[index] if 0 <= index < len(analysis.lines) else None
        if near is None or near.index not in own or near.level not in (0, PSEUDO_LEVEL):
            continue
        sign = analysis.sign(near)
        if sign.kind is SignKind.VERSION and sign.bare and len(near.text) <= LONGEST_LABEL:
            apart = (*item.apart, *near.nodes)
            return replace(item, title=near.title, version=sign.version, apart=apart)
    return item


def _title_nodes(line: PageLine, analysis: PageAnalysis) -> tuple[LexborNode, ...]:
    """Return the nodes of a heading's line unless the line says more than the heading."""
    remainder = analysis.without_date(line).replace(plain_line(line.title), " ", 1)
    return line.nodes if line.level < PSEUDO_LEVEL or len(remainder.split()) <= _FEW_WORDS else ()


def _date_link(line: PageLine) -> str | None:
    """Return the link that a date is: many weblogs link an entry's page there."""
    for node in line.nodes:
        for link in (node, *node.css("a[href]")) if node.is_element_node else ():
            if link.tag == "a" and plain_line(text_of(link)) == line.text:
                return link.attributes.get("href")
    return None


def _titled_by_link(item: PageItem) -> PageItem:
    """Return the entry under the title of its link where it is nothing but a dated link."""
    links = [link for top in item.region if top.is_element_node for link in top.css("a[href]")]
    if len(links) != 1:
        return item
    title = plain_line(text_of(links[0]))
    text_length = sum(len(plain_line(text_of(top))) for top in item.region) - len(item.title)
    if not title or len(title) * 2 < text_length:
        return item
    return replace(item, title=title, link=links[0].attributes.get("href"), date_node=item.heading)
