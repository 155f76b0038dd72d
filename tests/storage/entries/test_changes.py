"""Every entry and every edit has a number, in the order in which it was learned."""

from datetime import timedelta

import orjson
import pytest
from sqlalchemy import delete, insert

from storage.catalog.sources import ids_of, save_sources
from storage.engine.backup import backup
from storage.engine.database import open_database
from storage.entries.changes import BEGINNING, changes_after, newest_change
from storage.entries.documents import EntryRelease
from storage.entries.entry_query import MOST_MERGED
from storage.entries.entry_writes import Edit, known_entries, retag_entries, save_entries
from storage.entries.reclassification import RejudgedEntry, save_importance
from storage.models import Entry, Source

HOUR = timedelta(hours=1)


@pytest.fixture
def save(database, catalog, now):
    """Store entries of a source and edits of stored ones, by id: ``save("acme.s0", new, {…})``."""

    def save(slug, new=(), edited={}, *, at=now, database=database):
        with database.write() as session:
            source_id = catalog[slug]
            stored = known_entries(session, source_id, ids=list(edited), urls=())
            edits = [Edit(entry, edited[entry.external_id]) for entry in stored]
            save_entries(session, source_id, new=new, edited=edits, now=at)

    return save


def seen(database, *, after=BEGINNING, source_ids=None, limit=100):
    with database.read() as session:
        page = changes_after(session, after, limit=limit, source_ids=source_ids)
    return [(change.revision, orjson.loads(change.document)["title"]) for change in page.changes]


def newest(database):
    with database.read() as session:
        return newest_change(session)


def test_entries_of_one_check_come_oldest_first_and_edits_after_them(database, save, learned):
    save("acme.s0", [learned("1", "first", hours=3)])
    new = [learned("2", "third", hours=1), learned("3", "second", hours=2)]
    save("acme.s0", new, {"1": learned("1", "edited", hours=3)})

    assert seen(database) == [(1, "first"), (1, "second"), (1, "third"), (2, "edited")]


@pytest.mark.parametrize("most", [1, 3, MOST_MERGED, MOST_MERGED + 1])
def test_some_sources_give_what_is_theirs_however_many_they_are(
    database, save, learned, row, catalog, most
):
    with database.write() as session:
        slugs = [f"globex.s{number}" for number in range(most - 1)]
        save_sources(session, [row(slug) for slug in slugs])
        ids = [catalog["acme.s1"], *ids_of(session, slugs).values()]
    save("acme.s0", [learned("1", "others'")])
    save("acme.s1", [learned("1", "a"), learned("2", "b")])

    assert seen(database, source_ids=ids, limit=1) == [(1, "a")]
    assert seen(database, source_ids=ids) == [(1, "a"), (1, "b")]
    assert seen(database, source_ids=[]) == []


def test_what_is_not_the_vendors_doing_is_no_change(database, save, learned, catalog):
    save("acme.s0", [learned("1", "a")])
    before = newest(database)
    with database.write() as session:
        retag_entries(session, [catalog["acme.s0"]])
        (stored,) = known_entries(session, catalog["acme.s0"], ids=["1"], urls=())
        document = session.get_one(Entry, stored.key).document
        judged = RejudgedEntry(
            stored.key,
            stored.content_hash,
            b"{}",
            (),
            b"{}",
            document,
            EntryRelease(None, None),
            (),
        )
        save_importance(session, [judged], version=9)

    assert newest(database) == before
    with database.read() as session:
        (change,) = changes_after(session, BEGINNING, limit=9).changes
    assert change.important


def test_the_number_of_a_deleted_source_is_never_used_again(database, save, learned, catalog, now):
    save("acme.s0", [learned("1", "a")])
    save("acme.s1", [learned("1", "b")])
    place = newest(database)
    with database.write() as session:
        session.execute(delete(Source).where(Source.id == catalog["acme.s1"]))
    save("acme.s0", [learned("2", "c")], at=now - HOUR)

    assert seen(database, after=place) == [(1, "c")]
    assert seen(database) == [(1, "a"), (1, "c")]


@pytest.mark.parametrize("titles", ["a", "abc"])
def test_what_another_release_stores_in_one_statement_is_numbered_too(
    database, catalog, now, titles
):
    columns = {
        "source_id": catalog["acme.s0"],
        "published_at": now,
        "title": "by a release that knows of no numbers",
        "content_hash": "0" * 64,
        "first_seen_at": now,
        "changed_at": now,
        "public_document": b"{}",
    }
    rows = [
        columns | {"external_id": title, "document": orjson.dumps({"title": title})}
        for title in titles
    ]
    with database.write() as session:
        session.execute(insert(Entry.__table__).values(rows))

    assert seen(database) == [(1, title) for title in titles]


@pytest.mark.only_on("sqlite")
def test_what_is_learned_after_a_restored_backup_is_after_every_place(
    database, save, learned, now, tmp_path
):
    save("acme.s0", [learned("1", "a")])
    backup(database, tmp_path / "backup.db")
    save("acme.s0", [learned(str(number), "lost") for number in range(2, 9)], at=now + HOUR)
    place = newest(database)

    restored = open_database(f"sqlite:///{tmp_path / 'backup.db'}")
    save("acme.s0", [learned("2", "learned again")], at=now + 2 * HOUR, database=restored)

    assert seen(restored, after=place) == [(1, "learned again")]
    restored.close()
