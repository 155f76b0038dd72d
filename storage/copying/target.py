"""The database that is copied into: who may fill it, and how rows come in.

While it is filled its revision is none that a program would use, and names the source, so that a
copy that was interrupted goes on with the same source only.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Table, text

from storage.copying.indexes_and_triggers import (
    drop_indexes_and_triggers,
    restore_indexes_and_triggers,
)
from storage.copying.rows import TABLES, Row, key_of
from storage.engine.database import (
    COPYING,
    Database,
    DatabaseUnavailable,
    current_revision,
    newest_revision,
    on_postgresql,
    upgrade,
)
from storage.engine.sqlite import BEGIN

_FILLING: Final = ("foreign_keys = OFF", "synchronous = NORMAL", "wal_autocheckpoint = 20000")
"""With them a copy that is killed, or loses its power, is whole up to some batch."""
_SET_SEQUENCE: Final = "SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"
_AUTOINCREMENT: Final = "entry_changes"


def begin_copy(target: Database, source: Database) -> bool:
    """Make the tables and mark them as being filled; return whether a copy goes on.

    Raises DatabaseUnavailable for a database that holds something else.
    """
    mark = _mark(source)
    revision = current_revision(target)
    if revision == mark:
        return True
    if revision is not None and (revision != newest_revision() or _holds_rows(target)):
        raise DatabaseUnavailable(
            f"{shown(target)} holds something already, which is not the beginning of a copy of "
            f"{shown(source)}; name an empty database."
        )
    upgrade(target)
    with target.engine.begin() as connection:
        _set_revision(connection, mark)
    return False


@contextmanager
def filling(target: Database) -> Iterator[Connection]:
    """Give a connection to fill the copy over, by which no trigger runs and no index grows."""
    writing = target.engine.execution_options(**{BEGIN: "IMMEDIATE"})
    with writing.connect() as connection:
        if not on_postgresql(target.engine):
            handle: Any = connection.connection.driver_connection
            for pragma in _FILLING:
                handle.execute(f"PRAGMA {pragma}")
        with connection.begin():
            drop_indexes_and_triggers(connection)
        try:
            yield connection
        finally:
            connection.invalidate()  # so that nobody gets it as it was set


def insert_rows(
    connection: Connection, table: str, columns: str, batches: Iterable[Sequence[Row]]
) -> int:
    """Store rows in one transaction; return how many there were."""
    with connection.begin():
        if connection.dialect.name == "postgresql":
            return _copy_in(connection, table, columns, batches)
        return sum(_insert(connection, table, columns, rows) for rows in batches)


def set_totals(connection: Connection, values: dict[str, int]) -> None:
    """Store the totals of the catalog as one row."""
    columns = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    with connection.begin():
        connection.execute(text("DELETE FROM catalog_totals"))
        connection.execute(
            text(f"INSERT INTO catalog_totals ({columns}) VALUES ({marks})"),
            values,
        )


def end_copy(target: Database, source: Database) -> None:
    """Let programs use the copy: its numbers go on where those of the source are."""
    with source.engine.connect() as reading, target.engine.begin() as writing:
        for table in TABLES:
            _go_on(writing, table, _highest_number(reading, table))
        restore_indexes_and_triggers(writing)
        _set_revision(writing, newest_revision())


def shown(database: Database) -> str:
    """Return a database's address without its password."""
    return database.engine.url.render_as_string(hide_password=True)


def _mark(source: Database) -> str:
    return f"{COPYING}{hashlib.sha256(shown(source).encode()).hexdigest()[:16]}"


def _holds_rows(target: Database) -> bool:
    with target.engine.connect() as connection:
        return any(
            connection.scalar(text(f'SELECT 1 FROM "{table.name}" LIMIT 1')) for table in TABLES
        )


def _set_revision(connection: Connection, revision: str) -> None:
    connection.execute(
        text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision}
    )


def _copy_in(
    connection: Connection, table: str, columns: str, batches: Iterable[Sequence[Row]]
) -> int:
    """Store rows by COPY; returns once PostgreSQL has them all."""
    count = 0
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    connection.execute(text("SET LOCAL timezone = 'UTC'"))
    connection.exec_driver_sql(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
    driver: Any = connection.connection.driver_connection
    statement = f'COPY "{table}" ({columns}) FROM STDIN'
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for rows in batches:
            count += len(rows)
            for row in rows:
                copy.write_row(row)
    connection.exec_driver_sql(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')
    return count


def _insert(connection: Connection, table: str, columns: str, rows: Sequence[Row]) -> int:
    marks = ", ".join("?" * (columns.count(",") + 1))
    handle: Any = connection.connection.driver_connection
    handle.executemany(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', rows)
    return len(rows)


def _highest_number(connection: Connection, table: Table) -> int:
    """Return the highest number that a table has given to a row of its own, 0 for none."""
    key = key_of(table)
    if connection.dialect.name == "postgresql":
        sequence = _sequence(connection, table)
        if sequence is None:
            return 0
        statement = f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"
        return int(connection.scalar(text(statement)) or 0)
    if table.name == _AUTOINCREMENT:
        statement = "SELECT seq FROM sqlite_sequence WHERE name = 'entry_changes'"
        return int(connection.scalar(text(statement)) or 0)
    if len(key) > 1 or table.autoincrement_column is None:
        return 0
    return int(connection.scalar(text(f'SELECT MAX("{key[0].name}") FROM "{table.name}"')) or 0)


def _go_on(connection: Connection, table: Table, highest: int) -> None:
    if highest == 0:
        return
    if connection.dialect.name == "postgresql":
        if _sequence(connection, table) is not None:
            values = {"table": table.name, "column": key_of(table)[0].name, "highest": highest}
            connection.execute(text(_SET_SEQUENCE), values)
    elif table.name == _AUTOINCREMENT:
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = 'entry_changes'"))
        connection.execute(
            text("INSERT INTO sqlite_sequence (name, seq) VALUES ('entry_changes', :highest)"),
            {"highest": highest},
        )


def _sequence(connection: Connection, table: Table) -> str | None:
    key = key_of(table)
    if len(key) > 1:
        return None
    values = {"table": table.name, "column": key[0].name}
    name = connection.scalar(text("SELECT pg_get_serial_sequence(:table, :column)"), values)
    return None if name is None else str(name)
