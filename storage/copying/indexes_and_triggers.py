"""Indexes, and SQLite's triggers: dropped while a copy is filled, and made again at its end.

An index that is made of all rows at once takes a fraction of the time of one that grows by each.
SQLite cannot disable triggers, so they are dropped; those of PostgreSQL are disabled
for each table while rows come in.
"""

import tempfile
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text

from storage.copying.rows import TABLES
from storage.engine.database import open_database, upgrade

_ON_SQLITE: Final = """
SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL
"""
"""The triggers and indexes of SQLite, but those of constraints, which have no statement."""
_TABLE: Final = "copy_indexes"
"""PostgreSQL's statements stand in a table of the copy until its end, for a copy that goes on."""
_ON_POSTGRESQL: Final = """
SELECT pg_class.relname AS name, pg_get_indexdef(indexrelid) AS sql
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid::regclass::text = ANY(:tables) AND relnamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_MEMORY: Final = "256MB"  # for an index; PostgreSQL's own 64 take twice as long for the words


def drop_indexes_and_triggers(connection: Connection) -> None:
    """Drop them; what was dropped already stays so."""
    if connection.dialect.name != "postgresql":
        for row in connection.exec_driver_sql(_ON_SQLITE).all():
            connection.exec_driver_sql(f"DROP {row.type} {row.name}")
        return
    connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {_TABLE} (statement text NOT NULL)")
    tables = [*(table.name for table in TABLES), "entry_words"]
    for row in connection.execute(text(_ON_POSTGRESQL), {"tables": tables}).all():
        store = text(f"INSERT INTO {_TABLE} (statement) VALUES (:statement)")
        connection.execute(store, {"statement": row.sql})
        connection.exec_driver_sql(f'DROP INDEX "{row.name}"')


def restore_indexes_and_triggers(connection: Connection) -> None:
    """Make them."""
    if connection.dialect.name != "postgresql":
        for statement in _shipped():
            connection.exec_driver_sql(statement)
        return
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    connection.execute(text(f"SET LOCAL maintenance_work_mem = '{_MEMORY}'"))
    for statement in connection.scalars(text(f"SELECT statement FROM {_TABLE}")).all():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"DROP TABLE {_TABLE}")
    connection.exec_driver_sql("ANALYZE")


def _shipped() -> list[str]:
    """Return the statements that make what rests, as the migrations do: indexes, then triggers."""
    with tempfile.TemporaryDirectory() as folder:
        model = open_database(f"sqlite:///{Path(folder) / 'model.db'}")
        upgrade(model)
        with model.engine.connect() as connection:
            statements = [
                row.sql for row in connection.exec_driver_sql(f"{_ON_SQLITE} ORDER BY type")
            ]
        model.close()
    return statements
