"""Writing entries: counts are kept, edits keep what they replace (docs/decisions/0015)."""

from dataclasses import replace
from hashlib import sha256

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from storage.entries.documents import PUBLIC_SUMMARY_LENGTH, shortened
from storage.entries.entry_writes import Edit, known_entries, save_entries
from storage.models import Entry, Source


@pytest.fixture
def written(learned):
    """Make entries with an address: ``written(id, title, hours old)``."""

    def written(external_id, *arguments, **more):
        url = f"https://acme.example/{external_id}"
        return learned(external_id, *arguments, url=url, **more)

    return written


@pytest.fixture
def save(database, catalog, now):
    """Store entries of the first source."""

    def save(new=(), edited=()):
        with database.write() as session:
            save_entries(session, catalog["acme.s0"], new=new, edited=edited, now=now)

    return save


def stored(database, catalog, external_id):
    with database.read() as session:
        (found,) = known_entries(session, catalog["acme.s0"], ids=[external_id], urls=[])
        return found


def test_counts_follow_new_entries_and_edits(database, catalog, save, written):
    why = b'{"categories":["security"],"evidence":[]}'
    save(new=[written("1"), written("2", importance=why)])
    save(edited=[Edit(stored(database, catalog, "1"), written("1", "x", importance=why))])
    save(edited=[Edit(stored(database, catalog, "2"), written("2", "y"))])

    with database.read() as session:
        source = session.get_one(Source, catalog["acme.s0"])
        counted = session.scalar(select(func.count()).where(Entry.important))
        assert (source.entry_count, source.important_count) == (2, 1)
        assert counted == 1


def test_nothing_is_stored_when_one_entry_cannot_be(database, catalog, save, written):
    with pytest.raises(IntegrityError):
        save(new=[written("1"), written("1")])

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Entry)) == 0
        assert session.get_one(Source, catalog["acme.s0"]).entry_count == 0


def test_a_long_summary_is_cut_between_words():
    found = shortened("word " * 200)

    assert found.endswith("word…")
    assert len(found) <= PUBLIC_SUMMARY_LENGTH


def test_the_longest_address_finds_its_entry_again(database, catalog, save, written):
    url = "https://acme.example/" + "".join(sha256(bytes([n])).hexdigest() for n in range(200))
    entry = written("1", "title")
    save(new=[replace(entry, text=replace(entry.text, url=url))])

    with database.read() as session:
        found = known_entries(session, catalog["acme.s0"], ids=(), urls=[url, url[:-1]])
        assert [entry.url for entry in found] == [url]
