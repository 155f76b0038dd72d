"""Invented entries, stored by the functions that ingestion uses.

Sources differ in size by Zipf's law: the largest of a thousand has one entry in thirty, most have
a few. Texts come from few words, so that searches find much, and a rare word is in one source.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from specimen.rows import entry, source
from sqlalchemy import text as sql

from openapi.vocabulary import Plan, Scope
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database, upgrade
from storage.engine.statements import is_sqlite
from storage.entries.documents import both_documents
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.entries.search.index import words_of_documents
from storage.people.accounts import add_account
from storage.people.keys import add_key

SLUGS = tuple(f"vendor{number % 400:03}.product{number:03}" for number in range(1_000))
NOW = datetime.now(UTC).replace(microsecond=0)
PURL = "pkg:npm/"  # before the slug of a source: its package
WORDS = """
    adds allows backup cache client cluster console deploy endpoint error event export field fix
    gateway image index interface latency limit log metric network node option page parameter
    policy pool query queue quota region release replica request retry role schedule schema
    secret session setting snapshot table template timeout token update user version volume zone
""".split()  # noqa: SIM905 - sixty pairs of quotation marks would not help


def counts(entries: int) -> list[int]:
    """Return how many entries each source has, the largest first."""
    weights = [1 / (rank + 1) ** 0.8 for rank in range(len(SLUGS))]
    shares = [int(entries * weight / sum(weights)) for weight in weights]
    return [shares[0] + entries - sum(shares), *shares[1:]]


def invented(entries: int) -> Iterator[tuple[str, list[EntryRecord]]]:
    """Yield every source with its entries, releases of six years.

    One in twelve is important, one in sixty has a deadline; few of those are ahead.
    """
    for slug, count in zip(SLUGS, counts(entries), strict=True):
        rng = random.Random(slug)
        yield slug, [_record(slug, number, rng) for number in range(count)]


def _record(slug: str, number: int, rng: random.Random) -> EntryRecord:
    record = entry(slug, number, NOW)
    words = " ".join(rng.choices(WORDS, k=60))
    text = replace(
        record.text,
        published_at=NOW - timedelta(seconds=rng.uniform(60, 6 * 365 * 86_400)),
        title=f"Version {number}.0",
        summary=f"{(record.text.summary or '')[:200]}{words} {slug.replace('.', '')}",
    )
    importance = record.importance if number % 12 == 0 else None
    deadlines = record.deadlines if number % 60 == 0 else ()
    made = {"documents": (both := both_documents(text)), "words": words_of_documents(*both)}
    return replace(record, text=text, importance=importance, deadlines=deadlines, **made)


def fill(database: Database, entries: int) -> str:
    """Fill an empty database; return a key of the plan All."""
    upgrade(database)
    with database.write() as session:
        if is_sqlite(session):
            session.execute(sql("PRAGMA cache_size = -2000000"))
        save_sources(session, [source(slug) for slug in SLUGS])
        save_packages(session, [SeenPackage(slug, PURL + slug, "invented") for slug in SLUGS])
        ids = ids_of(session, SLUGS)
        for slug, records in invented(entries):
            save_entries(session, ids[slug], new=records, edited=[], now=NOW)
        account = add_account(session, "bench@acme.example", now=NOW, plan=Plan.ALL)
        return add_key(session, account, name="bench", scopes=list(Scope), now=NOW)[1]
