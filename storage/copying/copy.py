"""Copy everything from one database into another, on SQLite or PostgreSQL, and compare them.

The source is read-only meanwhile and afterwards. Batches are committed one by one, in the order of
their keys, so that a copy that was interrupted goes on where it was.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from msgspec import msgpack
from sqlalchemy import Connection, Table, func, select, text

from storage.copying.read_only import refuse_writes
from storage.copying.rows import TABLES, Row, last_key, names, rows_after, totals, without_nul
from storage.copying.target import begin_copy, end_copy, filling, insert_rows, set_totals, shown
from storage.copying.words import columns_of_words, count_words, last_with_words, words_after
from storage.engine.database import (
    Database,
    DatabaseUnavailable,
    current_revision,
    explain_errors,
    newest_revision,
    on_postgresql,
)
from storage.engine.postgresql import READING
from storage.models import Entry

BATCHES: Final = 20
"""Batches of rows in a transaction."""
Report: TypeAlias = Callable[[str, int], None]
"""Is told the name of a table and how many of its rows were copied by now."""


@dataclass(frozen=True, slots=True)
class Sum:
    """What a table holds: how many rows, and a hash of them all in the order of their keys."""

    rows: int
    digest: str


def copy_database(source: Database, target: Database, report: Report) -> bool:
    """Copy everything; return whether a copy went on that was interrupted.

    Raises DatabaseUnavailable where that cannot be done.
    """
    _require_two(source, target)
    with explain_errors(target.engine):
        goes_on = begin_copy(target, source)
    refuse_writes(source)
    with explain_errors(source.engine), explain_errors(target.engine):
        with _reading(source) as there, filling(target) as here:
            for table in TABLES:
                _copy_table(there, here, table, report)
            set_totals(here, totals(there))
            _copy_words(there, here, report)
        end_copy(target, source)
    return goes_on


def sums_of(database: Database, *, for_postgresql: bool) -> Iterator[tuple[str, Sum]]:
    """Give the sum of each table. ``for_postgresql``: as PostgreSQL would hold it."""
    with explain_errors(database.engine), _reading(database) as connection:
        for table in TABLES:
            yield table.name, _sum(connection, table, for_postgresql=for_postgresql)
        counted = totals(connection)
        yield "catalog_totals", Sum(1, hashlib.sha256(repr(counted).encode()).hexdigest())
        in_index = select(func.count()).where(Entry.indexed_revision == Entry.revision)
        indexed = int(connection.scalar(in_index) or 0)
        yield "entry_words", Sum(indexed, str(count_words(connection) >= indexed))


def differences(source: Database, target: Database) -> list[str]:
    """Return what is not the same in two databases, a sentence for each table."""
    for_postgresql = on_postgresql(target.engine)
    sentences = []
    sums = (sums_of(database, for_postgresql=for_postgresql) for database in (source, target))
    for (name, before), (_, after) in zip(*sums, strict=True):
        if before.rows != after.rows:
            sentences.append(
                f"{name} has {before.rows:,} rows there and {after.rows:,} in the copy"
            )
        elif before != after:
            sentences.append(f"{name} has other content in the copy")
    return sentences


def _require_two(source: Database, target: Database) -> None:
    if source.engine.url == target.engine.url:
        raise DatabaseUnavailable("Both addresses name the same database.")
    revision = current_revision(source)
    if revision != newest_revision():
        raise DatabaseUnavailable(
            f"{shown(source)} is at revision {revision}; bring it to {newest_revision()} first: "
            "changewire db upgrade"
        )


@contextmanager
def _reading(database: Database) -> Iterator[Connection]:
    """One view of a database, for as long as it takes."""
    options = READING if on_postgresql(database.engine) else {}
    with database.engine.execution_options(**options).connect() as connection, connection.begin():
        if on_postgresql(database.engine):
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        yield connection


def _copy_table(there: Connection, here: Connection, table: Table, report: Report) -> None:
    """Copy what the copy lacks of a table."""
    with here.begin():
        last = last_key(here, table)
    batches = rows_after(there, table, last)
    _store(here, table.name, names(list(table.columns)), batches, report)


def _copy_words(there: Connection, here: Connection, report: Report) -> None:
    """Copy what the copy lacks of the index of words."""
    with here.begin():
        last = last_with_words(here)
    _store(here, "entry_words", columns_of_words(here), words_after(there, last), report)


def _store(
    here: Connection, table: str, columns: str, batches: Iterator[Sequence[Row]], report: Report
) -> None:
    """Store rows, a transaction for some batches."""
    done = 0
    while count := insert_rows(here, table, columns, islice(batches, BATCHES)):
        done += count
        report(table, done)


def _sum(connection: Connection, table: Table, *, for_postgresql: bool) -> Sum:
    count, digest = 0, hashlib.sha256()
    for rows in rows_after(connection, table):
        count += len(rows)
        held = without_nul(rows) if for_postgresql else rows
        for row in held:
            digest.update(msgpack.encode(row))
    return Sum(count, digest.hexdigest())
