"""An entry stays itself whatever vendors do to ids and dates, and takes no other's id."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import KnownEntry, ParsedEntry
from changelog_reader.adapters.registry import ADAPTERS
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.identity import identify
from openapi.vocabulary import AdapterType

CORPUS = os.environ.get("CHANGEWIRE_CORPUS")
NOW = datetime(2026, 6, 30, 14, tzinfo=UTC)
MONDAY = datetime(2026, 6, 22, tzinfo=UTC)
DAY = timedelta(days=1)
HOME = "https://acme.example/changelog"
TEXT = "Charts are drawn while their data arrives, which makes large boards twice as fast."


def item(
    title: str,
    vendor_id: str | None = None,
    *,
    at: datetime | None = MONDAY,
    url: str | None = HOME,
    text: str | None = TEXT,
) -> ParsedEntry:
    return ParsedEntry(vendor_id, title, url, at, "pubDate" if at else "none", text)


def stored(identified) -> list[KnownEntry]:
    return [
        KnownEntry(
            entry.id,
            entry.entry.url,
            entry.entry.title,
            entry.published_at,
            content_hash(entry.entry),
        )
        for entry in identified
    ]


def after(before, *items):
    """Identify a document after another: the first says how entries are stored."""
    return identify(items, stored(before), first_seen_at=NOW + DAY)


def first(*items):
    return identify(items, (), first_seen_at=NOW)


def by_title(identified) -> dict[str, str]:
    return {entry.entry.title: entry.id for entry in identified}


def counted(titles) -> list[ParsedEntry]:
    """Return items whose ids count them from the top."""
    return [item(title, f"2026-06-22:feature:{place}") for place, title in enumerate(titles, 1)]


TITLES = st.lists(st.sampled_from([f"{word} faster" for word in "abcdefghijkl"]), unique=True)


@given(TITLES, TITLES)
def test_where_ids_count_entries_each_entry_keeps_the_id_it_was_stored_under(old, new):
    before = first(*counted(old))
    again = after(before, *counted(new))

    known, now = by_title(before), by_title(again)
    assert {title: now[title] for title in now.keys() & known.keys()} == {
        title: known[title] for title in now.keys() & known.keys()
    }
    assert len(set(now.values())) == len(now)


def test_two_postings_that_change_places_change_no_title():
    before = first(item("One", "1"), item("Two", "2"))

    again = after(before, item("Two", "1"), item("One", "2"))

    assert by_title(again) == by_title(before)


@given(st.permutations(range(5)), st.sampled_from([HOME, None]))
def test_other_ids_for_all_entries_fork_none(order, url):
    titles = [f"Release {n}" for n in range(5)]
    before = first(*(item(title, f"old-{title}", url=url) for title in titles))

    again = after(before, *(item(titles[n], f"new-{n}", url=url) for n in order))

    assert by_title(again) == by_title(before)


@pytest.mark.parametrize("url", [HOME, None])
@pytest.mark.parametrize("vendor_ids", [(None, None), ("1", "2")])
def test_a_moved_date_forks_nothing(url, vendor_ids):
    old, new = vendor_ids
    before = first(item("One", old, url=url), item("Two", url=url))

    again = after(before, item("One", new, url=url, at=MONDAY + 3 * DAY), item("Two", url=url))

    assert by_title(again) == by_title(before)
    assert [entry.published_at for entry in again] == [MONDAY, MONDAY]


def test_a_posting_that_comes_every_month_is_a_new_entry_each_time():
    before = first(item("Skilling snacks", "may"))

    again = after(before, item("Skilling snacks", "june", at=MONDAY + 30 * DAY))

    assert again[0].is_new


def test_another_version_on_the_same_day_is_another_entry():
    before = first(item("Version 1.2.3", "123"))

    again = after(before, item("Version 1.2.4", "124"))

    assert again[0].is_new


@given(st.lists(st.none() | st.text(min_size=1, max_size=5), min_size=1, max_size=6))
def test_identical_items_are_one_entry_whatever_their_ids(vendor_ids):
    items = [item("One", vendor_id) for vendor_id in vendor_ids]
    before = first(*items)

    assert len(before) == 1
    for again in (after(before, *items), after(before, *reversed(items))):
        assert [entry.id for entry in again] == [before[0].id]


CHANGES = st.sampled_from(["keep", "drop", "move date", "new id", "new address"])


@given(st.lists(CHANGES, min_size=1, max_size=8), st.integers(0, 3))
def test_no_change_of_a_vendor_gives_an_entry_the_id_of_another(changes, added):
    items = [
        item(f"Release {n}", f"id-{n}", url=f"{HOME}/{n}", at=MONDAY - n * DAY)
        for n in range(len(changes))
    ]
    before = first(*items)
    does = {
        "keep": lambda entry: entry,
        "move date": lambda entry: replace(entry, published_at=entry.published_at + DAY),
        "new id": lambda entry: replace(entry, vendor_id=f"new {entry.vendor_id}"),
        "new address": lambda entry: replace(entry, url=f"{entry.url}/new"),
    }
    kept = [
        does[change](entry) for change, entry in zip(changes, items, strict=True) if change in does
    ]
    new = [item(f"Preview {n}", f"preview-{n}", at=NOW, url=f"{HOME}/p{n}") for n in range(added)]

    again = after(before, *new, *kept)

    known = by_title(before)
    assert [entry.is_new for entry in again] == [True] * added + [False] * len(kept)
    assert all(entry.id == known[entry.entry.title] for entry in again[added:])


@pytest.mark.slow
@pytest.mark.skipif(CORPUS is None, reason="CHANGEWIRE_CORPUS names no folder with a corpus")
def test_recorded_histories_fork_no_entry():
    copies = []
    for listing in sorted(Path(CORPUS or "", "history").glob("*/changes.json")):
        known: dict[str, KnownEntry] = {}
        for version in json.loads(listing.read_text())["versions"]:
            path = listing.parent / version["file"]
            if path.suffix != ".xml":
                continue
            entries = ADAPTERS[AdapterType.RSS](
                path.read_bytes(), address=HOME, content_type=None
            ).entries
            now = datetime.fromisoformat(version["fetched_at"])
            identified = identify(entries, known.values(), first_seen_at=now)
            there = {(entry.title, entry.published_at) for entry in known.values()}
            copies += [
                (path, entry.entry.title)
                for entry in identified
                if entry.is_new and (entry.entry.title, entry.published_at) in there
            ]
            known |= {entry.id: entry for entry in stored(identified)}
    assert copies == []
