"""Pages of many shapes, with the entries they list written beside them.

The pages are invented; each is a shape that changelogs on the web have, or one that looks
like a changelog and is none (``no_…``).
"""

import json
from pathlib import Path

import pytest

from changelog_reader.adapters.html import parse_page

DATA = Path(__file__).parent / "data"
PAGES = sorted(DATA.glob("*.html"))


def entries_as_written(page: Path) -> tuple[str, list[dict[str, str | None]]]:
    expected = json.loads(page.with_suffix(".expected.json").read_text())
    return expected["address"], expected["entries"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_gives_the_entries_written_beside_it(page):
    address, expected = entries_as_written(page)

    document = parse_page(page.read_bytes(), address=address, content_type="text/html")

    assert [
        {
            "title": entry.title,
            "date": entry.published_at and entry.published_at.date().isoformat(),
            "url": entry.url,
        }
        for entry in document.entries
    ] == expected


def read(name: str, address: str = "https://acme.example/changelog"):
    body = (DATA / f"{name}.html").read_bytes()
    return parse_page(body, address=address, content_type="text/html; charset=utf-8")


def test_an_entry_says_how_it_was_found_and_dated():
    entry = read("page_data_beside_versions").entries[0]

    assert entry.raw == {
        "strategy": "headings",
        "date_source": "heading",
        "version": "1.2.0",
        "html": entry.html,
    }
    assert entry.date_source == "heading"


def test_the_text_of_an_entry_keeps_its_blocks_and_not_its_title():
    entry = read("page_data_beside_versions").entries[0]

    assert entry.summary == "## Added\n\n- Thing 1.2.0\n\n## Fixed\n\n- Bug 1.2.0"


def test_signs_that_link_to_headings_are_no_text():
    entry = read("sections_with_header_links").entries[0]

    assert entry.summary == "## Added\n\n- Retries."


def test_what_repeats_the_title_or_the_date_is_no_text():
    assert [entry.summary for entry in read("list_with_dates_in_front").entries] == [None] * 3
    assert read("dates_that_link").entries[0].summary == "All about it, number 3."


def test_a_title_stays_as_it_was_written():
    body = "".join(f"<h2>V3.2.{n}（2024年5月{n}日）</h2><p>修复问题</p>" for n in (3, 2, 1))

    document = parse_page(body.encode(), address="https://acme.example/", content_type=None)

    assert document.entries[0].title == "V3.2.3（2024年5月3日）"


def test_the_page_keeps_its_text_under_its_headings():
    blocks = read("page_data_beside_versions").blocks

    assert (blocks[0].heading, blocks[0].text) == (
        ("Changelog", "1.2.0 - 2024-05-01", "Added"),
        "Thing 1.2.0",
    )
