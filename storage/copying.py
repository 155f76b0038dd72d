"""Copy every table from one database into another, on SQLite or PostgreSQL, and compare them."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from msgspec import msgpack
from sqlalchemy import (
    Connection,
    Table,
    TableClause,
    column,
    func,
    insert,
    literal,
    select,
    table,
    text,
)
from sqlalchemy.types import TypeDecorator

from storage.engine.database import (
    NEWEST_REVISION,
    Database,
    DatabaseUnavailable,
    current_revision,
    explain_errors,
    upgrade,
)
from storage.engine.types import UtcDateTime
from storage.entries.search.index import index_all
from storage.models import Base, EntryChange

TABLES: Final = Base.metadata.sorted_tables
_AT_ONCE: Final = 1_000
_HIGHEST_NUMBER: Final = {  # a number that was given out once is never given out again
    "sqlite": "SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'entry_changes'",
    "postgresql": "SELECT last_value FROM entry_changes_number_seq",
}


def copy_database(source: Database, target: Database) -> Iterator[tuple[str, int]]:
    """Copy everything in one transaction; yield each table's name and how many rows it has.

    Raises DatabaseUnavailable if the source is not current or the target not empty.
    """
    _require_current_and_empty(source, target)
    with explain_errors(source.engine), explain_errors(target.engine):
        with source.read() as reading, target.write() as writing:
            there, here = reading.connection(), writing.connection()
            triggers = _disable_triggers(here)
            for each in TABLES:
                yield each.name, _copy(there, here, each)
            _set_sequences(there, here)
            for statement in triggers:
                here.exec_driver_sql(statement)
        with target.write() as session:
            index_all(session)


def differences(source: Database, target: Database) -> list[str]:
    """Return the differences between two databases, a sentence for each table."""
    sentences = []
    with source.read() as reading, target.read() as other:
        for each in TABLES:
            rows, digest = _content(reading.connection(), each)
            rows_now, digest_now = _content(other.connection(), each)
            if rows_now != rows:
                sentences.append(f"{each.name} has {rows_now:,} rows, not {rows:,}")
            elif digest_now != digest:
                sentences.append(f"{each.name} has other content")
    return sentences


def _require_current_and_empty(source: Database, target: Database) -> None:
    if source.engine.url == target.engine.url:
        raise DatabaseUnavailable("Both addresses name the same database.")
    shown, other = (each.engine.url.render_as_string() for each in (source, target))
    revision = current_revision(source)
    if revision != NEWEST_REVISION:
        raise DatabaseUnavailable(
            f"{shown} is at revision {revision}, not {NEWEST_REVISION}; bring it up to date "
            "first: changewire db upgrade"
        )
    if current_revision(target) is None:
        upgrade(target)
    with target.read() as session:
        full = any(session.scalar(select(literal(1)).select_from(each).limit(1)) for each in TABLES)
    if full or current_revision(target) != NEWEST_REVISION:
        raise DatabaseUnavailable(f"{other} is not empty; name an empty database.")


def _plain(each: Table) -> TableClause[Any]:
    """Return a table whose values are copied as they are stored, but for times."""
    return table(
        each.name,
        *(
            column(c.name, c.type if isinstance(c.type, UtcDateTime) else _stored(c.type))
            for c in each.columns
        ),
    )


def _stored(kind: Any) -> Any:
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind


def _copy(there: Connection, here: Connection, each: Table) -> int:
    store, count = insert(_plain(each)), 0
    result = there.execute(select(_plain(each)), execution_options={"yield_per": _AT_ONCE})
    for rows in result.mappings().partitions(_AT_ONCE):
        here.execute(store, [dict(row) for row in rows])
        count += len(rows)
    return count


def _content(connection: Connection, each: Table) -> tuple[int, int]:
    """Return how many rows a table has, and the sum of their hashes, in whatever order."""
    count = digest = 0
    for row in connection.execute(select(_plain(each)), execution_options={"yield_per": _AT_ONCE}):
        held = [v.replace("\0", "\ufffd") if isinstance(v, str) else v for v in row]  # PostgreSQL
        count += 1
        digest += int.from_bytes(hashlib.sha256(msgpack.encode(held)).digest())
    return count, digest


def _disable_triggers(here: Connection) -> list[str]:
    """Disable all triggers; return the statements that enable them again."""
    if here.dialect.name == "postgresql":
        for each in TABLES:
            here.exec_driver_sql(f'ALTER TABLE "{each.name}" DISABLE TRIGGER USER')
        return [f'ALTER TABLE "{each.name}" ENABLE TRIGGER USER' for each in TABLES]
    found = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    triggers = here.exec_driver_sql(found).all()
    for name, _ in triggers:
        here.exec_driver_sql(f"DROP TRIGGER {name}")
    return [statement for _, statement in triggers]


def _set_sequences(there: Connection, here: Connection) -> None:
    """Let new rows get higher keys than any that the source gave out."""
    number = there.exec_driver_sql(_HIGHEST_NUMBER[there.dialect.name]).scalar()
    if here.dialect.name == "sqlite":
        here.exec_driver_sql("DELETE FROM sqlite_sequence")
        new = "INSERT INTO sqlite_sequence (name, seq) VALUES ('entry_changes', :number)"
        here.execute(text(new), {"number": number or 0})
        return
    for each in TABLES:
        key = each.autoincrement_column
        if key is not None:
            highest = (
                number if each is EntryChange.__table__ else select(func.max(key)).scalar_subquery()
            )
            sequence = func.pg_get_serial_sequence(each.name, key.name)
            here.execute(select(func.setval(sequence, highest)))
