"""Loading the catalog."""

from dataclasses import replace

import orjson
from sqlalchemy import select

from storage.catalog.sources import save_sources
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, retag_entries, save_entries
from storage.models import Entry, FetchFacts


def load(database, rows):
    with database.write() as session:
        change = save_sources(session, rows)
        retag_entries(session, change.retagged)
    return change.added, change.updated, change.unchanged


def test_rows_are_added_then_recognised_then_updated(database, row):
    first, second = row("acme.a"), row("acme.b")

    assert load(database, [first, second]) == (2, 0, 0)
    assert load(database, [first, second]) == (0, 0, 2)
    assert load(database, [first, replace(second, name="Other")]) == (0, 1, 1)


def test_a_moved_feed_forgets_the_validators_of_the_old_address(database, row):
    load(database, [row("acme.a")])
    with database.write() as session:
        facts = session.scalars(select(FetchFacts)).one()
        facts.etag, facts.body_hash, facts.fail_score = '"x"', "0" * 64, 2.0

    load(database, [replace(row("acme.a"), feed_url="https://new.acme.example/feed")])

    with database.read() as session:
        facts = session.scalars(select(FetchFacts)).one()
        assert (facts.etag, facts.body_hash, facts.host) == (None, None, "new.acme.example")
        assert facts.fail_score == 2.0


def test_stored_entries_take_over_new_tags(database, row, now):
    load(database, [row("acme.a")])
    with database.write() as session:
        text = EntryText("1", "acme.a", "acme", now, "t", None, None, {}, ("cloud",))
        save_entries(session, 1, new=[EntryRecord(text, "0" * 64, None, 0)], edited=[], now=now)

    load(database, [replace(row("acme.a"), tags=("cdn", "api"))])

    with database.read() as session:
        entry = session.scalars(select(Entry)).one()
        assert orjson.loads(entry.document)["tags"] == ["cdn", "api"]
        assert orjson.loads(entry.public_document)["tags"] == ["cdn", "api"]
