"""The ends that tables tell: of models, products and features, and of the support of versions.

A table is a line for its header and one for each row, cells apart by " | ".
"""

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from changelog_reader.importance.dates import Mention, mentions
from changelog_reader.importance.ends import versions_of
from changelog_reader.importance.evidence import cut
from changelog_reader.importance.lazy_pattern import patterns_of, written
from changelog_reader.importance.results import MOST_DEADLINES, Deadline, Quote
from changelog_reader.vocabulary import DeadlineKind

MOST_COLUMNS = 12
_LONGEST = 160  # characters of a name
SAID = patterns_of(written("end_columns"))
KINDS = {name: DeadlineKind(name) for name in DeadlineKind} | {"life": DeadlineKind.END_OF_LIFE}
_NAMES = ["none", "footnote", "page", "starts", "version", "subject", "named", "going"]
_ORDER = [name for name in SAID if name not in _NAMES]
_WRITTEN = (
    (re.compile(r"\b(\d{1,2})-([A-Za-z]{3,9})-(20\d\d)\b"), r"\1 \2 \3"),
    (re.compile(r"^(20\d\d)[-/](0[1-9]|1[0-2])$"), lambda it: f"{month_name[int(it[2])]} {it[1]}"),
    (re.compile(r"^(20\d\d)$"), r"in \1"),
)
_NUMBERED = re.compile(r"v?\d", re.IGNORECASE)


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
        if version and (day_in(named) or not _NUMBERED.match(version)):
            named = self.product if _NUMBERED.match(version) else version
        return named if named.endswith(version) else f"{named} {version}".strip()


def columns_of(names: Sequence[str]) -> EndColumns | None:
    """Return what the columns of a table hold, by its header; None where it lists no ends."""
    ends: list[tuple[int, DeadlineKind]] = []
    found: dict[str, int] = {}
    product = ""
    others = []
    spans = any(map(SAID["starts"].match, names)) and not any(map(SAID["version"].match, names))
    for column, name in enumerate(names[: MOST_COLUMNS + 1]):
        version = SAID["version"].fullmatch(name.strip())
        held = "version" if version else held_by(name)
        if spans and held == "life":
            continue  # the end of an offer or a period that the table also begins
        if held in KINDS:
            ends.append((column, KINDS[held]))
        elif held == "other":
            others.append(column)
        elif held not in found:
            found[held] = column
            product = (version["product"] or "") if version else product
    others.sort(key=lambda it: [not SAID[said].search(names[it]) for said in ("named", "subject")])
    subject = next(iter(others), None)
    if not ends or (subject is None and "version" not in found):
        return None
    places = subject, found.get("version"), found.get("successor"), found.get("published")
    return EndColumns(tuple(ends), *places, product)


def held_by(name: str) -> str:
    """Return what a column holds, by its header: "other" for a name, and where it is unknown."""
    if SAID["named"].search(name) and SAID["subject"].search(name):
        return "other"
    return next((held for held in _ORDER if SAID[held].search(name)), "other")


def day_in(cell: str) -> Mention | None:
    """Return the day, or the days of a quarter or a month, that a cell holds."""
    text = SAID["footnote"].sub(" ", cell).strip()
    for form, standard in _WRITTEN:
        text = form.sub(standard, text)
    return next(mentions(text), None)


def said_in(cell: str) -> str | None:
    """Return what a cell says, None for "N/A"."""
    text = " ".join(SAID["footnote"].sub(" ", cell).split()).strip(" `")
    return None if SAID["none"].fullmatch(text) else text[:_LONGEST]


def row_ends(title: str, text: str) -> tuple[list[Deadline], list[int]]:
    """Return the ends in the tables of a text, each quoted with its row, and where rows begin."""
    found: list[Deadline] = []
    starts: list[int] = []
    columns: EndColumns | None = None
    width = at = 0
    for line in text.split("\n") if " | " in text else ():
        start, at = at, at + len(line) + 1
        cells = [cell.strip() for cell in line.split("|")]
        if columns is not None and len(cells) == width:
            starts.append(start)
            if len(found) < MOST_DEADLINES:
                found += _of_row(title, columns, cells, Quote("summary", line, start, at - 1))
        else:
            width = len(cells)
            columns = columns_of(cells) if 2 <= width <= MOST_COLUMNS else None
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
    start, end = cut(row.text, 0, len(row.text))
    quote = Quote(row.field, row.text[start:end], row.start + start, row.start + end)
    for column, kind in columns.ends:
        day = day_in(cells[column])
        if day is not None and subject:
            said = subject, versions, successor, version is None
            yield Deadline(kind, day.first, day.last, quote, *said)
