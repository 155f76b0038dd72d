"""Migration 0010: undated entries of a first reading leave the public lists."""

from datetime import timedelta

import orjson
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import DateTime, LargeBinary, column, insert, select, table, text

from storage.engine.database import faults, open_database, upgrade
from storage.engine.sqlite import MIGRATING
from storage.entries.entry_pages import page_latest
from storage.models import Entry

AT = DateTime(timezone=True)
ENTRIES = table(  # as revision 0009 has it
    "entries",
    *map(column, ("id", "source_id", "external_id", "title", "content_hash", "revision")),
    *map(column, ("important", "importance_version")),
    *(column(name, AT) for name in ("published_at", "first_seen_at", "changed_at")),
    *(column(name, LargeBinary) for name in ("document", "public_document")),
)
STEP = timedelta(milliseconds=1)
HOUR = timedelta(hours=1)


def migrate(database, revision, way=command.upgrade):
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config()
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        way(config, revision)


@pytest.fixture
def at_0009(new_database_url):
    """A database with one source, before there was a mark."""
    database = open_database(new_database_url(empty=True))
    migrate(database, "0009")
    with database.write() as session:
        session.execute(
            text(
                "INSERT INTO sources (id, slug, vendor, name, name_folded, kind, changelog_url, "
                "adapter_type, tags, prominence, health, entry_count, important_count) VALUES "
                "(1, 'acme.mail', 'acme', 'Mail', 'mail', 'changelog', 'https://acme.example/', "
                "'rss', :tags, 0, 'unknown', 0, 0)"
            ),
            {"tags": b"[]"},
        )
    yield database
    database.close()


def store(database, external_id, *, published_at, first_seen_at, date_source, important=False):
    """Store an entry as revision 0009 does."""
    document = {"id": external_id, "raw": {"date_source": date_source}}
    with database.write() as session:
        session.execute(
            insert(ENTRIES),
            {
                "source_id": 1,
                "external_id": external_id,
                "published_at": published_at,
                "first_seen_at": first_seen_at,
                "changed_at": first_seen_at,
                "title": "title",
                "content_hash": "0" * 64,
                "revision": 1,
                "important": important,
                "importance_version": 1,
                "document": orjson.dumps(document),
                "public_document": orjson.dumps({"id": external_id}),
            },
        )
        session.execute(text("UPDATE sources SET entry_count = entry_count + 1"))
        if important:
            session.execute(text("UPDATE sources SET important_count = important_count + 1"))


@pytest.fixture
def stored(at_0009, now):
    """A first reading of three entries, two of them undated, and an undated one of later."""
    first = now - 10 * HOUR
    for place, id_ in enumerate(("a", "b")):
        at = first - place * STEP
        store(
            at_0009,
            id_,
            published_at=at,
            first_seen_at=first,
            date_source="first_seen",
            important=True,
        )
    store(at_0009, "dated", published_at=first, first_seen_at=first, date_source="pubDate")
    store(at_0009, "later", published_at=now, first_seen_at=now, date_source="first_seen")
    return at_0009


def test_only_undated_entries_of_a_first_reading_are_marked(stored):
    upgrade(stored)

    with stored.read() as session:
        rows = session.execute(
            select(Entry.external_id, Entry.listed, Entry.announced, Entry.document)
        )
        marks = {
            id_: (listed, announced, orjson.loads(document)["raw"]["date_source"])
            for id_, listed, announced, document in rows
        }
    assert marks == {
        "a": (False, False, "undated"),
        "b": (False, False, "undated"),
        "dated": (True, True, "pubDate"),
        "later": (True, True, "first_seen"),
    }


def test_they_leave_the_public_lists_and_totals(stored, now):
    upgrade(stored)

    with stored.read() as session:
        page = page_latest(session, limit=9, offset=0, now=now)
    ids = [orjson.loads(document)["id"] for document in page.documents]
    assert (page.total, ids) == (2, ["later", "dated"])
    assert faults(stored) == []


def test_more_entries_than_are_marked_at_a_time(at_0009, now):
    for place in range(1001):
        at = now - place * STEP
        store(at_0009, f"{place}", published_at=at, first_seen_at=now, date_source="first_seen")

    upgrade(at_0009)

    with at_0009.read() as session:
        assert page_latest(session, limit=9, offset=0, now=now).total == 0


def test_going_back_and_forth_keeps_the_totals(stored, now):
    upgrade(stored)
    migrate(stored, "0009", command.downgrade)
    with stored.write() as session:
        session.execute(text("UPDATE sources SET entry_count = entry_count + 0"))
    upgrade(stored)

    with stored.read() as session:
        assert page_latest(session, limit=9, offset=0, now=now).total == 2
