"""Searches in entries that vendors wrote find what a plain scan finds, on either database.

CHANGEWIRE_CORPUS names a folder with ``labels.jsonl`` in it: a JSON object a line, with ``title``
and ``text`` of an entry. It is not part of this repository.
"""

import json
import os
import random
from pathlib import Path

import pytest
from sqlalchemy import select

from openapi.vocabulary import SearchOrder
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database, upgrade
from storage.entries.entry_writes import save_entries
from storage.entries.search.matching import Scope, matches, searched_text
from storage.entries.search.query import parse_query
from storage.entries.search.search import EntrySearch, find_entries
from storage.models import Entry

CORPUS = os.environ.get("CHANGEWIRE_CORPUS")
ENTRIES = 900  # fewer than a search gives at most

pytestmark = pytest.mark.skipif(
    CORPUS is None, reason="CHANGEWIRE_CORPUS is not set: it names a folder of recorded entries"
)


@pytest.fixture(scope="module")
def texts():
    """Titles and texts of recorded entries, from all over the file."""
    lines = (Path(CORPUS) / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    records = map(json.loads, random.Random(3).sample(lines, ENTRIES))
    return [(record["title"] or "", record["text"] or "") for record in records]


@pytest.fixture(scope="module")
def recorded(new_database_url, make_row, make_entry, texts, now):
    """A database of them, and each entry in order with its texts."""
    database = open_database(new_database_url(empty=True))
    upgrade(database)
    with database.write() as session:
        save_sources(session, [make_row("acme.s0")])
        source_id = ids_of(session, ["acme.s0"])["acme.s0"]
        new = [
            make_entry(number, title, text, hours=number * 7)
            for number, (title, text) in enumerate(texts)
        ]
        save_entries(session, source_id, new=new, edited=[], now=now)
    newest = (Entry.published_at.desc(), Entry.external_id.desc())
    with database.read() as session:
        rows = session.execute(
            select(Entry.id, Entry.document, Entry.public_document).order_by(*newest)
        )
        scanned = [(row.id, searched_text(row.document, row.public_document)) for row in rows]
    yield database, scanned
    database.close()


def drawn_query(chance, texts):
    """Return a query in the words of some entries: alone, in a phrase, cut, or without them."""
    pieces = []
    for _ in range(chance.choice([1, 1, 2, 3])):
        words = " ".join(chance.choice(texts)).split() or ["nothing"]
        start, size = chance.randrange(len(words)), chance.choice([1, 1, 2, 3])
        piece = " ".join(words[start : start + size])
        form = chance.choice(["{}", "{}", '"{}"', "-{}", '-"{}"', "{}*", '"{}'])
        cut = piece[: chance.randint(1, len(piece))] if form == "{}*" else piece
        pieces.append(form.format(cut))
    return " ".join(pieces)


def differences(recorded, query, now):
    """Return the scopes in which a search finds something else than a scan."""
    database, scanned = recorded
    parsed, differing = parse_query(query), []
    for scope in Scope:
        expected = [key for key, texts in scanned if matches(parsed, texts, scope)]
        with database.read() as session:
            newest = find_entries(session, EntrySearch(parsed, scope), now=now).keys
            ranked = EntrySearch(parsed, scope, order=SearchOrder.RELEVANCE)
            likeliest = find_entries(session, ranked, now=now).keys
        if newest != expected or sorted(likeliest) != sorted(expected):
            differing.append((query, scope))
    return differing


def test_searches_in_recorded_entries_find_what_scans_find(recorded, texts, now):
    chance = random.Random(5)
    queries = [drawn_query(chance, texts) for _ in range(60)]

    assert [found for query in queries for found in differences(recorded, query, now)] == []


@pytest.mark.slow
def test_two_thousand_searches_in_recorded_entries_find_what_scans_find(recorded, texts, now):
    chance = random.Random(7)
    queries = [drawn_query(chance, texts) for _ in range(2_000)]

    assert [found for query in queries for found in differences(recorded, query, now)] == []
