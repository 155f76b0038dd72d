"""Entries from the rows of tables, and of lists, that say what ends: deprecations, life cycles.

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
from changelog_reader.importance.end_rows import SAID, EndColumns, columns_of, day_in, said_in
from changelog_reader.vocabulary import ENDS

_Nodes = tuple[LexborNode, ...]
_Place = tuple[str, str]  # the address of a table or list, and the heading above it
_GONE = "del, s, strike, sup"
_NEAR = 3  # elements around a heading that may have its anchor


def end_tables(analysis: PageAnalysis, other: Candidate | None) -> Candidate | None:
    """Return the rows of a page that is about ends, or has no ``other`` entries; else None."""
    first = next((line.text for line in analysis.lines if line.level), "")
    about = f"{urldefrag(analysis.page.address).url} {analysis.page.title} {first}"
    items: list[PageItem] = []
    for table in analysis.page.body.css("table:not(:has(table))"):
        if len(items) < MOST_ITEMS:
            items += _items(table, analysis, about)
    if not items and other is None:
        items = _listed(analysis, about)
    found = Candidate(ENDS, tuple(items[:MOST_ITEMS])) if items else None
    if found is None or other is None or SAID["page"].search(about):
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
    """Return the items of lists that say what ends, by themselves or with the line above."""
    items: list[PageItem] = []
    for node in analysis.page.body.css("ul:not(:has(li li)), ol:not(:has(li li)), dl")[:MOST_ITEMS]:
        inside = analysis.lines_in((node,))
        line = analysis.lines[inside[0].index - 1].text if inside and inside[0].index else ""
        lead = f"{line.rstrip(' .:')}:" if classify("", line).deadlines else ""
        above = _heading(node, analysis)
        place = _link(above, analysis), above.text if above is not None else ""
        pairs = zip(node.css("dt"), node.css("dd"), strict=False)
        told: list[_Nodes] = [(it,) for it in node.css("li")] or list(pairs)
        found = []
        for nodes in told[:MOST_ITEMS]:
            text = ": ".join(" ".join(text_of(it).split()) for it in nodes)
            for end in classify("", f"{lead}\n\n- {text}").deadlines[:1]:
                markup = f"<p>{escape(lead)}</p><ul><li>{escape(text)}</li></ul>"
                found += [_item(end.subject, markup, nodes, place, None)] if end.subject else []
        is_list = len(found) == len(told) > (0 if lead else 1)
        items += found if is_list or SAID["page"].search(about) else []
    return items


def _items(table: LexborNode, analysis: PageAnalysis, about: str) -> list[PageItem]:
    """Return the rows of a table as entries; none of one in which nothing ends on a day."""
    above = _heading(table, analysis)
    heading = above.text if above is not None else ""
    said = f"{heading} {about}"
    names, nodes = _read(table)
    cells = [names, *([_text(cell) for cell in row] for row in nodes[1:])]
    columns = columns_of(names, cells[1:], said)
    day = next(mentions(heading), None)
    if columns is None and day is not None and SAID["going"].search(said):
        verb = "Removed on" if SAID["removal"].search(said) else "Ends on"
        told = heading[day.start : day.end]
        cells = [[*row, told if at else verb] for at, row in enumerate(cells)]
        columns = columns_of(cells[0], cells[1:])
    if columns is None:  # the table may list what ends by columns
        nodes = [*zip(*nodes, strict=False)]
        cells = [[*row] for row in zip(*cells, strict=False)]
        columns = columns_of(cells[0], cells[1:]) if cells else None
    if columns is None or not any(day_in(row[at]) for row in cells[1:] for at, _ in columns.ends):
        return []
    names, apart = list(cells[0]), cells[1:]
    for place, mark in columns.marks():  # until each row says by itself what all say together
        apart = [row for row in apart if columns_of(names, [row], columns.name(row)) != columns]
        names[place] += f" ({mark})" if apart else ""
    link = _link(above, analysis)
    return [
        _of_row(names, row, columns, region, (link, heading))
        for row, region in zip(cells[1:], nodes[1:], strict=True)
        if said_in(columns.name(row))
    ]


def _read(table: LexborNode) -> tuple[list[str], list[_Nodes]]:
    """Return the header of a table, which may be written in two rows, and its rows with it."""
    for node in table.css(_GONE):
        if node.tag != "sup" or SAID["footnote"].fullmatch(f"[{text_of(node).strip()}]"):
            node.decompose()
    rows = [tuple(row) for row in rows_of(table, wide=True)]
    rows = [row for row in rows if len({cell.mem_id for cell in row}) > 1] or [()]
    names = [_text(cell) for cell in rows[0]]
    is_wide = len({cell.mem_id for cell in rows[0]}) < len(names)
    if is_wide and len(rows) > 2 and not any(day_in(_text(cell)) for cell in rows[1]):
        below = [_text(cell) for cell in rows.pop(1)]
        both = zip(names, below, strict=False)
        names = [one if one == other else f"{one} {other}" for one, other in both]
    return names, [row for row in rows if len(row) == len(names)]


def _of_row(
    names: Sequence[str], cells: Sequence[str], columns: EndColumns, region: _Nodes, place: _Place
) -> PageItem:
    version = None if columns.version is None else said_in(cells[columns.version])
    title = said_in(columns.name(cells)) or ""
    written = "".join(
        "<tr>" + "".join(f"<td>{escape(text) or '–'}</td>" for text in row) + "</tr>"
        for row in (names, cells)
    )
    item = _item(title, f"<table>{written}</table>", region, place, version)
    day = None if columns.published is None else day_in(cells[columns.published])
    at = parse_timestamp(day.first.isoformat()) if day and day.first == day.last else None
    return replace(item, dated=None if at is None else EntryDate(at, "text"))


def _item(title: str, markup: str, region: _Nodes, place: _Place, version: str | None) -> PageItem:
    link, heading = place
    identity = "\n".join((urldefrag(link).url, heading, title, version or ""))
    id_ = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()
    return PageItem(title, None, region, link=link, markup=markup, vendor_id=id_, version=version)


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
