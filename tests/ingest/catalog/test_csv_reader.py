"""What a catalog file may look like, and what is said when it does not."""

from unicodedata import normalize

import pytest

from ingest.catalog import HEADER, UnreadableCatalog, decode_catalog, read_catalog
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


def test_crlf_empty_lines_and_spaces_around_cells_are_accepted(catalog):
    text = catalog({"name": " Acme Widgets ", "tags": "api ; cloud"})
    row = read_catalog("\r\n" + text.replace("\n", "\r\n") + "\r\n,,,,,,,,\r\n")[0][0]

    assert (row.name, row.tags) == ("Acme Widgets", ("api", "cloud"))


def test_a_row_after_a_row_of_two_lines_is_named_by_its_own_line(catalog):
    text = catalog({"name": '"two\nlines"'}, {"kind": "news", "slug": "acme.other"})

    assert [(fault.line, fault.slug) for fault in read_catalog(text)[1]] == [
        (2, "acme.widgets"),
        (4, "acme.other"),
    ]


def test_a_slug_that_a_terminal_cannot_show_is_told_without_its_controls(catalog):
    _, [fault] = read_catalog(catalog({"slug": "acme.\x1b[31mred"}))

    assert fault.slug == "acme.[31mred"


@pytest.mark.parametrize(
    "header",
    [HEADER_LINE.removesuffix(",feed_url,tags"), ",".join(sorted(HEADER)), HEADER_LINE + ",notes"],
)
def test_a_header_of_other_columns_or_another_order_is_refused(header):
    [reason] = reasons(header)

    assert reason.startswith("The header ")
    assert HEADER_LINE in reason


def test_further_columns_may_follow_in_any_order(catalog):
    header, line, _ = catalog("feed").split("\n")

    [row], bad = read_catalog(f"{header},aliases,tier\n{line},Widgets 2000; AW ,component\n")

    assert bad == []
    assert (row.tier, row.aliases, row.basis) == (Tier.COMPONENT, ("Widgets 2000", "AW"), None)


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        ("tier", "toy", "The tier is unknown; use one of product, component, blog."),
        ("aliases", "a;A", "An alias is repeated; keep it once."),
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


def test_text_is_read_as_utf_8_without_its_byte_order_mark():
    assert decode_catalog(b"\xef\xbb\xbfslug") == "slug"
    with pytest.raises(UnreadableCatalog, match=r"^Line 3 of the catalog is not UTF-8"):
        decode_catalog("slug\nacme\ncafé".encode("latin-1"))


def test_a_name_is_composed(catalog):
    decomposed = normalize("NFD", "Café Widgets")

    rows, bad = read_catalog(catalog("feed").replace("Acme Widgets", decomposed))

    assert bad == []
    assert [row.name for row in rows] == [normalize("NFC", decomposed)]
