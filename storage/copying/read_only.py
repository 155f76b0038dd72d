"""A database that can be read only: triggers refuse every write, of whichever program.

They are there until they are taken away: what is stored in a database after it was copied would
be lost.
"""

from typing import Final

from sqlalchemy import Connection, text

from storage.copying.rows import TABLES
from storage.engine.database import Database, explain_errors, on_postgresql
from storage.engine.sqlite import MIGRATING, READ_ONLY

_EVENTS: Final = ("INSERT", "UPDATE", "DELETE")
_ON_SQLITE: Final = """
CREATE TRIGGER IF NOT EXISTS read_only_{table}_{event} BEFORE {event} ON {table}
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'read_only_sql_transaction'; END
$$
"""
_ON_POSTGRESQL: Final = """
CREATE OR REPLACE TRIGGER read_only BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_write()
"""


def is_read_only(database: Database) -> bool:
    """Tell whether writes are refused."""
    with explain_errors(database.engine), database.engine.connect() as connection:
        if on_postgresql(database.engine):
            exists = connection.scalar(text("SELECT to_regprocedure('refuse_write()') IS NOT NULL"))
            return bool(exists)
        statement = "SELECT 1 FROM sqlite_master WHERE name LIKE 'read\\_only\\_%' ESCAPE '\\'"
        return connection.scalar(text(statement)) is not None


def refuse_writes(database: Database) -> None:
    """Refuse writes from now on; returns once those that have begun are committed or refused."""
    writing = database.engine.execution_options(**MIGRATING)
    with explain_errors(database.engine), writing.begin() as connection:
        if on_postgresql(database.engine):
            connection.execute(text("SET LOCAL lock_timeout = '60s'"))
            connection.exec_driver_sql(_FUNCTION.format(message=READ_ONLY))
            for name in _tables(connection):
                connection.exec_driver_sql(_ON_POSTGRESQL.format(table=name))
            return
        for name in _tables(connection):
            for event in _EVENTS:
                statement = _ON_SQLITE.format(table=name, event=event, message=READ_ONLY)
                connection.exec_driver_sql(statement)


def allow_writes(database: Database) -> None:
    """Take the triggers away."""
    writing = database.engine.execution_options(**MIGRATING)
    with explain_errors(database.engine), writing.begin() as connection:
        if on_postgresql(database.engine):
            connection.exec_driver_sql("DROP FUNCTION IF EXISTS refuse_write() CASCADE")
            return
        for name in _tables(connection):
            for event in _EVENTS:
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS read_only_{name}_{event}")


def _tables(connection: Connection) -> list[str]:
    of_words = ["entry_words"] if connection.dialect.name == "postgresql" else []
    return [*(table.name for table in TABLES), "catalog_totals", *of_words]
