"""Stored entries are classified again in the background when the rules change."""

import threading
from datetime import timedelta
from functools import partial

import orjson
import pytest
from filling import catalog_row
from sqlalchemy import func, select, update

from changelog_reader.importance import IMPORTANCE_VERSION
from ingest.workers.common import in_background
from ingest.workers.reclassification import reclassify, reclassify_batch
from storage.catalog.sources import ids_of, save_sources
from storage.entries.documents import EntryRelease, EntryText, headline_of
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.entries.reclassification import RejudgedEntry, outdated_entries, save_importance
from storage.models import Entry, EntryDeadline, Source

BREAKING = "BREAKING CHANGE: the v1 endpoint was removed"
ENDING = "Deprecated: version 1 will stop working on 1 March 2027"
PLAIN = "A new colour for the button"
OLD = b'{"categories":["security"],"evidence":[]}'


@pytest.fixture
def sources(database):
    """Two sources, by slug."""
    slugs = ["acme.mail", "acme.storage"]
    with database.write() as session:
        save_sources(session, [catalog_row(slug, name=slug) for slug in slugs])
        return ids_of(session, slugs)


@pytest.fixture
def save(database, sources, now):
    """Store entries as older rules classified them: ``save(slug, titles, importance=…)``."""

    def save(slug, titles, *, importance=None, version=IMPORTANCE_VERSION - 1):
        new = [
            EntryRecord(
                EntryText(
                    external_id=title,
                    source=slug,
                    vendor="acme",
                    published_at=now - timedelta(hours=1),
                    title=title,
                    url=None,
                    summary=None,
                    raw={},
                    tags=("cloud",),
                ),
                "0" * 64,
                importance,
                version,
            )
            for title in titles
        ]
        with database.write() as session:
            save_entries(session, sources[slug], new=new, edited=[], now=now)

    return save


@pytest.fixture
def entry(database):
    """Read the entry with a title."""

    def entry(title):
        with database.read() as session:
            return session.scalars(select(Entry).where(Entry.title == title)).one()

    return entry


def exact(database):
    """Tell whether every kept count is what counting gives."""
    kept = select(Source.id, Source.important_count)
    counted = select(Entry.source_id, func.count()).where(Entry.important)
    with database.read() as session:
        return {key: count for key, count in session.execute(kept) if count} == dict(
            session.execute(counted.group_by(Entry.source_id)).all()
        )


def test_what_older_rules_missed_or_made_up_is_put_right(database, save, entry):
    save("acme.mail", [BREAKING, ENDING])
    save("acme.mail", [PLAIN], importance=OLD)

    assert reclassify_batch(database) == 3

    assert orjson.loads(entry(BREAKING).importance)["categories"] == ["breaking"]
    assert headline_of(entry(BREAKING).public_document) == f"acme.mail: {BREAKING}"
    assert (entry(PLAIN).important, entry(PLAIN).importance) == (False, None)
    assert entry(PLAIN).importance_version == IMPORTANCE_VERSION
    assert exact(database)


def test_deadlines_are_found_again(database, save, entry):
    save("acme.mail", [ENDING])

    reclassify_batch(database)

    with database.read() as session:
        (found,) = session.scalars(select(EntryDeadline))
    assert (found.entry_id, found.last_day.isoformat()) == (entry(ENDING).id, "2027-03-01")
    assert found.evidence in ENDING


def test_it_is_done_in_batches_and_goes_on_where_it_stopped(database, save):
    save("acme.mail", [f"{BREAKING} {number}" for number in range(5)])
    save("acme.storage", [f"{PLAIN} {number}" for number in range(4)], importance=OLD)

    counts = []
    while count := reclassify_batch(database, most=4):
        counts.append(count)
        assert exact(database)

    assert counts == [4, 4, 1]


def test_reclassification_is_no_edit(database, save, entry):
    save("acme.mail", [BREAKING])
    before = entry(BREAKING)

    reclassify_batch(database)

    after = entry(BREAKING)
    assert (after.revision, after.changed_at, after.document) == (
        before.revision,
        before.changed_at,
        before.document,
    )


def test_an_entry_that_was_edited_meanwhile_keeps_what_it_has(database, save, sources, entry, now):
    save("acme.mail", [BREAKING])
    with database.read() as session:
        (slow,) = outdated_entries(session, version=IMPORTANCE_VERSION, most=9)
        (known,) = known_entries(session, sources["acme.mail"], ids=[BREAKING], urls=())
    edited = EntryRecord(
        EntryText(
            BREAKING, "acme.mail", "acme", now - timedelta(hours=1), PLAIN, None, None, {}, ()
        ),
        "1" * 64,
        None,
        IMPORTANCE_VERSION,
    )
    with database.write() as session:
        edit = Edit(known, edited)
        save_entries(session, sources["acme.mail"], new=[], edited=[edit], now=now)

    with database.write() as session:
        late = RejudgedEntry(
            slow.key, slow.content_hash, OLD, (), b"{}", slow.document, EntryRelease(None, None), ()
        )
        save_importance(session, [late], version=IMPORTANCE_VERSION)

    assert entry(PLAIN).importance is None
    assert exact(database)


def test_it_runs_beside_what_else_is_done(database, save, entry):
    save("acme.mail", [BREAKING])
    stop = threading.Event()

    with in_background(stop, reclassify=partial(reclassify, database, stop)):
        for _ in range(1000):
            if entry(BREAKING).importance_version == IMPORTANCE_VERSION:
                break
            stop.wait(0.01)

    assert entry(BREAKING).important
    assert stop.is_set()
    assert "reclassify" not in [thread.name for thread in threading.enumerate()]


def test_an_entry_that_was_stored_without_its_version_gets_it(database, save):
    save("acme.mail", ["Acme 1.3.0-rc.1"])
    with database.write() as session:
        stored = session.scalars(select(Entry.document)).one()
        fields = {name: value for name, value in orjson.loads(stored).items() if name != "version"}
        session.execute(
            update(Entry).values(document=orjson.dumps(fields), version=None, prerelease=None)
        )

    reclassify_batch(database)

    with database.read() as session:
        stored = session.scalars(select(Entry)).one()
    assert (stored.version, stored.prerelease) == ("1.3.0-rc.1", True)
    assert orjson.loads(stored.document)["version"] == "1.3.0-rc.1"
    assert orjson.loads(stored.public_document)["prerelease"] is True
