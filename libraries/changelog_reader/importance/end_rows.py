"""The ends that tables tell: of models, products and features, and of the support of versions.

A table is a line for its header and one for each row, cells apart by " | ".
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from changelog_reader.importance.dates import YEAR, Mention, mentions
from changelog_reader.importance.ends import versions_of
from changelog_reader.importance.evidence import cut
from changelog_reader.importance.lazy_pattern import patterns_of, written
from changelog_reader.importance.results import MOST_DEADLINES, Deadline, Quote
from changelog_reader.vocabulary import DeadlineKind

MOST_COLUMNS = 12
_LONGEST = 160  # characters of a name
_NOTE = 70  # characters of cells that are no names
_SECTIONS = written("end_columns")
_MARKS: dict[str, str] = _SECTIONS.pop("marks")
_WRITTEN = [(re.compile(form), said) for form, said in _SECTIONS.pop("written").items()]
_MARKED = {f"{mark})": held for held, mark in _MARKS.items()} | {"ends on": "end_of_life"}
_DAYS, _WORDS, SAID = map(patterns_of, _SECTIONS.values())
_KINDS = {"life": DeadlineKind.END_OF_LIFE} | dict.fromkeys(
    ("gone", "closes"), DeadlineKind.REMOVAL
)
_KINDS |= {kind.value: kind for kind in DeadlineKind}
_WEAK = {"life", "closes", "migration", "end_of_sale"}  # of promotions and courses, too
_APART = ("successor", "ignored", "status")  # columns of words that name nothing that ends


class EndColumns(NamedTuple):
    """The columns of a table of ends; what ends is a subject, a version, or one of the other."""

    ends: tuple[tuple[int, DeadlineKind], ...]
    subject: int | None
    version: int | None
    successor: int | None
    published: int | None
    product: str = ""

    def name(self, cells: Sequence[str]) -> str:
        """Return the name of what ends in a row."""
        version = "" if self.version is None else cells[self.version]
        named = self.product if self.subject is None else cells[self.subject]
        if version and (day_in(named) or not SAID["numbered"].match(version)):
            named = self.product if SAID["numbered"].match(version) else version
        return named if named.endswith(version) else f"{named} {version}".strip()

    def marks(self) -> Iterator[tuple[int, str]]:
        """Yield the columns that hold something, with the words that say what."""
        yield from ((column, _MARKS[kind]) for column, kind in self.ends)
        others = zip(("name", "version", "successor", "published"), self[1:5], strict=True)
        yield from ((place, _MARKS[held]) for held, place in others if place is not None)


def columns_of(
    names: Sequence[str], rows: Sequence[Sequence[str]], said: str = ""
) -> EndColumns | None:
    """Return what the columns of a table hold, by its header, its cells and what is said around.

    None where it lists no ends. An "end" alone is one of a promotion, too: it needs more.
    """
    cells = [[row[column] for row in rows] for column in range(len(names))]
    marks = [_MARKED.get(name.strip().lower().rpartition("(")[2]) for name in names]
    filled = [[*filter(None, map(said_in, it))] for it in cells]
    dated = [2 * sum(day_in(cell) is not None for cell in it) > len(it) for it in filled]
    if not any(marks) and all(filled) and not any(dated):
        return None  # as of most tables
    columns = zip(marks, names, filled, dated, strict=True)
    held = [it or _held(name, told, is_dated=days) for it, name, told, days in columns]
    if any(map(SAID["starts"].search, names)) and not {"version", "successor"} & {*held}:
        held = ["ignored" if what == "life" else what for what in held]
    ends = [(column, _KINDS[what]) for column, what in enumerate(held) if what in _KINDS]
    found = {what: column for column, what in reversed([*enumerate(held)])}
    is_weak = all(held[column] in _WEAK for column, _ in ends)
    header = " ".join(names)
    is_about = found.keys() & {"version", "successor"} or SAID["page"].search(f"{said} {header}")
    if is_weak and (SAID["event"].search(header) or not is_about):
        return None
    days = [column for column, what in enumerate(held) if what == "when"]
    published = found.get("published")
    if ends and published is None and len(days) == 1 and SAID["date"].match(names[days[0]]):
        published = days[0]
    if not ends and len(days) == 1 and (SAID["going"].search(said) or "successor" in found):
        kind = DeadlineKind.REMOVAL if SAID["removal"].search(said) else DeadlineKind.END_OF_LIFE
        ends = [(days[0], kind)]
    others = [column for column, what in enumerate(held) if what in ("name", "other")]
    subject = min(others, key=lambda it: _order(names[it], cells[it], held[it]), default=None)
    if not ends or (subject is None and "version" not in found):
        return None
    product = _product(names[found["version"]]) if "version" in found else ""
    places = subject, found.get("version"), found.get("successor"), published
    return EndColumns(tuple(ends), *places, product)


def _held(name: str, filled: Sequence[str], *, is_dated: bool) -> str:
    """Return what a column holds: "when" for days, and "other" for words, that nothing explains."""
    name = name.strip()
    if SAID["version"].fullmatch(name):
        return "version"
    if SAID["replaced"].search(name):
        return "successor"
    known = _DAYS if is_dated or not filled else ()
    of_days = next((held for held in known if _DAYS[held].search(name)), "when")
    if is_dated:
        return "published" if of_days == "weak" else of_days
    if _WORDS["named"].search(name) and _WORDS["subject"].search(name):
        return "other"
    of_words = next((it for it in _WORDS if _WORDS[it].search(name)), "other")
    if filled and all(map(SAID["verb"].fullmatch, filled)):
        return "ignored"
    if filled and all(map(SAID["number"].fullmatch, filled)) and of_words not in _APART:
        is_count = all(cell.isdigit() and len(cell) > 3 for cell in filled)
        return "ignored" if is_count and name else "version"
    if not filled:
        return of_words if of_words in _APART else of_days
    is_note = sum(map(len, filled)) > _NOTE * len(filled)
    return "ignored" if is_note else "other" if of_words in ("named", "subject") else of_words


def _order(name: str, cells: Sequence[str], held: str) -> tuple[bool, ...]:
    """Return how likely a column has the names of what ends: those that differ first."""
    differ = 2 * len(set(cells)) > len(cells)
    is_subject = _WORDS["subject"].search(name) is not None
    return held != "name", not _WORDS["named"].search(name), not (is_subject and differ), not differ


def _product(name: str) -> str:
    """Return the product that the header of a column of versions names: "Node.js version"."""
    version = SAID["version"].fullmatch(name.strip())
    if version:
        return version["product"] or ""
    return "" if SAID["bare"].fullmatch(name) or name.endswith(")") else name


def day_in(cell: str) -> Mention | None:
    """Return the days that a cell holds: of a month the first and the last; of two the new one."""
    if not YEAR.search(cell):
        return None
    text = SAID["footnote"].sub(" ", cell).strip()
    for form, standard in _WRITTEN:
        text = form.sub(standard, text)
    found = list(mentions(text))
    return (found[-1] if SAID["moved"].search(text) else found[0]) if found else None


def said_in(cell: str) -> str | None:
    """Return what a cell says, None for "N/A"."""
    text = " ".join(SAID["footnote"].sub(" ", cell).split()).strip(" `")
    return None if SAID["none"].fullmatch(text) else text[:_LONGEST]


def row_ends(title: str, text: str) -> tuple[list[Deadline], list[int]]:
    """Return the ends in the tables of a text, each quoted with its row, and where rows begin."""
    found: list[Deadline] = []
    starts: list[int] = []
    tables: list[list[tuple[list[str], Quote]]] = [[]]
    at = 0
    for line in text.split("\n") if " | " in text else ():
        cells = [cell.strip() for cell in line.split("|")]
        row = cells, Quote("summary", line, at, at + len(line))
        at += len(line) + 1
        if tables[-1] and len(tables[-1][0][0]) != len(cells):
            tables.append([])
        tables[-1].append(row)
    for (names, _), *rows in filter(None, tables):
        is_table = 2 <= len(names) <= MOST_COLUMNS and rows
        columns = columns_of(names, [cells for cells, _ in rows], title) if is_table else None
        for cells, quote in rows if columns else ():
            starts.append(quote.start)
            if columns and len(found) < MOST_DEADLINES:
                found += _of_row(title, columns, cells, quote)
    return found[:MOST_DEADLINES], starts


def _of_row(
    title: str, columns: EndColumns, cells: Sequence[str], row: Quote
) -> Iterator[Deadline]:
    """Yield the ends of a row. Those of a version are listed, the others are announced."""
    version = None if columns.version is None else said_in(cells[columns.version])
    name = said_in(columns.name(cells))
    subject = title if version and title.endswith(version) else name
    versions = version.lower().removeprefix("v") if version else versions_of(subject or "")
    successor = None if columns.successor is None else said_in(cells[columns.successor])
    successor = successor and SAID["lead"].sub("", successor)
    start, end = cut(row.text, 0, len(row.text))
    quote = Quote(row.field, row.text[start:end], row.start + start, row.start + end)
    for column, kind in columns.ends:
        day = day_in(cells[column])
        if day is not None and subject:
            said = subject, versions, successor, version is None
            yield Deadline(kind, day.first, day.last, quote, *said)
