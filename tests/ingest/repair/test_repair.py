"""Entries result again after a redesign."""

from datetime import UTC, datetime

import pytest

from changelog_reader.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.repair import Repaired, needs_repair, repair
from ingest.pipeline.identity import identify, recognise

SEEN = datetime(2024, 7, 1, tzinfo=UTC)
ADDRESS = "https://initech.example/changelog"


def parsed(body: bytes) -> ParsedDocument:
    return parse_page(body, address=ADDRESS, content_type="text/html")


def entries_stored_of(body: bytes) -> list[KnownEntry]:
    return [
        KnownEntry(str(position), entry.url, entry.title, entry.published_at or SEEN)
        for position, entry in enumerate(parsed(body).entries)
    ]


def repaired(body: bytes, stored: list[KnownEntry]) -> Repaired | str:
    return repair(body, address=ADDRESS, content_type="text/html", stored_entries=stored)


def test_every_page_is_read_as_first_drawn(plain_pages):
    wrong = []
    for name, body, items in plain_pages:
        result = [(entry.title, entry.published_at) for entry in parsed(body).entries]
        expected = [(item.title, item.day) for item in items]
        alike = len(result) == len(expected) and all(
            title.partition(" – ")[0].partition(" (")[0] == expected_title
            and at is not None
            and at.date() == day
            for (title, at), (expected_title, day) in zip(result, expected, strict=True)
        )
        wrong += [] if alike else [name]

    assert wrong == []


@pytest.mark.slow
def test_every_redesign_is_repaired_without_new_ids_or_false_entries(redesigns):
    """At least nine in ten must be; ids and false entries have no tolerance."""
    failed, new_ids, false_entries = [], [], []
    for redesign in redesigns:
        stored = entries_stored_of(redesign.before)
        result = repaired(redesign.after, stored)
        if isinstance(result, str):
            failed.append(f"{redesign.name}: {result}")
            continue
        pairs = {entry.vendor_id: entry for entry in result[1] if entry.vendor_id}
        for entry in stored:
            again, item = pairs.get(entry.id), redesign.items[int(entry.id)]
            if again is None:
                new_ids.append(f"{redesign.name}: {entry.title}")
            elif item.title not in again.title or again.published_at is None:
                false_entries.append(f"{redesign.name}: {again.title}")
            elif again.published_at.date() != item.day:
                false_entries.append(f"{redesign.name}: {again.published_at}")
        added = [entry.title for entry in result[1] if not entry.vendor_id]
        strange = [title for title in added if redesign.new.title not in title]
        false_entries += [f"{redesign.name}: {title}" for title in strange]

    assert new_ids == []
    assert false_entries == []
    assert len(failed) * 10 <= len(redesigns), failed


def test_after_a_repair_every_check_gives_the_ids_that_are_stored(redesigns):
    new_ids = []
    for redesign in redesigns[::11]:
        stored = entries_stored_of(redesign.before)
        result = repaired(redesign.after, stored)
        assert not isinstance(result, str)
        again = parse_page(redesign.after, address=ADDRESS, content_type=None, recipe=result[0])
        for entries in (result[1], again.entries):
            identified = recognise(identify(entries, stored, first_seen_at=SEEN), stored)
            new = [one.entry.title for one in identified if one.is_new]
            new_ids += (
                [] if len(new) == 1 and redesign.new.title in new[0] else [(redesign.name, new)]
            )

    assert new_ids == []


def test_a_redesign_that_needs_no_repair_makes_no_stored_entry_new(redesigns):
    new_ids = []
    for redesign in redesigns[::5]:
        entries = identify(parsed(redesign.before).entries, [], first_seen_at=SEEN)
        stored = [KnownEntry(e.id, e.entry.url, e.entry.title, e.published_at) for e in entries]
        result = parsed(redesign.after)
        if needs_repair(result, stored):
            continue
        again = recognise(identify(result.entries, stored, first_seen_at=SEEN), stored)
        new = [one.entry.title for one in again if one.is_new]
        new_ids += [] if len(new) == 1 and redesign.new.title in new[0] else [(redesign.name, new)]

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
        ([dated("Bug fixes!", 20), dated("Bug fixes", 20, f"{ADDRESS}#1")], [None, "old"]),
    ],
    ids=["another wording", "another day", "another title", "twice", "where it was, and another"],
)
def test_a_stored_entry_is_recognised_by_title_and_time_where_nothing_else_is_it(page, ids):
    stored = [KnownEntry("old", f"{ADDRESS}#1", "Bug fixes", datetime(2024, 5, 20, tzinfo=UTC))]

    identified = recognise(identify(page, stored, first_seen_at=SEEN), stored)

    assert [None if entry.is_new else entry.id for entry in identified] == ids


def test_a_list_of_old_titles_is_no_changelog(old_titles):
    before, after = old_titles

    result = repaired(after, entries_stored_of(before))

    assert isinstance(result, str)
    assert "without their dates and texts" in result


def stored_with_titles(*titles: str) -> list[KnownEntry]:
    return [KnownEntry(title, None, title, SEEN) for title in titles]


def test_titles_that_lost_their_dates_are_found_by_their_structure():
    body = "".join(
        f"<div class='n'><p class='t'>{title}</p><p>What {title} does.</p></div>"
        for title in ("Tea", "Milk", "Coffee", "Juice")
    ).encode()
    entries = stored_with_titles("Milk", "Coffee", "Juice")

    result = repaired(body, entries)

    assert parsed(body).entries == ()
    assert needs_repair(parsed(body), entries)
    assert not isinstance(result, str)
    assert [(entry.title, entry.vendor_id) for entry in result[1]] == [
        ("Tea", None),
        ("Milk", "Milk"),
        ("Coffee", "Coffee"),
        ("Juice", "Juice"),
    ]


def test_too_many_proposals_are_not_believed():
    items = "".join(f"<li>Thing {n}<p>Text of {n}.</p></li>" for n in range(40))
    body = f"<ul>{items}</ul>".encode()

    result = repaired(body, stored_with_titles("Thing 1", "Thing 2", "Thing 3"))

    assert isinstance(result, str)
    assert "40 entries were proposed for 3 stored ones" in result


@pytest.mark.parametrize(("on_page", "needed"), [(0, True), (2, True), (3, False), (10, False)])
def test_a_repair_is_needed_below_three_tenths(on_page, needed):
    body = "".join(f"<h2>v1.{n}.0 (2024-01-01)</h2><p>text</p>" for n in range(on_page)).encode()
    entries = stored_with_titles(*(f"v1.{n}.0 (2024-01-01)" for n in range(10)))

    assert needs_repair(parsed(b"<p>" + body), entries) is needed
