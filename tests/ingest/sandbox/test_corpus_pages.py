"""How well pages of a corpus are read. The corpus is a folder that the environment names."""

import os
from pathlib import Path

import pytest
from pages import Tally, pages, tallied

from changelog_reader.adapters.html import parse_page

VARIABLE = "CHANGEWIRE_CORPUS"
LEAST = 0.95


@pytest.fixture(scope="module")
def corpus() -> Path:
    named = os.environ.get(VARIABLE)
    if not named or not (Path(named) / "html").is_dir():
        pytest.skip(f"{VARIABLE} names no folder that holds html/: nothing to measure")
    return Path(named) / "html"


def test_the_pages_are_read_as_precisely_as_we_promise(corpus):
    tally = Tally()
    for page, expected in pages([corpus / "real", corpus / "rendered"]):
        if expected["count"] is not None:
            tally.add(tallied(page, expected))

    assert tally.titles >= LEAST * tally.found
    assert tally.titles >= LEAST * tally.expected
    assert tally.dates >= LEAST * tally.dated
    assert tally.texts >= LEAST * tally.with_text


def test_no_entry_is_invented_where_there_is_none(corpus):
    invented = {
        page.stem: [
            entry.title
            for entry in parse_page(
                page.read_bytes(),
                address=expected["page_url"] or "https://vendor.example/page",
                content_type="text/html",
            ).entries
        ]
        for page, expected in pages([corpus / "not_a_changelog"])
    }

    assert {page: titles for page, titles in invented.items() if titles} == {}
