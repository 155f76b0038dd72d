"""Which packages sources are about: a CSV beside the catalog, each row with where it was seen."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from ingest.catalog.csv_reader import csv_records
from ingest.catalog.rows import SLUG, SLUG_LIMIT, BadRow
from package_versions.package_urls import PackageUrl
from storage.catalog.rows import SeenPackage

PACKAGE_HEADER: Final = ("slug", "purl", "seen_in")
"""The columns of the file, in this order."""
SEEN_IN_LIMIT: Final = 200
"""The most characters that say where a package was seen."""


def is_package_file(text: str) -> bool:
    """Return whether a text is a file of packages, by its first line."""
    cells = text.lstrip().partition("\n")[0].split(",")
    return tuple(cell.strip().strip('"') for cell in cells) == PACKAGE_HEADER


def read_packages(text: str) -> tuple[list[SeenPackage], list[BadRow]]:
    """Return the good rows of a file of packages and every fault of the others, in its order."""
    good: list[SeenPackage] = []
    bad: list[BadRow] = []
    lines: dict[tuple[str, str], int] = {}
    for line, cells in islice(csv_records(text), 1, None):
        faults = [cells] if isinstance(cells, str) else list(_faults(cells))
        slug = "" if isinstance(cells, str) else cells[0]
        if not faults and (first := lines.setdefault((slug, cells[1]), line)) != line:
            faults = [f"The same is on line {first}; remove one of the rows."]
        if not faults:
            good.append(SeenPackage(*cells))
        bad += [BadRow(line, slug[:SLUG_LIMIT], fault) for fault in faults]
    return good, bad


def write_packages(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as a file of packages, with its header and LF line ends."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(PACKAGE_HEADER)
    writer.writerows(rows)
    return written.getvalue()


def _faults(cells: Sequence[str]) -> Iterator[str]:
    if len(cells) != len(PACKAGE_HEADER):
        yield f"The row has no three cells; write {','.join(PACKAGE_HEADER)}."
        return
    slug, purl, seen_in = cells
    if SLUG.fullmatch(slug) is None or len(slug) > SLUG_LIMIT:
        yield "The slug is not of the form vendor.product; correct it."
    url = PackageUrl.parse(purl)
    if url is None:
        yield "This is not a package URL; write one like pkg:npm/left-pad."
    elif url.part != purl:
        yield f"A part is written without version and in one spelling; write {url.part}."
    if not 0 < len(seen_in) <= SEEN_IN_LIMIT or not seen_in.isprintable():
        yield f"Say in at most {SEEN_IN_LIMIT} characters where both were seen."
