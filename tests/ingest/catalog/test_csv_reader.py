"""What a catalog file may look like, and what is said when it does not."""

from unicodedata import normalize

import pytest

from ingest.catalog import (
    HEADER,
    UnreadableCatalog,
    decode_catalog,
    read_catalog,
)
from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.rows import CatalogRow

HEADER_LINE = ",".join(HEADER)


def reasons(text):
    rows, bad = read_catalog(text)
    assert rows == []
    return [fault.reason for fault in bad]


def test_a_feed_row_is_read_as_written(catalog):
    assert read_catalog(catalog("feed")) == (
        [
            CatalogRow(
                slug="acme.widgets",
                vendor="acme",
                name="Acme Widgets",
                kind=Kind.CHANGELOG,
                homepage="https://acme.example/",
                changelog_url="https://acme.example/changelog",
                adapter_type=AdapterType.RSS,
                feed_url="https://acme.example/changelog.xml",
                tags=("api", "cloud"),
            )
        ],
        [],
    )


def test_empty_addresses_of_a_page_are_none(catalog):
    [row], bad = read_catalog(catalog({"adapter_type": "html", "feed_url": "", "homepage": ""}))

    assert (row.homepage, row.feed_url, bad) == (None, None, [])


def test_crlf_empty_lines_and_spaces_around_cells_are_accepted(catalog):
    text = catalog({"name": " Acme Widgets ", "tags": "api ; cloud"})
    row = read_catalog("\r\n" + text.replace("\n", "\r\n") + "\r\n,,,,,,,,\r\n")[0][0]

    assert (row.name, row.tags) == ("Acme Widgets", ("api", "cloud"))


def test_a_good_row_beside_a_bad_one_is_still_read(catalog):
    rows, bad = read_catalog(catalog({"kind": "news"}, "feed"))

    assert [row.slug for row in rows] == ["acme.widgets"]
    assert [fault.line for fault in bad] == [2]


def test_every_fault_of_a_row_is_told(catalog):
    _, bad = read_catalog(catalog({"name": "", "kind": "news", "tags": ""}))

    assert [(fault.line, fault.slug) for fault in bad] == [(2, "acme.widgets")] * 3


def test_a_row_after_a_row_of_two_lines_is_named_by_its_own_line(catalog):
    text = catalog({"name": '"two\nlines"'}, {"kind": "news", "slug": "acme.other"})

    assert [(fault.line, fault.slug) for fault in read_catalog(text)[1]] == [
        (2, "acme.widgets"),
        (4, "acme.other"),
    ]


def test_a_slug_that_a_terminal_cannot_show_is_told_without_its_controls(catalog):
    _, [fault] = read_catalog(catalog({"slug": "acme.\x1b[31mred"}))

    assert fault.slug == "acme.[31mred"


def test_an_empty_file_is_told_what_to_start_with():
    assert reasons("") == [f"The catalog is empty; start it with the line {HEADER_LINE}"]


def test_a_header_that_lacks_columns_is_told_which():
    [reason] = reasons(HEADER_LINE.removesuffix(",feed_url,tags") + "\nacme.widgets,acme\n")

    assert reason.startswith("The header lacks feed_url, tags; make the first line slug,")


@pytest.mark.parametrize(
    "header", [",".join(sorted(HEADER)), HEADER_LINE + ",notes", HEADER_LINE.upper()]
)
def test_a_header_of_other_columns_or_another_order_is_refused(header):
    [reason] = reasons(header)

    assert reason.startswith("The header ")
    assert HEADER_LINE in reason


def test_a_header_with_a_column_twice_is_refused():
    assert reasons(HEADER_LINE + ",tier,tier") == ["The header names a column twice; name it once."]


def test_further_columns_may_follow_in_any_order(catalog):
    header, line, _ = catalog("feed").split("\n")

    [row], bad = read_catalog(f"{header},aliases,tier\n{line},Widgets 2000; AW ,component\n")

    assert bad == []
    assert (row.tier, row.aliases, row.basis) == (Tier.COMPONENT, ("Widgets 2000", "AW"), None)


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        ("tier", "toy", "The tier is unknown; use one of product, component, blog."),
        ("basis", "hope", "The basis is unknown; use one of seen, knowledge, doubtful."),
        (
            "status",
            "x",
            "The status is unknown; use one of unconfirmed, confirmed, moved, gone.",
        ),
        ("aliases", "a;A", "An alias stands there twice; keep it once."),
        (
            "aliases",
            "a;;b",
            "An alias is empty, invisible or longer than 100 characters; correct it.",
        ),
        (
            "aliases",
            ";".join(f"a{n}" for n in range(21)),
            "The row has more than 20 aliases; keep those that people use most.",
        ),
    ],
)
def test_a_further_cell_that_is_wrong_is_told(catalog, column, cell, reason):
    header, line, _ = catalog("feed").split("\n")

    assert reasons(f"{header},{column}\n{line},{cell}\n") == [reason]


def test_a_row_with_too_few_cells_is_told_how_many_it_has():
    assert reasons(f"{HEADER_LINE}\nacme.widgets,acme,Acme") == [
        "The row has 3 cells instead of 9;"
        " add the missing ones, or quote a cell that holds a comma."
    ]


@pytest.mark.parametrize(
    "name", ['"Acme" Widgets', '"Acme Widgets', "A" * 200_000], ids=["after", "open", "huge"]
)
def test_a_row_that_is_not_csv_is_named_and_the_rest_is_read(catalog, name):
    rows, [fault] = read_catalog(catalog("feed", {"name": name, "slug": "acme.other"}))

    assert [row.slug for row in rows] == ["acme.widgets"]
    assert fault.line == 3
    assert fault.reason.startswith("The row is not valid CSV (")


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert decode_catalog(b"\xef\xbb\xbfslug") == "slug"


def test_another_encoding_is_told_with_its_line():
    with pytest.raises(UnreadableCatalog) as told:
        decode_catalog("slug\nacme\ncafé".encode("latin-1"))

    assert str(told.value) == (
        "Line 3 of the catalog is not UTF-8 (byte 0xe9); save the file as CSV in UTF-8."
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_told_by_name(encoding):
    with pytest.raises(UnreadableCatalog, match="UTF-16"):
        decode_catalog("\ufeffslug".encode(encoding))


def test_a_name_is_composed(catalog):
    decomposed = normalize("NFD", "Café Widgets")

    rows, bad = read_catalog(catalog("feed").replace("Acme Widgets", decomposed))

    assert bad == []
    assert [row.name for row in rows] == [normalize("NFC", decomposed)]
