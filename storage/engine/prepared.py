"""Queries that are asked all day, compiled once and given to the driver as they are.

What SQLAlchemy does for each execution besides (finding the compiled text again, an object for the
result, an object for each row) takes longer than an indexed query.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Float
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from storage.engine.compiled import Compiled, Convert, compiled, executed
from storage.engine.types import AnySelect


@dataclass(frozen=True, slots=True)
class _Query:
    """SQL of one dialect, and how its columns are read."""

    compiled: Compiled
    readers: tuple[tuple[int, Convert], ...]

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
        self._queries: dict[str, _Query] = {}

    def rows(self, session: Session, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Ask, and return all rows."""
        bind = session.bind  # of a view of the database; looking for it takes as long as asking
        connection = bind if isinstance(bind, Connection) else session.connection()
        query = self._queries.get(connection.dialect.name)
        if query is None:
            query = self._queries[connection.dialect.name] = _query(self._query, connection.dialect)
        asked = (query.compiled.parameters(given),)
        found: list[tuple[Any, ...]] = executed(connection, query.compiled.text, asked, _all_rows)
        return [query.read(row) for row in found] if query.readers else found

    def values(self, session: Session, given: Mapping[str, Any]) -> list[Any]:
        """Ask, and return the first column of all rows."""
        return [row[0] for row in self.rows(session, given)]

    def value(self, session: Session, given: Mapping[str, Any]) -> Any:
        """Ask, and return the first column of the first row; None without one."""
        return next(iter(self.values(session, given)), None)


def _all_rows(cursor: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _query(statement: AnySelect, dialect: Dialect) -> _Query:
    readers = [
        None  # every driver reads them; psycopg's processor asks for the server's word as well
        if isinstance(column.type, Float)
        else column.type.dialect_impl(dialect).result_processor(dialect, None)
        for column in statement.selected_columns
    ]
    found = tuple((place, read) for place, read in enumerate(readers) if read is not None)
    return _Query(compiled(statement, dialect), found)
