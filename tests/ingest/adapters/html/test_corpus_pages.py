"""How well pages of a corpus are read. The corpus is a folder that the environment names."""

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pages as measure
import pytest

from ingest.adapters.base import ParsedEntry
from ingest.adapters.html import parse_page

VARIABLE = "CHANGEWIRE_CORPUS"
LEAST_PRECISION = LEAST_RECALL = LEAST_DATES = LEAST_TEXTS = 0.95


@dataclass
class Tally:
    """What was expected and found over many pages."""

    expected: int = 0
    found: int = 0
    matched: int = 0
    dated: int = 0
    dates_right: int = 0


@pytest.fixture(scope="module")
def corpus() -> Path:
    named = os.environ.get(VARIABLE)
    if not named or not (Path(named) / "html").is_dir():
        pytest.skip(f"{VARIABLE} names no folder that holds html/: nothing to measure")
    return Path(named) / "html"


def pages_of(corpus: Path, *kinds: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for kind in kinds:
        for page in sorted((corpus / kind).glob("*.html")):
            yield page, json.loads(page.with_name(f"{page.stem}.expect.json").read_text())


def entries_of(page: Path, expected: dict[str, Any]) -> list[ParsedEntry]:
    address = expected["page_url"] or "https://vendor.example/page"
    return list(parse_page(page.read_bytes(), address=address, content_type="text/html").entries)


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def meant(entry: ParsedEntry, stated: dict[str, Any]) -> bool:
    """By anchor or address, else by title; one title may continue the other."""
    if entry.url and entry.url.endswith(f"#{stated.get('anchor')}"):
        return True
    if entry.url and entry.url == stated.get("url"):
        return True
    one, other = letters(entry.title), letters(stated["title"])
    return one.startswith(other) or (bool(one) and other.startswith(one))


def tallied(corpus: Path) -> Tally:
    tally = Tally()
    for page, expected in pages_of(corpus, "real", "rendered"):
        if expected["count"] is None:
            continue
        left = entries_of(page, expected)
        tally.found += len(left)
        for stated in expected["entries"]:
            tally.expected += 1
            alike = [entry for entry in left if meant(entry, stated)]
            exact = [entry for entry in alike if letters(entry.title) == letters(stated["title"])]
            entry = next(iter([*exact, *alike]), None)
            if entry is None:
                continue
            left.remove(entry)
            tally.matched += 1
            if stated.get("date"):
                day = entry.published_at and entry.published_at.date().isoformat()
                tally.dated += 1
                tally.dates_right += day == stated["date"]
    return tally


def test_the_pages_are_read_as_precisely_as_we_promise(corpus):
    tally = tallied(corpus)

    assert tally.matched >= LEAST_PRECISION * tally.found
    assert tally.matched >= LEAST_RECALL * tally.expected
    assert tally.dates_right >= LEAST_DATES * tally.dated


def test_the_texts_of_pages_are_as_right_as_we_promise(corpus):
    tally = measure.Tally()
    for page, expected in measure.pages([corpus / "real", corpus / "rendered"]):
        if expected["count"] is not None:
            tally.add(measure.tallied(page, expected))

    assert tally.texts >= LEAST_TEXTS * tally.with_text
    assert tally.titles >= LEAST_PRECISION * tally.found
    assert tally.titles >= LEAST_RECALL * tally.expected


def test_no_entry_is_invented_where_there_is_none(corpus):
    invented = {
        page.stem: [entry.title for entry in entries]
        for page, expected in pages_of(corpus, "not_a_changelog")
        if (entries := entries_of(page, expected))
    }

    assert invented == {}
