"""Entries found again after a redesign."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from ingest.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from ingest.adapters.html import parse_page
from ingest.adapters.html.repair import NotRepaired, Repaired, needs_repair, repair
from ingest.pipeline.html_document import with_stored_ids
from ingest.pipeline.identity import identify

SEEN = datetime(2024, 7, 1, tzinfo=UTC)
ADDRESS = "https://initech.example/changelog"


def parsed(body: bytes) -> ParsedDocument:
    return parse_page(body, address=ADDRESS, content_type="text/html")


def stored(body: bytes) -> list[KnownEntry]:
    return [
        KnownEntry(str(place), entry.url, entry.title, entry.published_at or SEEN)
        for place, entry in enumerate(parsed(body).entries)
    ]


def repaired(body: bytes, known: list[KnownEntry]) -> Repaired | NotRepaired:
    return repair(body, address=ADDRESS, content_type="text/html", known=known)


def test_every_page_is_read_as_first_drawn(plain_pages):
    wrong = []
    for name, body, items in plain_pages:
        found = [(entry.title, entry.published_at) for entry in parsed(body).entries]
        expected = [(item.title, item.day) for item in items]
        alike = len(found) == len(expected) and all(
            title.startswith(wanted) and at is not None and at.date() == day
            for (title, at), (wanted, day) in zip(found, expected, strict=True)
        )
        wrong += [] if alike else [name]

    assert wrong == []


@pytest.mark.slow
def test_every_redesign_is_repaired_without_new_ids_or_false_entries(redesigns):
    """At least nine in ten must be; ids and false entries have no tolerance."""
    failed, new_ids, false_entries = [], [], []
    for each in redesigns:
        known = stored(each.before)
        found = repaired(each.after, known)
        if isinstance(found, NotRepaired):
            failed.append(f"{each.name}: {found.reason}")
            continue
        pairs = found.recovered
        for entry in known:
            again, item = pairs.get(entry.id), each.items[int(entry.id)]
            if again is None:
                new_ids.append(f"{each.name}: {entry.title}")
            elif item.title not in again.title or again.published_at is None:
                false_entries.append(f"{each.name}: {again.title}")
            elif again.published_at.date() != item.day:
                false_entries.append(f"{each.name}: {again.published_at}")
        strange = [entry.title for entry in found.added if each.new.title not in entry.title]
        false_entries += [f"{each.name}: {title}" for title in strange]

    assert new_ids == []
    assert false_entries == []
    assert len(failed) * 10 <= len(redesigns), failed


def test_there_are_thirty_pages_and_six_redesigns(plain_pages, redesigns):
    assert len(plain_pages) >= 30
    assert len(redesigns) == 6 * len(plain_pages)
    assert len(Counter(body for _, body, _ in plain_pages)) == len(plain_pages)


def test_the_recipe_of_a_repair_reads_the_page_alike(redesigns):
    each = redesigns[0]
    found = repaired(each.after, stored(each.before))
    assert isinstance(found, Repaired)

    again = parse_page(each.after, address=ADDRESS, content_type=None, recipe=found.recipe)

    assert {entry.title for entry in again.entries} == {entry.title for entry in found.entries}


def test_after_a_repair_every_look_gives_the_ids_that_are_stored(redesigns):
    new_ids = []
    for each in redesigns[::11]:
        known = stored(each.before)
        found = repaired(each.after, known)
        assert isinstance(found, Repaired)
        again = parse_page(each.after, address=ADDRESS, content_type=None, recipe=found.recipe)
        for entries in (found.entries, with_stored_ids(again.entries, known)):
            identified = identify(entries, known, first_seen_at=SEEN)
            new = [one.entry.title for one in identified if one.is_new]
            new_ids += [] if len(new) == 1 and each.new.title in new[0] else [(each.name, new)]

    assert new_ids == []


def test_a_redesign_that_needs_no_repair_makes_no_stored_entry_new(redesigns):
    new_ids = []
    for each in redesigns[::5]:
        entries = identify(parsed(each.before).entries, [], first_seen_at=SEEN)
        known = [KnownEntry(e.id, e.entry.url, e.entry.title, e.published_at) for e in entries]
        found = parsed(each.after)
        if needs_repair(found, known):
            continue
        again = identify(with_stored_ids(found.entries, known), known, first_seen_at=SEEN)
        new = [one.entry.title for one in again if one.is_new]
        new_ids += [] if len(new) == 1 and each.new.title in new[0] else [(each.name, new)]

    assert new_ids == []


def dated(title: str, day: int, url: str | None = None) -> ParsedEntry:
    return ParsedEntry(None, title, url, datetime(2024, 5, day, tzinfo=UTC), "text", None)


@pytest.mark.parametrize(
    ("page", "ids"),
    [
        ([dated("Bug fixes (May 20, 2024)", 20)], ["old"]),
        ([dated("Bug fixes", 21)], [None]),
        ([dated("Other fixes", 20)], [None]),
        ([dated("Bug fixes", 20), dated("Bug fixes – 20 May 2024", 20)], ["old", None]),
        ([dated("Bug fixes!", 20), dated("Bug fixes", 20, f"{ADDRESS}#1")], [None, None]),
    ],
    ids=["another wording", "another day", "another title", "twice", "where it was, and another"],
)
def test_a_stored_entry_is_known_by_title_and_time_where_nothing_else_is_it(page, ids):
    known = [KnownEntry("old", f"{ADDRESS}#1", "Bug fixes", datetime(2024, 5, 20, tzinfo=UTC))]

    assert [each.vendor_id for each in with_stored_ids(page, known)] == ids


def test_a_list_of_old_titles_is_no_changelog(old_titles):
    before, after = old_titles

    found = repaired(after, stored(before))

    assert isinstance(found, NotRepaired)
    assert "without their dates and texts" in found.reason


def known(*titles: str) -> list[KnownEntry]:
    return [KnownEntry(title, None, title, SEEN) for title in titles]


def test_titles_that_lost_their_dates_are_found_by_their_structure():
    body = "".join(
        f"<div class='n'><p class='t'>{title}</p><p>What {title} does.</p></div>"
        for title in ("Tea", "Milk", "Coffee", "Juice")
    ).encode()
    entries = known("Milk", "Coffee", "Juice")

    found = repaired(body, entries)

    assert parsed(body).entries == ()
    assert needs_repair(parsed(body), entries)
    assert isinstance(found, Repaired)
    assert list(found.recovered) == ["Milk", "Coffee", "Juice"]
    assert [entry.title for entry in found.added] == ["Tea"]


def test_a_page_that_shows_none_of_the_entries_is_not_repaired():
    found = repaired(b"<h1>Moved</h1><p>Elsewhere.</p>", known("Milk", "Coffee", "Juice"))

    assert found == NotRepaired("0 of 3 stored entries are on the page.")


def test_too_many_proposals_are_not_believed():
    items = "".join(f"<li>Thing {n}<p>Text of {n}.</p></li>" for n in range(40))
    body = f"<ul>{items}</ul>".encode()

    found = repaired(body, known("Thing 1", "Thing 2", "Thing 3"))

    assert isinstance(found, NotRepaired)
    assert "40 entries were proposed for 3 stored ones" in found.reason


@pytest.mark.parametrize(
    ("on_page", "needed"),
    [(0, True), (2, True), (3, False), (10, False)],
)
def test_a_repair_is_needed_below_three_tenths(on_page, needed):
    body = "".join(f"<h2>v1.{n}.0 (2024-01-01)</h2><p>text</p>" for n in range(on_page)).encode()
    entries = known(*(f"v1.{n}.0 (2024-01-01)" for n in range(10)))

    assert needs_repair(parsed(b"<p>" + body), entries) is needed


def test_nothing_stored_needs_no_repair():
    assert not needs_repair(parsed(b"<p>a"), [])
