"""Statements that write all day, compiled once and given to the driver with their rows.

What ``prepared`` is for questions: a look at a source writes to eight tables, and what SQLAlchemy
does for each execution besides takes longer than the writing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import Session

Convert = Callable[[Any], Any]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """SQL of one dialect, the names of its values, and how they are written."""

    text: str
    names: tuple[str, ...]
    constants: Row
    positional: bool
    writers: tuple[tuple[str, Convert], ...]

    def parameters(self, row: Row) -> Any:
        given = {**self.constants, **row}
        for name, write in self.writers:
            given[name] = write(given[name])
        if self.positional:
            return tuple([given[name] for name in self.names])
        return {name: given[name] for name in self.names}


class Written:
    """One statement with named values, for any number of rows."""

    def __init__(self, make: Callable[[str], Any], columns: Sequence[str] = ()) -> None:
        """``make`` gives the statement for a dialect by name; ``columns`` are set by each row."""
        self._make = make
        self._columns = list(columns) or None
        self._compiled: dict[str, _Compiled] = {}

    def run(self, session: Session, rows: Iterable[Row]) -> int:
        """Execute the statement for each row; return how many rows it wrote, -1 if unknown."""
        given = list(rows)
        if not given:
            return 0
        count: int = self._executed(session, given, returning=False)
        return count

    def returned(self, session: Session, row: Row) -> Any:
        """Execute the statement for one row; return the first column of what it returns."""
        return self._executed(session, [row], returning=True)

    def _executed(self, session: Session, rows: list[Row], *, returning: bool) -> Any:
        connection = session.connection()
        dialect: Any = connection.dialect
        made = self._compiled.get(dialect.name)
        if made is None:
            made = _compiled(self._make(dialect.name), self._columns, dialect)
            self._compiled[dialect.name] = made
        parameters = [made.parameters(row) for row in rows]
        cursor: Any = connection.connection.cursor()
        try:
            _run(connection, cursor, made.text, parameters)
            return cursor.fetchone()[0] if returning else cursor.rowcount
        except dialect.loaded_dbapi.Error as error:
            raise _told(connection, cursor, made.text, error) from error
        finally:
            cursor.close()


def _run(connection: Connection, cursor: Any, text: str, parameters: list[Any]) -> None:
    many = len(parameters) > 1
    given = parameters if many else parameters[0]
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, cursor, text, given, None, many)
    if many:
        cursor.executemany(text, given)
    else:
        cursor.execute(text, given)


def _told(connection: Connection, cursor: Any, text: str, error: Exception) -> StatementError:
    """Return an error of the driver as SQLAlchemy tells it."""
    dialect: Any = connection.dialect
    if dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor):
        connection.invalidate(error)
    return DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
    )


def _compiled(statement: Any, columns: list[str] | None, dialect: Dialect) -> _Compiled:
    made = statement.compile(dialect=dialect, column_keys=columns)
    writers = {
        name: parameter.type.dialect_impl(dialect).bind_processor(dialect)
        for parameter, name in made.bind_names.items()
    }
    return _Compiled(
        text=str(made),
        names=tuple(made.positiontup or made.bind_names.values()),
        constants={name: value for name, value in made.params.items() if value is not None},
        positional=made.positional,
        writers=tuple((name, write) for name, write in writers.items() if write is not None),
    )
