"""Entries from the rows of tables, and of lists, that tell what ends: deprecations, life cycles.

A row's text is the table's header and the row, which importance reads again. Its id is made of the
page, the heading above, and what ends, so that another day is an edit.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from urllib.parse import urldefrag

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import (
    MOST_ITEMS,
    Candidate,
    EntryDate,
    PageAnalysis,
    PageItem,
)
from changelog_reader.adapters.html.outline import PageLine, text_of
from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.tables import rows_of
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.importance.classify import classify
from changelog_reader.importance.dates import mentions
from changelog_reader.importance.end_rows import (
    KINDS,
    SAID,
    EndColumns,
    columns_of,
    day_in,
    held_by,
    said_in,
)
from changelog_reader.vocabulary import ENDS

_Nodes = tuple[LexborNode, ...]
_Place = tuple[str, str]  # the address of a table or list, and the heading above it
_GONE = "del, s, strike, sup"
_NEAR = 3  # elements around a heading that may have its anchor


def end_tables(analysis: PageAnalysis, other: Candidate | None) -> Candidate | None:
    """Return the rows of a page that is about ends, or has no ``other`` entries; else None."""
    about = f"{urldefrag(analysis.page.address).url} {analysis.page.title}"
    first = next((line.text for line in analysis.lines if line.level), "")
    items: list[PageItem] = []
    for table in analysis.page.body.css("table:not(:has(table))"):
        if len(items) < MOST_ITEMS:
            items += _items(table, analysis, about)
    if not items and other is None:
        items = _listed(analysis, f"{about} {first}")
    found = Candidate(ENDS, tuple(items[:MOST_ITEMS])) if items else None
    if found is None or other is None or SAID["page"].search(f"{about} {first}"):
        return found
    return None if besides(other, found, analysis).items else found


def besides(other: Candidate, ends: Candidate, analysis: PageAnalysis) -> Candidate:
    """Return the entries of another strategy that hold no row of a table of ends."""
    listed = {line.index for item in ends.items for line in analysis.lines_in(item.region)}
    items = [
        item
        for item in other.items
        if item.region and listed.isdisjoint(it.index for it in analysis.lines_in(item.region))
    ]
    return Candidate(other.strategy, tuple(items))


def _listed(analysis: PageAnalysis, about: str) -> list[PageItem]:
    """Return the items of lists that say what ends, of a page that is about ends or is all such."""
    items: list[PageItem] = []
    told = analysis.page.body.css("li:not(:has(li))")[:MOST_ITEMS]
    for node in told:
        text = " ".join(text_of(node).split())
        for end in classify("", text).deadlines[:1]:
            above = _heading(node, analysis)
            place = _link(above, analysis), above.text if above is not None else ""
            markup = f"<ul><li>{escape(text)}</li></ul>"
            items += [_item(end.subject, markup, (node,), place, None)] if end.subject else []
    return items if SAID["page"].search(about) or 1 < len(items) == len(told) else []


def _items(table: LexborNode, analysis: PageAnalysis, about: str) -> list[PageItem]:
    """Return the rows of a table as entries; none of one in which nothing ends on a day."""
    for node in table.css(_GONE):
        if node.tag != "sup" or SAID["footnote"].fullmatch(f"[{text_of(node).strip()}]"):
            node.decompose()
    rows = [[(cell, _text(cell)) for cell in row] for row in rows_of(table)]
    names = [text for _, text in rows[0]] if rows else []
    above = _heading(table, analysis)
    heading = above.text if above is not None else ""
    columns = columns_of(names)
    day = next(mentions(heading), None)
    said = f"{heading} {about}"
    if columns is None and (SAID["page"].search(said) or held_by(heading) in KINDS):
        verb = "removed on" if SAID["removal"].search(about) else "ends on"
        open_ = _days(names, rows[1:]) if SAID["going"].search(said) else []
        if len(open_) == 1:
            names[open_[0]] = f"{names[open_[0]]} ({verb})"
        elif day is not None:
            names = [*names, verb.capitalize()]
            rows = [[*row, (row[-1][0], heading[day.start : day.end])] for row in rows if row]
        columns = columns_of(names)
    if columns is None:
        return []
    told = [row for row in rows[1:] if len(row) == len(names)]
    if not any(day_in(row[column][1]) for row in told for column, _ in columns.ends):
        return []
    link = _link(above, analysis)
    return [
        _of_row(names, cells, columns, tuple(cell for cell, _ in row), (link, heading))
        for row in told
        for cells in [[text for _, text in row]]
        if said_in(columns.name(cells))
    ]


def _days(names: Sequence[str], rows: Sequence[Sequence[tuple[LexborNode, str]]]) -> list[int]:
    """Return the columns of days whose headers do not say what happens on them."""
    told = [row for row in rows if len(row) == len(names)]
    return [
        column
        for column, name in enumerate(names)
        if held_by(name) == "other" or name.strip().lower() == "date"
        if 2 * sum(day_in(row[column][1]) is not None for row in told) > len(told)
    ]


def _of_row(
    names: Sequence[str],
    cells: Sequence[str],
    columns: EndColumns,
    region: _Nodes,
    place: _Place,
) -> PageItem:
    version = None if columns.version is None else said_in(cells[columns.version])
    title = said_in(columns.name(cells)) or ""
    written = "".join(
        "<tr>" + "".join(f"<td>{escape(text) or '–'}</td>" for text in row) + "</tr>"
        for row in (names, cells)
    )
    item = _item(title, f"<table>{written}</table>", region, place, version)
    dated = None if columns.published is None else _published(region[columns.published])
    return replace(item, dated=dated)


def _item(title: str, markup: str, region: _Nodes, place: _Place, version: str | None) -> PageItem:
    link, heading = place
    identity = "\n".join((urldefrag(link).url, heading, title, version or ""))
    id_ = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()
    return PageItem(title, None, region, link=link, markup=markup, vendor_id=id_, version=version)


def _published(cell: LexborNode) -> EntryDate | None:
    """Return the day on which a row was announced, or its version released."""
    day = day_in(_text(cell))
    at = parse_timestamp(day.first.isoformat()) if day and day.first == day.last else None
    return None if at is None else EntryDate(at, "text")


def _text(cell: LexborNode) -> str:
    return " ".join(text_of(cell).replace("|", "/").split())


def _heading(table: LexborNode, analysis: PageAnalysis) -> PageLine | None:
    """Return the heading above a table."""
    inside = analysis.lines_in((table,))
    before = analysis.lines[: inside[0].index][::-1] if inside else ()
    return next((line for line in before if line.level), None)


def _link(above: PageLine | None, analysis: PageAnalysis) -> str:
    """Return the address of a table: the page's, with the anchor of its heading if it has one."""
    page = urldefrag(analysis.page.address).url
    near: Iterator[LexborNode] = iter(())
    if above is not None:
        near = iter([above.node, *list(ancestors(above.node))[:_NEAR]])
    anchor = next((id_ for node in near if (id_ := node.attributes.get("id"))), None)
    return f"{page}#{anchor}" if anchor and anchor.isascii() and " " not in anchor else page
