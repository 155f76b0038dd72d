"""Migration 0002: what was learned before there were numbers is numbered as it was learned."""

from datetime import timedelta

import orjson
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import DateTime, LargeBinary, column, insert, table, text

from storage.engine.database import open_database, upgrade
from storage.engine.sqlite import MIGRATING
from storage.entries.changes import BEGINNING, changes_after, newest_change
from storage.entries.states import source_states

HOUR = timedelta(hours=1)
AT = DateTime(timezone=True)
ENTRIES = table(  # as release 0001 knew it
    "entries",
    *map(column, ("id", "source_id", "external_id", "title", "content_hash", "revision")),
    *map(column, ("important", "importance_version")),
    *(column(name, AT) for name in ("published_at", "first_seen_at", "changed_at")),
    *(column(name, LargeBinary) for name in ("document", "public_document")),
)
REVISIONS = table(
    "entry_revisions",
    *map(column, ("entry_id", "revision")),
    column("replaced_at", AT),
    column("document", LargeBinary),
)


@pytest.fixture
def at_0001(new_database_url):
    """A database as the previous release left it."""
    database = open_database(new_database_url(empty=True))
    migrate(database, "0001")
    yield database
    database.close()


def migrate(database, revision, way=command.upgrade):
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config()
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        way(config, revision)


def fill(database, rows, now):
    """Store a source and entries: id, hours since each of its revisions was learned, oldest first.

    Written as the previous release wrote them, without its models.
    """
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
        for key, ages in rows.items():
            session.execute(insert(ENTRIES), entry(key, ages, now))
            for number, until in enumerate(ages[1:], 1):
                replaced = {
                    "entry_id": key,
                    "revision": number,
                    "replaced_at": now - until * HOUR,
                    "document": orjson.dumps({"title": f"{key}.{number}"}),
                }
                session.execute(insert(REVISIONS), replaced)


def entry(key, ages, now):
    return {
        "id": key,
        "source_id": 1,
        "external_id": str(key),
        "published_at": now - key * HOUR,
        "title": "title",
        "content_hash": "0" * 64,
        "revision": len(ages),
        "important": False,
        "importance_version": 1,
        "first_seen_at": now - ages[0] * HOUR,
        "changed_at": now - ages[-1] * HOUR,
        "document": orjson.dumps({"title": f"{key}.{len(ages)}"}),
        "public_document": b"{}",
    }


def titles(database, after=BEGINNING):
    with database.read() as session:
        page = changes_after(session, after, limit=100)
    return [orjson.loads(change.document)["title"] for change in page.changes]


def test_what_is_there_is_numbered_in_the_order_in_which_it_was_learned(at_0001, now):
    fill(at_0001, {1: [9, 5, 2], 2: [8], 3: [9], 4: [7, 3]}, now)

    upgrade(at_0001)

    assert titles(at_0001) == ["3.1", "1.1", "2.1", "4.1", "1.2", "4.2", "1.3"]


def test_what_comes_next_has_higher_numbers(at_0001, now):
    fill(at_0001, {1: [9], 2: [8]}, now)
    upgrade(at_0001)
    with at_0001.read() as session:
        place = newest_change(session)

    with at_0001.write() as session:
        session.execute(insert(ENTRIES), entry(3, [500_000], now))

    assert titles(at_0001, after=place) == ["3.1"]


def test_a_source_keeps_the_number_of_its_newest_change(at_0001, now):
    fill(at_0001, {1: [9, 5], 2: [8]}, now)

    upgrade(at_0001)

    with at_0001.read() as session:
        state = source_states(session, ["acme.mail"])["acme.mail"]
        assert state.newest == newest_change(session)


def test_an_empty_database_is_ready_for_its_first_entry(at_0001, now):
    upgrade(at_0001)
    fill(at_0001, {1: [9]}, now)

    assert titles(at_0001) == ["1.1"]


def test_going_back_and_forth_loses_nothing(at_0001, now):
    fill(at_0001, {1: [9, 5], 2: [8]}, now)
    upgrade(at_0001)
    before = titles(at_0001)
    migrate(at_0001, "0001", command.downgrade)
    upgrade(at_0001)

    assert titles(at_0001) == before == ["1.1", "2.1", "1.2"]
