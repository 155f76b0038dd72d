"""Rows of tables are entries that the header row says how to read."""

import pytest

from changelog_reader.adapters.html import parse_page

ROWS = {
    "Version | Channel | Released | Notes": (
        ["2.1 | Stable | 2026-05-03 | Fixes login", "2.0 | Stable | 2026-04-03 | Adds groups"],
        [("2.1", "Stable Fixes login"), ("2.0", "Stable Adds groups")],
    ),
    "Release | Version | Date | Notes": (  # a column that says the same again names nothing
        ["Stable | 51 | 2026-05-03 | Fixes login", "Stable | 50 | 2026-04-03 | Adds groups"],
        [("51", "Stable Fixes login"), ("50", "Stable Adds groups")],
    ),
    "Date | Description | Change": (
        ["May 3, 2026 | It runs in Oslo. | New region", "April 3, 2026 | 1 MB. | Larger messages"],
        [("New region", "It runs in Oslo."), ("Larger messages", "1 MB.")],
    ),
    "Version | From | Until": (
        ["2.1 | 2026-05-03 | 2027-05-03", "2.0 | 2026-04-03 | 2027-04-03"],
        [],
    ),
}


@pytest.mark.parametrize("header", ROWS)
def test_the_header_says_which_cell_titles_and_dates_a_row(header):
    rows, wanted = ROWS[header]
    table = "".join(
        f"<tr><td>{'</td><td>'.join(line.split(' | '))}</td></tr>" for line in (header, *rows)
    )
    body = f"<html><h1>Changelog</h1><table>{table}</table></html>".encode()

    entries = parse_page(body, address="https://a.example/log", content_type="text/html").entries

    assert [(it.title, " ".join((it.summary or "").split())) for it in entries] == wanted
    assert all(it.published_at and it.published_at.day == 3 for it in entries)
