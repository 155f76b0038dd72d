"""The entries of bench/api_data.py with categories and an index of words, on either database.

The index has what the program would write: the words of the 2,000 texts that entries are made of
are found once, and the database puts them together with those of source and day.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pysqlite3.dbapi2 as driver
from api_rows import STOCK, stock_of

from storage.entries.search.index import signed_words
from storage.entries.search.matching import SearchedText

BOOLEANS: Final = """
SELECT column_name FROM information_schema.columns
WHERE table_name = %s AND data_type = 'boolean' AND table_schema = current_schema()
"""
WORDS: Final = """
SELECT entries.id,
       CASE WHEN important THEN stock.important_words || ' i' ELSE stock.words END
       || printf(' p%s p%s p%s s%d l d%d m%d y%d z%d', slug, vendor,
                 substr(slug, length(vendor) + 2), sources.id, day, day >> 4, day >> 8, day >> 12)
FROM (SELECT *, strftime('%s', published_at) / 86400 AS day FROM entries) AS entries
JOIN sources ON sources.id = entries.source_id
JOIN stock ON stock.place = (entries.id - 1) * 2654435761 % 4294967296 % :stock
ORDER BY entries.id
"""
GIN: Final = "SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_entry_words'"


def index_words(file: Path, *, summary: int) -> None:
    """Write categories and the index of a database of ``data_set`` that has none yet."""
    connection = _open(file, summary)
    if connection.execute("SELECT max(categories) FROM entries").fetchone()[0] == 0:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"):
            connection.execute(f"PRAGMA {pragma}")
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'entries'"
        ).fetchall()
        connection.execute("BEGIN")
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entries SET categories = 2 * important, indexed_revision = 1")
        connection.execute(f"INSERT INTO entry_words (rowid, words) {WORDS}", {"stock": STOCK})
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")
    connection.close()


def copy_to_postgresql(file: Path, target: Any, *, summary: int) -> None:
    """Fill an empty database of the newest schema with sources, entries and their words."""
    origin = _open(file, summary)
    target.execute("SET session_replication_role = replica")  # rows come as they are
    target.execute("SET maintenance_work_mem = '512MB'")
    for table in ("catalog_totals", "sources", "entries", "entry_changes"):
        target.execute(f"TRUNCATE {table} CASCADE")
        columns = [row[1] for row in origin.execute(f"PRAGMA table_info({table})")]
        rows = origin.execute(f"SELECT {', '.join(columns)} FROM {table}")
        _copy(target, table, columns, rows)
    (gin,) = target.execute(GIN).fetchone()
    target.execute("DROP INDEX ix_entry_words")
    words = origin.execute(WORDS, {"stock": STOCK})
    _copy(target, "entry_words", ["entry_id", "words"], words)
    target.execute(gin)
    target.execute("VACUUM ANALYZE")
    origin.close()


def _copy(target: Any, table: str, columns: list[str], rows: Iterator[tuple[Any, ...]]) -> None:
    booleans = {name for (name,) in target.execute(BOOLEANS, [table])}
    flags = [place for place, name in enumerate(columns) if name in booleans]
    with (
        target.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
    ):
        for row in rows:
            values = list(row)
            for place in flags:
                values[place] = None if values[place] is None else bool(values[place])
            copy.write_row(values)


def _open(file: Path, summary: int) -> Any:
    """Open a database with the texts that its entries are made of, and their words."""
    connection = driver.connect(file, isolation_level=None)
    connection.execute(
        "CREATE TEMP TABLE stock (place INTEGER PRIMARY KEY, words, important_words)"
    )
    rows = [
        (place, _words(title, whole, short), _words(title, whole_important, short_important))
        for place, title, whole, short, whole_important, short_important in stock_of(
            random.Random(1), summary
        )
    ]
    connection.executemany("INSERT INTO stock VALUES (?, ?, ?)", rows)
    return connection


def _words(title: str, whole: str, short: str) -> str:
    return " ".join(signed_words(SearchedText(title, (short,), whole)))


def connected(address: str) -> Any:
    """Return a connection to a database that commits by itself."""
    return psycopg.connect(address.replace("+psycopg", ""), autocommit=True)
