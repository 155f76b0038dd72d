"""The file of packages: rows, faults, and the one that is shipped."""

import pytest

from ingest.catalog import (
    is_package_file,
    read_catalog,
    read_packages,
    shipped_catalog,
    shipped_packages,
    write_packages,
)

GOOD = "acme.client,pkg:npm/acme,acme/acme: package.json"


def read(*lines):
    return read_packages("\n".join(("slug,purl,seen_in", *lines)) + "\n")


def test_rows_come_out_as_they_went_in():
    rows, bad = read(GOOD)

    assert bad == []
    written = write_packages(rows)
    assert written == f"slug,purl,seen_in\n{GOOD}\n"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("acme.client,pkg:npm/acme", "no three cells"),
        ('"acme.client', "not valid CSV"),
        ("Acme,pkg:npm/acme,there", "not of the form vendor.product"),
        ("acme.client,npm/acme,there", "not a package URL"),
        ("acme.client,pkg:npm/acme@1.0,there", "write pkg:npm/acme."),
        ("acme.client,pkg:pypi/Acme_X,there", "write pkg:pypi/acme-x."),
        ("acme.client,pkg:npm/acme,", "where both were seen"),
    ],
)
def test_a_fault_is_named_with_its_line(row, words):
    rows, (fault,) = read("acme.other,pkg:npm/other,there", row)

    assert len(rows) == 1
    assert fault.line == 3
    assert words in fault.reason


def test_a_cell_of_two_lines_counts_as_two():
    _, (_, fault) = read('acme.other,pkg:npm/other,"there\nand here"', "acme.client")

    assert fault.line == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [("slug,purl,seen_in\n", True), ("slug,vendor,name\n", False), ("", False)],
)
def test_the_file_is_known_by_its_first_line(text, expected):
    assert is_package_file(text) is expected


def test_the_shipped_packages_are_those_of_shipped_sources():
    rows, bad = read_packages(shipped_packages())
    sources, _ = read_catalog(shipped_catalog())

    assert bad == []
    assert {row.slug for row in rows} <= {source.slug for source in sources}
