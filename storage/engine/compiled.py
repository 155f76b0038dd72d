"""Statements that are compiled once: what ``prepared`` and ``written`` share.

SQLAlchemy writes the SQL, for either database, and knows how values of each type are written. What
it does for each execution besides takes longer than an indexed query, and is left out here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Dialect
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, StatementError

ResultT = TypeVar("ResultT")
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL of one dialect, the names of its values, and how they are written.

    ``constants``: values that SQLAlchemy put in itself, such as the OFFSET that SQLite asks for.
    ``take`` takes the values of a positional statement in their order.
    """

    text: str
    names: tuple[str, ...]
    constants: Mapping[str, Any]
    positional: bool
    writers: tuple[tuple[str, Convert], ...]
    take: Callable[[Mapping[str, Any]], tuple[Any, ...]]

    def parameters(self, given: Mapping[str, Any]) -> Any:
        """Return values as the driver takes them."""
        if self.constants or self.writers:
            given = {**self.constants, **given}
            for name, write in self.writers:
                given[name] = write(given[name])
        if self.positional:
            return self.take(given)
        return {name: given[name] for name in self.names}


def compiled(statement: Any, dialect: Dialect, *, columns: Sequence[str] | None = None) -> Compiled:
    """Compile a statement; ``columns`` are set by it, if it writes."""
    made = statement.compile(dialect=dialect, column_keys=columns)
    writers = {
        name: parameter.type.dialect_impl(dialect).bind_processor(dialect)
        for parameter, name in made.bind_names.items()
    }
    return Compiled(
        text=str(made),
        names=tuple(made.positiontup or made.bind_names.values()),
        constants={name: value for name, value in made.params.items() if value is not None},
        positional=made.positional,
        take=_taking(made.positiontup or ()),
        writers=tuple((name, write) for name, write in writers.items() if write is not None),
    )


def _taking(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what takes values by name, in this order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda given: tuple([given[name] for name in names])


def executed(
    connection: Connection, text: str, rows: Sequence[Any], take: Callable[[Any], ResultT]
) -> ResultT:
    """Run SQL for one row of parameters or more; return what ``take`` finds in the cursor.

    Raises the driver's errors as SQLAlchemy tells them, without parameters.
    """
    dialect: Any = connection.dialect
    many = len(rows) > 1
    given = rows if many else rows[0]
    cursor: Any = connection.connection.cursor()
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, cursor, text, given, None, many)
    try:
        if many:
            cursor.executemany(text, given)
        else:
            cursor.execute(text, given)
        return take(cursor)
    except dialect.loaded_dbapi.Error as error:
        raise _told(connection, cursor, text, error) from error
    finally:
        cursor.close()


def _told(connection: Connection, cursor: Any, text: str, error: Exception) -> StatementError:
    dialect: Any = connection.dialect
    if dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor):
        connection.invalidate(error)
    return DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
    )
