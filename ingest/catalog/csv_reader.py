"""A reader of catalogs: CSV text in, rows and named faults out."""

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from unicodedata import normalize

from ingest.catalog.checks import repetitions, row_faults, split_list
from ingest.catalog.rows import FURTHER, HEADER, SLUG_LIMIT, BadRow
from openapi.vocabulary import AdapterType, AddressStatus, Kind, Tier
from storage.catalog.rows import CatalogRow

_HEADER_LINE = ",".join(HEADER)


class UnreadableCatalog(ValueError):
    """The file is not text in UTF-8. The message says what to do."""


def decode_catalog(body: bytes) -> str:
    """Return the text of a catalog file in UTF-8, with or without a byte order mark.

    Raises UnreadableCatalog for any other encoding, naming the first line that is wrong.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableCatalog("The catalog is in UTF-16; save it as CSV in UTF-8.")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise UnreadableCatalog(
            f"Line {line} of the catalog is not UTF-8 (byte 0x{body[error.start]:02x});"
            " save the file as CSV in UTF-8."
        ) from error


def read_catalog(text: str) -> tuple[list[CatalogRow], list[BadRow]]:
    """Return the good rows of a catalog and every fault of the others, both in file order.

    A row with a fault is not among the good ones. Spaces around cells and tags, empty lines
    and either kind of line end are accepted.
    """
    records = csv_records(text)
    for line, cells in records:
        if isinstance(cells, str):
            return [], [BadRow(line, "", cells)]
        if fault := _header_fault(cells):
            return [], [BadRow(line, "", fault)]
        return _read_rows(records, cells)
    return [], [BadRow(1, "", f"The catalog is empty; start it with the line {_HEADER_LINE}")]


def _read_rows(
    records: Iterator[tuple[int, list[str] | str]], columns: Sequence[str]
) -> tuple[list[CatalogRow], list[BadRow]]:
    good: list[CatalogRow] = []
    bad: list[BadRow] = []
    lines: dict[tuple[str, ...], int] = {}
    for line, cells in records:
        cells_by_column, faults = _check_shape(cells, columns)
        if not faults:
            faults = list(row_faults(cells_by_column))
        if not faults:
            row = _as_row(cells_by_column)
            faults = list(repetitions(row, lines, line=line))
            if not faults:
                good.append(row)
        bad += [BadRow(line, _shown(cells_by_column.get("slug", "")), fault) for fault in faults]
    return good, bad


def csv_records(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield each record with its first line: its cells, or what is wrong with its quoting."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"The row is not valid CSV ({error}); correct its quotes and cells."
            continue
        if any(cells):
            yield line, [cell.strip() for cell in cells]


def _header_fault(cells: Sequence[str]) -> str | None:
    further = cells[len(HEADER) :]
    if tuple(cells[: len(HEADER)]) == HEADER and set(further) <= set(FURTHER):
        twice = len(set(further)) < len(further)
        return "The header names a column twice; name it once." if twice else None
    missing = [column for column in HEADER if column not in cells]
    fault = f"lacks {', '.join(missing)}" if missing else "has other columns or another order"
    return (
        f"The header {fault}; make the first line {_HEADER_LINE}, and after that what you have of "
        f"{', '.join(FURTHER)}."
    )


def _check_shape(
    cells: list[str] | str, columns: Sequence[str]
) -> tuple[Mapping[str, str], list[str]]:
    """Return the cells by column and what is wrong with the row's shape."""
    if isinstance(cells, str):
        return {}, [cells]
    cells_by_column = dict.fromkeys(FURTHER, "") | dict(zip(columns, cells, strict=False))
    if len(cells) == len(columns):
        return cells_by_column, []
    return cells_by_column, [
        f"The row has {len(cells)} cells instead of {len(columns)};"
        " add the missing ones, or quote a cell that holds a comma."
    ]


def _as_row(cells: Mapping[str, str]) -> CatalogRow:
    """Return a row of cells that have no fault."""
    return CatalogRow(
        slug=cells["slug"],
        vendor=cells["vendor"],
        name=normalize("NFC", cells["name"]),
        kind=Kind(cells["kind"]),
        homepage=cells["homepage"] or None,
        changelog_url=cells["changelog_url"],
        adapter_type=AdapterType(cells["adapter_type"]),
        feed_url=cells["feed_url"] or None,
        tags=split_list(cells["tags"]),
        tier=Tier(cells["tier"]) if cells["tier"] else None,
        aliases=tuple(normalize("NFC", alias) for alias in split_list(cells["aliases"])),
        basis=cells["basis"] or None,
        status=AddressStatus(cells["status"]) if cells["status"] else None,
    )


def _shown(slug: str) -> str:
    """Return a slug as far as a terminal can show it."""
    return "".join(character for character in slug[:SLUG_LIMIT] if character.isprintable())
