"""A small catalog and an account, for what is stored about them; a busy one, for plans."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event, insert, text, update

from openapi.vocabulary import AdapterType, Kind
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import on_postgresql, open_database, upgrade
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, url_key
from storage.models import Entry, FetchFacts, Source
from storage.people.accounts import add_account

SOURCES = 2_000
BUSY_SOURCES = 100
ENTRIES = 50_000
HOUR = timedelta(hours=1)


def catalog_row(slug, **columns):
    """A row of a catalog."""
    usual = {
        "vendor": slug.partition(".")[0],
        "name": "Acme Mail",
        "kind": Kind.CHANGELOG,
        "homepage": None,
        "changelog_url": "https://acme.example/mail",
        "adapter_type": AdapterType.RSS,
        "feed_url": "https://feeds.acme.example/mail.xml",
        "tags": ("cloud",),
    }
    return CatalogRow(slug=slug, **usual | columns)


@pytest.fixture(scope="session")
def make_row():
    """Make rows of a catalog, for what is made once for many tests."""
    return catalog_row


@pytest.fixture
def row(make_row):
    """Make rows of a catalog."""
    return make_row


@pytest.fixture
def catalog(database):
    """Six sources, by slug."""
    slugs = [f"acme.s{number}" for number in range(6)]
    with database.write() as session:
        save_sources(session, [catalog_row(slug) for slug in slugs])
        return ids_of(session, slugs)


@pytest.fixture
def account(database, now):
    """The id of a free account."""
    with database.write() as session:
        return add_account(session, "ada@acme.example", now=now).id


@pytest.fixture(scope="session")
def learned(now):
    """Make entries to be learned: ``learned(id, title, hours old)``, with other texts by name."""

    def learned(external_id, title="title", hours=1.0, *, importance=None, **texts):
        usual = {
            "external_id": external_id,
            "source": "acme.s0",
            "vendor": "acme",
            "published_at": now - timedelta(hours=hours),
            "title": title,
            "url": None,
            "summary": None,
            "raw": {},
            "tags": ("cloud",),
        }
        return EntryRecord(EntryText(**usual | texts), title.ljust(64, "0")[:64], importance, 1)

    return learned


@pytest.fixture(scope="session")
def busy(new_database_url, now, make_row):
    """Fifty thousand entries of a hundred sources among two thousand, few of which are due."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    slugs = [f"vendor{number % 300:03}.s{number:04}" for number in range(SOURCES)]
    with database.write() as session:
        save_sources(session, [make_row(slug) for slug in slugs])
        ids = sorted(ids_of(session, slugs).values())
        for number in range(0, ENTRIES, 5_000):
            some = range(number, number + 5_000)
            session.execute(insert(Entry), [_entry(number, ids, now) for number in some])
        session.execute(update(FetchFacts).values(next_check_at=now + HOUR))
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.source_id.in_(ids[:20]))
            .values(next_check_at=now - HOUR)
        )
        session.execute(
            update(Source)
            .where(Source.id.in_(ids[:BUSY_SOURCES]))
            .values(entry_count=ENTRIES // BUSY_SOURCES, important_count=10)
        )
    by_itself_in_time = "VACUUM ANALYZE" if on_postgresql(database.engine) else "ANALYZE"
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(by_itself_in_time))
    yield database, ids
    database.close()


def _entry(number, ids, now):
    url = f"https://acme.example/{number}"
    return {
        "source_id": ids[number % BUSY_SOURCES],
        "external_id": f"entry {number}",
        "published_at": now - number * HOUR / 10,
        "title": f"Version {number}",
        "url": url,
        "url_key": url_key(url),
        "content_hash": "0" * 64,
        "first_seen_at": now,
        "changed_at": now,
        "important": number % 50 == 0,
        "importance": b"{}" if number % 50 == 0 else None,
        "document": b"{}" * 300,
        "public_document": b'{"title":"News","summary":"%b"}' % (b"x" * 160),
    }


@pytest.fixture
def explained(busy, explain):
    """Ask a question and return the plans of its statements: ``explained(question)``, a text."""
    database, _ = busy
    return lambda question: explain(database, question)


@pytest.fixture(scope="session")
def explain():
    """The same of any database: ``explain(database, question)``."""

    def explain(database, question):
        seen = []

        def notice(connection, cursor, statement, parameters, context, executemany):
            seen.append((statement, parameters))

        event.listen(database.engine, "before_cursor_execute", notice)
        with database.write() as session:
            question(session)
            session.rollback()
        event.remove(database.engine, "before_cursor_execute", notice)
        word = "EXPLAIN" if on_postgresql(database.engine) else "EXPLAIN QUERY PLAN"
        lines = []
        with database.engine.connect() as connection:
            for statement, given in seen:
                if statement.startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
                    rows = connection.exec_driver_sql(f"{word} {statement}", given)
                    lines += [row[-1] for row in rows]
        return "\n".join(lines)

    return explain


@pytest.fixture(scope="session")
def scanned():
    """Find in a plan what is read from end to end though it grows without end."""
    large = "entries|entry_changes"
    return re.compile(rf"Seq Scan on ({large})\b|\bSCAN ({large})(?! USING)").search
