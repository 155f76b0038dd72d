"""Millions of invented entries, written by the database itself: a statement for each source.

Titles and summaries come from a stock of 2,000; which of them an entry has follows from its number.
There are no triggers and no indexes meanwhile, but those that cannot be dropped; the changes that
the triggers would have numbered are numbered at the end.
"""

import random
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pysqlite3.dbapi2 as driver

from storage.entries.documents import shortened

YEARS = 6
STOCK = 2_000
IMPORTANT_PERCENT = 8
TAGS = ("cloud", "compute")
WORDS = """
    adds allows availability backup behaviour cache change client cluster command
    console default deploy deprecated endpoint error event export feature field fixes
    gateway header image improves index instance interface key latency limit log metric
    migration mode network node option page parameter performance plan policy pool
    preview query queue quota region release remove replica request retry role rollout
    schedule schema secret service session setting snapshot storage support table
    template timeout token update upgrade user version volume webhook window worker zone
""".split()  # noqa: SIM905 - eighty quotation marks would not help
PASSAGE = "The old endpoint is deprecated and stops working in March. "
IMPORTANCE = orjson.dumps(
    {
        "categories": ["deprecation"],
        "evidence": [
            {
                "category": "deprecation",
                "field": "summary",
                "text": PASSAGE.strip(),
                "start": 0,
                "end": len(PASSAGE) - 1,
            }
        ],
    }
)
STOCK_TABLE = """
CREATE TEMP TABLE stock (
    place INTEGER PRIMARY KEY, title TEXT, whole TEXT, short TEXT, whole_important TEXT,
    short_important TEXT
)
"""
INSERT = """
WITH RECURSIVE
    counted(place) AS (VALUES (0) UNION ALL SELECT place + 1 FROM counted WHERE place + 1 < :count),
    numbered AS (
        SELECT :first + place AS number, (:first + place) * 2654435761 % 4294967296 AS chance,
               :now - :span * (:count - place) / (:count + 1) AS moment
        FROM counted
    ),
    chosen AS (
        SELECT number, chance, moment, chance / 4096 % 100 < :percent AS important,
               printf('%s-%09d', :product, number) AS external_id,
               strftime('%Y-%m-%d %H:%M:%S.000000', moment, 'unixepoch') AS stored,
               strftime('%Y-%m-%dT%H:%M:%SZ', moment, 'unixepoch') AS told,
               printf('https://%s.example/%s/changelog/%d', :vendor, :product, number) AS url
        FROM numbered
    )
INSERT INTO entries (
    source_id, external_id, published_at, title, url, url_key, content_hash, revision,
    first_seen_at, changed_at, important, importance, importance_version, document, public_document
)
SELECT
    :source_id, external_id, stored, title, url, chance * 2147483647 + number,
    printf('%064x', number), 1, stored, stored, important,
    CASE WHEN important THEN :importance END, 1,
    CAST(printf(:whole_form, external_id, told, title, url,
                CASE WHEN important THEN whole_important ELSE whole END, number) AS BLOB),
    CAST(printf(:short_form, external_id, told, title, url,
                CASE WHEN important THEN short_important ELSE short END) AS BLOB)
FROM chosen JOIN stock ON stock.place = chance % :stock
"""
NUMBER = """
INSERT INTO entry_changes (number, source_id, entry_id, revision)
SELECT id, source_id, id, revision FROM entries ORDER BY id
"""
LARGE = "('entries', 'entry_changes')"


def insert_entries(
    file: Path,
    sources: Sequence[tuple[str, int, int]],
    *,
    now: datetime,
    summary: int,
    chance: random.Random,
) -> dict[int, int]:
    """Write so many entries for each (slug, id, count); return how many are important by id.

    All in one transaction, without the safety of one. ``summary``: characters, on average.
    """
    connection = driver.connect(file, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN")
    put_back = _bare(connection)
    connection.execute(STOCK_TABLE)
    connection.executemany("INSERT INTO stock VALUES (?, ?, ?, ?, ?, ?)", stock_of(chance, summary))
    first = 0
    for slug, source_id, count in sources:
        if count:
            connection.execute(INSERT, _parameters(slug, source_id, count, first, now))
        first += count
    connection.execute(NUMBER)
    for statement in put_back:
        connection.execute(statement)
    important = dict(
        connection.execute("SELECT source_id, sum(important) FROM entries GROUP BY source_id")
    )
    connection.execute("COMMIT")
    connection.close()
    return {source_id: important.get(source_id, 0) for _, source_id, _ in sources}


def _bare(connection: Any) -> list[str]:
    """Drop the indexes and triggers of the large tables; return what makes them again."""
    objects = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')"
        f" AND tbl_name IN {LARGE} AND sql IS NOT NULL"
    ).fetchall()
    for kind, name, _ in objects:
        connection.execute(f"DROP {kind} {name}")
    return [sql for _, _, sql in objects]


def stock_of(chance: random.Random, summary: int) -> list[tuple[Any, ...]]:
    """Return the texts that entries are made of, as rows of STOCK_TABLE."""

    def words(count: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(count)).capitalize()

    rows: list[tuple[Any, ...]] = []
    for place in range(STOCK):
        text = words(max(4, int(chance.lognormvariate(0, 0.7) * summary / 9))) + "."
        title = words(chance.randint(3, 9))
        both = PASSAGE + text
        rows.append((place, title, text, shortened(text), both, shortened(both)))
    return rows


def _parameters(slug: str, source_id: int, count: int, first: int, now: datetime) -> dict[str, Any]:
    vendor, _, product = slug.partition(".")
    tags = orjson.dumps(TAGS).decode()
    short = (
        f'{{"id":"%s","source":"{slug}","vendor":"{vendor}","published_at":"%s","title":"%s",'
        f'"url":"%s","summary":"%s","tags":{tags}'
    )
    return {
        "source_id": source_id,
        "vendor": vendor,
        "product": product,
        "count": count,
        "first": first,
        "now": int(now.timestamp()),
        "span": YEARS * 365 * 24 * 3600,
        "percent": IMPORTANT_PERCENT,
        "stock": STOCK,
        "importance": IMPORTANCE,
        "whole_form": short + ',"raw":{"guid":"%d","date_source":"pubDate"}}',
        "short_form": short + "}",
    }
