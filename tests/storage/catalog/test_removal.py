"""A source goes with all that was read of it, and with nothing else."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import orjson
import pytest
from sqlalchemy import func, select, text

from openapi.vocabulary import Scope
from storage.catalog.removal import remove_sources
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import faults
from storage.entries.changes import BEGINNING, changes_after, newest_change
from storage.entries.diffs import SnapshotRecord, add_diff, add_snapshot
from storage.entries.documents import EntryRelease
from storage.entries.entry_writes import Edit, known_entries, save_entries
from storage.entries.reclassification import RejudgedEntry, save_importance
from storage.entries.removals import KEPT, removals_after
from storage.models import (
    Account,
    ApiKey,
    Diff,
    Entry,
    EntryChange,
    EntryRevision,
    FetchFacts,
    Snapshot,
    SnapshotBody,
    Source,
)
from storage.people.follows import narrow_key, removed_slugs
from storage.people.keys import add_key

OF_SOURCES = (Source, FetchFacts, Entry, EntryRevision, EntryChange, Snapshot, SnapshotBody, Diff)


@pytest.fixture
def settle(database, catalog, learned, now):
    """Give a source everything that a source can have, and a body that another may share."""

    def settle(slug, *, body):
        with database.write() as session:
            source_id = catalog[slug]
            save_entries(session, source_id, new=[learned(f"{slug} 1")], edited=[], now=now)
            stored = known_entries(session, source_id, ids=[f"{slug} 1"], urls=())
            edits = [Edit(stored[0], learned(f"{slug} 1", "edited"))]
            save_entries(session, source_id, new=[], edited=edits, now=now)
            written = SnapshotRecord(body * 64, body.encode(), "1", 1)
            add_snapshot(session, source_id, written, now=now)
            add_diff(session, source_id, document=b"{}", now=now)

    return settle


def counts(database):
    with database.read() as session:
        return [session.scalar(select(func.count()).select_from(table)) for table in OF_SOURCES]


def remove(database, catalog, now, *slugs):
    with database.write() as session:
        return remove_sources(session, [catalog[slug] for slug in slugs], now=now)


def test_nothing_of_a_removed_source_is_left(database, catalog, settle, now):
    before = counts(database)
    settle("acme.s1", body="b")

    assert remove(database, catalog, now, "acme.s1").entries == 1

    assert counts(database) == [before[0] - 1, before[1] - 1, *before[2:]]
    assert faults(database) == []


def test_what_other_sources_have_stays(database, catalog, settle, now):
    settle("acme.s0", body="a")
    before = counts(database)
    settle("acme.s1", body="a")

    remove(database, catalog, now, "acme.s1")

    assert counts(database) == [before[0] - 1, before[1] - 1, *before[2:]]


def removals(database, **wanted):
    with database.read() as session:
        return removals_after(session, BEGINNING, limit=100, **wanted)


def test_each_removed_entry_leaves_what_is_left_to_say(database, catalog, settle, now):
    settle("acme.s1", body="b")
    settle("acme.s2", body="b")

    remove(database, catalog, now, "acme.s1")

    ((_, document),) = removals(database)
    assert orjson.loads(document).keys() == set(KEPT)
    assert orjson.loads(document)["id"] == "acme.s1 1"
    assert removals(database, slugs=["acme.s2"]) == []


@pytest.mark.parametrize("hours", [-100_000, 0, 100_000])
def test_a_removal_comes_after_all_and_before_what_is_learned_later(
    database, catalog, settle, learned, now, hours
):
    """Wherever the clock goes."""
    settle("acme.s1", body="b")
    with database.read() as session:
        before = newest_change(session)
    remove(database, catalog, now + timedelta(hours=hours), "acme.s1")
    with database.write() as session:
        at = now - timedelta(hours=100_000)
        save_entries(session, catalog["acme.s2"], new=[learned("later")], edited=[], now=at)

    ((number, _),) = removals(database)
    with database.read() as session:
        (change,) = changes_after(session, number, limit=10).changes
        assert before < number < change.number == newest_change(session)


def test_a_narrowed_key_and_its_account_remember_a_removal(database, catalog, account, row, now):
    with database.write() as session:
        owner = session.get_one(Account, account)
        key, _ = add_key(session, owner, name="k", scopes=[Scope.READ_ENTRIES], now=now)
        other, _ = add_key(session, owner, name="o", scopes=[Scope.READ_ENTRIES], now=now)
        key_id, other_id = key.id, other.id
        narrow_key(session, key, [catalog["acme.s1"]], now=now)

    remove(database, catalog, now, "acme.s1")
    with database.write() as session:
        save_sources(session, [row("acme.s1")])
        source_id = ids_of(session, ["acme.s1"])["acme.s1"]
        narrow_key(session, session.get_one(ApiKey, key_id), [source_id], now=now)
    remove(database, {"acme.s1": source_id}, now, "acme.s1")  # for the second time

    with database.read() as session:
        assert removed_slugs(session, account, key_id=key_id) == {"acme.s1"}
        assert removed_slugs(session, account, key_id=other_id) == set()
        assert removed_slugs(session, account, key_id=None) == {"acme.s1"}


@pytest.mark.only_on("postgresql")
def test_a_source_goes_while_its_entries_are_judged_anew(database, catalog, learned, now):
    with database.write() as session:
        new = [learned("1"), learned("2")]
        save_entries(session, catalog["acme.s1"], new=new, edited=[], now=now)
        unchanged, changed = session.execute(
            select(Entry.id, Entry.content_hash).order_by(Entry.id)
        ).all()
        document = session.scalars(select(Entry.document)).first()
    unversioned = EntryRelease(None, None)

    with ThreadPoolExecutor() as pool:
        with database.write() as session:
            rejudged = RejudgedEntry(*unchanged, None, (), b"{}", document, unversioned, ())
            save_importance(session, [rejudged], version=99)
            removal = pool.submit(remove, database, catalog, now, "acme.s1")
            wait_until_blocked(database)
            rejudged = RejudgedEntry(*changed, b"{}", (), b"{}", document, unversioned, ())
            save_importance(session, [rejudged], version=99)

        assert removal.result().entries == 2


def wait_until_blocked(database):
    """Wait until a transaction waits for another one's lock."""
    blocked = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    for _ in range(1_000):
        with database.read() as session:
            if session.scalar(blocked):
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")
