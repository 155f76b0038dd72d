"""Entries from the rows of tables whose header says what the columns hold.

A row is one release or one change: "Version | Date | Notes", "Change | Description | Date".
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import (
    MOST_ITEMS,
    Candidate,
    EntryDate,
    PageAnalysis,
    PageItem,
)
from changelog_reader.adapters.html.dates import DateHabits, only_date
from changelog_reader.adapters.html.label_runs import leads_on, main_link, same_parent
from changelog_reader.adapters.html.outline import inner_markup, text_of
from changelog_reader.adapters.html.signs import plain_line, written_line
from changelog_reader.adapters.html.words import PHRASES
from changelog_reader.content.dates import parse_timestamp

_NO_ROWS: list[Sequence[LexborNode]] = [()]
_MOST_COLUMNS = 12
_LONGEST_NAME = 160  # characters of a cell that may title its row
_DATE, _VERSION, _NAME = (PHRASES[f"{name}_column"] for name in ("date", "version", "name"))
_KNOWN = frozenset((*_DATE, *_VERSION, *_NAME))


def table_rows(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the rows of each kind of table on the page, those with the same header together."""
    kinds: dict[tuple[str, ...], list[Sequence[LexborNode]]] = {}
    for table in analysis.page.body.css("table:not(:has(table))"):
        header, *rows = rows_of(table) or _NO_ROWS
        names = tuple(plain_line(text_of(cell)).lower().strip(" :*") for cell in header)
        is_header = all(cell.tag == "th" for cell in header) or not _KNOWN.isdisjoint(names)
        if 2 <= len(names) <= _MOST_COLUMNS and is_header:
            kinds.setdefault(names, []).extend(row for row in rows if len(row) == len(names))
    for names, rows in kinds.items():
        columns = _columns(names, rows, analysis.habits)
        if columns is not None:
            items = (_item(row, columns, names, analysis) for row in rows)
            found = tuple(islice((item for item in items if item is not None), MOST_ITEMS))
            if found:
                yield Candidate("table rows", found)


def rows_of(table: LexborNode, *, wide: bool = False) -> list[Sequence[LexborNode]]:
    """Return the cells of the rows of a table, a cell that spans rows in each of them.

    With ``wide`` a cell that spans columns is in each of them, too.
    """
    rows: list[Sequence[LexborNode]] = []
    spans: dict[int, tuple[int, LexborNode]] = {}  # by column: rows left, cell
    for row in table.css("tr"):
        own = [cell for cell in row.iter() if cell.tag in ("td", "th")]
        cells: list[LexborNode] = []
        while (own or len(cells) in spans) and len(cells) <= _MOST_COLUMNS:
            column = len(cells)
            is_own = column not in spans
            left, cell = (_span(own[0], "row"), own.pop(0)) if is_own else spans.pop(column)
            for place in range(column, column + (_span(cell, "col") if wide and is_own else 1)):
                cells.append(cell)
                if left > 1:
                    spans[place] = (left - 1, cell)
        rows.append(tuple(cells))
    return rows


def _span(cell: LexborNode, of: str) -> int:
    stated = cell.attributes.get(f"{of}span") or "1"
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 4 else 1


def _columns(
    names: Sequence[str], rows: Sequence[Sequence[LexborNode]], habits: DateHabits
) -> tuple[int, int | None] | None:
    """Return the columns that name and date a row; None of a table that lists something else.

    Of several columns of dates one has to be called the date; a table of dates alone has no news.
    """
    texts = [[plain_line(text_of(row[column])) for row in rows] for column in range(len(names))]
    days = [
        column
        for column, cells in enumerate(texts)
        if sum(only_date(cell, habits) is not None for cell in cells) * 2 > len(cells)
    ]
    date = next((column for column, name in enumerate(names) if name in _DATE), None)
    if date is None and len(days) == 1:
        date = days[0]
    versions = [column for column, name in enumerate(names) if name in _VERSION]
    others = [column for column in range(len(names)) if column != date and column not in days]
    has_news = len(others) > 1 or names[others[0]] in _NAME if others else False
    if not has_news or (date is None and (days or not versions)):
        return None
    named = [column for column, name in enumerate(names) if name in _NAME]
    for column in dict.fromkeys((*versions, *named, *others)):
        names_of_rows = {text for text in texts[column] if 0 < len(text) <= _LONGEST_NAME}
        if len(names_of_rows) >= len(rows) * (0.5 if column in named else 0.8):
            return column, date
    return None


def _item(
    row: Sequence[LexborNode],
    columns: tuple[int, int | None],
    names: Sequence[str],
    analysis: PageAnalysis,
) -> PageItem | None:
    """Return the entry of a row; None of a row that has neither a version nor a date."""
    column, date_column = columns
    dated = None if date_column is None else _dated(row[date_column], analysis)
    title = row[column]
    name, is_version = written_line(text_of(title)), names[column] in _VERSION
    if not name or (dated is None and not is_version):
        return None
    own = tuple(cell for cell in row if same_parent(cell, title))
    link = title.css_first("a[href]") or main_link(own, None)
    others = [cell for place, cell in enumerate(row) if place not in columns]
    texts = [cell for cell in others if not leads_on(plain_line(text_of(cell)))]
    return PageItem(
        title=name,
        dated=dated,
        region=own,
        heading=title,
        date_node=None if date_column is None else row[date_column],
        link=link.attributes.get("href") if link is not None else None,
        markup="".join(f"<div>{inner_markup(cell)}</div>" for cell in texts),
        version=name if is_version else None,
    )


def _dated(cell: LexborNode, analysis: PageAnalysis) -> EntryDate | None:
    marked = cell.css_first("time[datetime]")
    at = parse_timestamp(marked.attributes.get("datetime") or "") if marked is not None else None
    if at is not None:
        return EntryDate(at, "time[datetime]")
    date = only_date(plain_line(text_of(cell)), analysis.habits)
    return None if date is None else EntryDate(date.at, "text")
