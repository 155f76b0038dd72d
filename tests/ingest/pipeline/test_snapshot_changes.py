"""What a check stores of the published state, and for how long (docs/decisions/0011)."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest
from sqlalchemy import func, select

import ingest.pipeline.snapshot_changes
from changelog_reader.adapters import PARSER_VERSION
from changelog_reader.adapters.base import ParsedDocument, ParsedEntry
from ingest.pipeline.snapshot_changes import compare_snapshots, store_snapshot
from openapi.vocabulary import AdapterType
from storage.entries.diffs import StoredSnapshot, last_snapshot, newest_diffs
from storage.models import Diff, Snapshot, SnapshotBody

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def entry(number, title):
    return ParsedEntry(
        vendor_id=number,
        title=title,
        url=f"https://acme.example/{number}",
        published_at=NOW,
        date_source="pubDate",
        summary=f"All about {title}.",
    )


def shown(*titles, blocks=()):
    """Return a document with these titles, the newest first."""
    entries = tuple(
        entry(str(number), title) for number, title in enumerate(reversed(titles), start=1)
    )[::-1]
    return ParsedDocument(entries, blocks=tuple(blocks))


def compare(document, last=None, adapter_type=AdapterType.RSS):
    identified = [(entry.vendor_id, entry) for entry in document.entries]
    return compare_snapshots(adapter_type, document, identified, last)


def as_stored(comparison, key=1):
    written = comparison.written
    return StoredSnapshot(key, NOW, written.content_hash, written.body, written.entry_count)


@pytest.fixture
def source_id(add_source):
    """The id of a source."""
    return add_source()


@pytest.fixture
def check(database, source_id):
    """Compare a document with what is stored and store it: ``check(document, at=NOW)``."""

    def check(document, *, at=NOW):
        with database.read() as session:
            last = last_snapshot(session, source_id)
        comparison = compare(document, last)
        with database.write() as session:
            store_snapshot(session, source_id, comparison, now=at)
        return comparison

    return check


@pytest.fixture
def count(database):
    """Count the rows of a model."""

    def count(model):
        with database.read() as session:
            return session.scalar(select(func.count()).select_from(model))

    return count


@pytest.mark.parametrize("last", [None, as_stored(compare(shown("One")))])
def test_a_document_that_shows_nothing_is_no_state(last):
    assert compare(ParsedDocument(()), last) is None


def test_a_newer_parser_starts_anew_and_tells_no_change(monkeypatch):
    before = as_stored(compare(shown("One")))
    monkeypatch.setattr(ingest.pipeline.snapshot_changes, "PARSER_VERSION", PARSER_VERSION + 1)

    upgraded = compare(shown("One, read better"), before)

    assert upgraded.changes is None
    assert upgraded.written.content_hash != before.content_hash
    assert compare(shown("Two"), as_stored(upgraded)).changes is not None


def test_a_diff_that_would_break_the_contract_is_left_out_and_the_state_kept():
    nameless = ParsedDocument((entry("", "Nameless"), entry("1", "One")))

    found = compare(nameless, as_stored(compare(shown("One"))))

    assert found.changes is None
    assert found.written.entry_count == 2


def test_a_diff_names_the_snapshots_it_lies_between(check, database, source_id):
    first, second = check(shown("One")), check(shown("Two", "One"), at=NOW + DAY)

    with database.read() as session:
        page = newest_diffs(session, source_id)
    (document,) = map(orjson.loads, page.documents)
    assert page.total == 1
    assert document["id"] == "diff_1_2"
    assert document["before"] == {
        "snapshotId": "snapshot_1",
        "fetchedAt": "2026-11-21T12:00:00Z",
        "contentHash": first.written.content_hash,
        "entryCount": 1,
    }
    assert document["after"] == {
        "snapshotId": "snapshot_2",
        "fetchedAt": "2026-11-22T12:00:00Z",
        "contentHash": second.written.content_hash,
        "entryCount": 2,
    }


def test_two_hundred_states_and_diffs_are_kept_however_old(check, count):
    for number in range(204):
        check(shown(f"Title {number}"), at=NOW - (300 - number) * DAY * 2)

    assert (count(Snapshot), count(Diff)) == (200, 200)
    assert count(SnapshotBody) == 200
