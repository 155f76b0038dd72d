"""Queries that are asked all day, compiled once and given to the driver as they are.

SQLAlchemy writes the SQL, for either database, and knows how values of each type are written and
read. What it does for each execution besides (finding the compiled text again, an object for the
result, an object for each row) takes longer than an indexed query, and is left out here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Float
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from storage.types import AnySelect

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """SQL of one dialect; how values are written into it and how columns are read.

    ``constants``: values that SQLAlchemy put in itself, such as the OFFSET that SQLite asks for.
    """

    text: str
    names: tuple[str, ...]
    constants: Mapping[str, Any]
    positional: bool
    writers: tuple[tuple[str, Convert], ...]
    readers: tuple[tuple[int, Convert], ...]

    def parameters(self, given: Mapping[str, Any]) -> Any:
        """Return the values as the driver takes them."""
        given = {**self.constants, **given}
        for name, write in self.writers:
            given[name] = write(given[name])
        if self.positional:
            return tuple([given[name] for name in self.names])
        return {name: given[name] for name in self.names}

    def read(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a row in the types of its columns."""
        values = list(row)
        for place, convert in self.readers:
            values[place] = convert(values[place])
        return tuple(values)


class Prepared:
    """One query with named values. Lists of unknown length are not among them."""

    def __init__(self, query: AnySelect) -> None:
        self._query = query
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, session: Session, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Ask, and return all rows."""
        bind = session.bind  # of a view of the database; looking for it takes as long as asking
        connection = bind if isinstance(bind, Connection) else session.connection()
        compiled = self._compiled.get(connection.dialect.name)
        if compiled is None:
            compiled = _compiled(self._query, connection.dialect)
            self._compiled[connection.dialect.name] = compiled
        found = _execute(connection, compiled.text, compiled.parameters(given))
        return [compiled.read(row) for row in found] if compiled.readers else found

    def values(self, session: Session, given: Mapping[str, Any]) -> list[Any]:
        """Ask, and return the first column of all rows."""
        return [row[0] for row in self.rows(session, given)]

    def value(self, session: Session, given: Mapping[str, Any]) -> Any:
        """Ask, and return the first column of the first row; None without one."""
        return next(iter(self.values(session, given)), None)


def _compiled(query: AnySelect, dialect: Dialect) -> _Compiled:
    made: Any = query.compile(dialect=dialect)
    writers = {
        name: parameter.type.dialect_impl(dialect).bind_processor(dialect)
        for parameter, name in made.bind_names.items()
    }
    readers = [
        None  # every driver reads them; psycopg's processor asks for the server's word as well
        if isinstance(column.type, Float)
        else column.type.dialect_impl(dialect).result_processor(dialect, None)
        for column in query.selected_columns
    ]
    return _Compiled(
        text=str(made),
        names=tuple(made.positiontup or made.bind_names.values()),
        constants={name: value for name, value in made.params.items() if value is not None},
        positional=made.positional,
        writers=tuple((name, write) for name, write in writers.items() if write is not None),
        readers=tuple((place, read) for place, read in enumerate(readers) if read is not None),
    )


def _execute(connection: Connection, text: str, parameters: Any) -> list[tuple[Any, ...]]:
    """Run SQL on the driver; its errors are told as SQLAlchemy tells them."""
    dialect: Any = connection.dialect
    cursor: Any = connection.connection.cursor()
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, cursor, text, parameters, None, False)
    try:
        cursor.execute(text, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    except dialect.loaded_dbapi.Error as error:
        if dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor):
            connection.invalidate(error)
        raise DBAPIError.instance(
            text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
        ) from error
    finally:
        cursor.close()
    return found
