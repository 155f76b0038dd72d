"""Prepared statements: compiled by SQLAlchemy once, then given to the driver as they are.

SQLAlchemy writes the SQL for either database and knows how values of each type are converted. What
it does besides for each execution (finding the compiled text again, an object for the result, an
object for each row) takes longer than an indexed query; the few that nearly every request waits
for go without it (docs/performance.md lists them). Values have names. A list has a value for each
of its places: ``list_parameters`` are the places and ``list_values`` what is put there. They are a
power of two, the last value being repeated, so that few statements do for lists of any length.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import BigInteger, Dialect, Float, SelectBase, String, any_, bindparam, cast
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import InstrumentedAttribute, Session

from storage.engine.types import AnySelect

_VALUES_OF_ONE_IN = 512  # SQLite takes 32,766 in a statement
_AMONG: WeakKeyDictionary[AnySelect, dict[tuple[Any, bool], AnySelect]] = WeakKeyDictionary()
"""Queries with a condition on a column: SQLAlchemy knows the SQL of one that it saw before."""

ItemT = TypeVar("ItemT")
Convert = Callable[[Any], Any]
Values = Mapping[str, Any]
Row = tuple[Any, ...]


class PreparedQuery:
    """A SELECT with named values."""

    def __init__(self, query: SelectBase) -> None:
        self._query = query
        self._by_dialect: dict[str, _Compiled] = {}

    def rows(self, session: Session, values: Values) -> list[Row]:
        """Run the query and return all its rows."""
        bind = session.bind  # a view has one; session.connection() takes as long as the query
        connection = bind if isinstance(bind, Connection) else session.connection()
        dialect = connection.dialect
        compiled = self._by_dialect.get(dialect.name)
        if compiled is None:
            compiled = self._by_dialect[dialect.name] = _compile(self._query, dialect)
        return compiled.rows(connection, values)

    def values(self, session: Session, values: Values) -> list[Any]:
        """Run the query and return the first column of all its rows."""
        return [row[0] for row in self.rows(session, values)]

    def value(self, session: Session, values: Values) -> Any:
        """Run the query and return the first column of its first row; None without a row."""
        rows = self.rows(session, values)
        return rows[0][0] if rows else None


def is_sqlite(session: Session) -> bool:
    """Return True for SQLite, False for PostgreSQL."""
    return session.get_bind().dialect.name == "sqlite"


def list_parameters(name: str, size: int, *, type_: Any = None) -> list[Any]:
    """Return the parameters of a list of ``size`` values, for the IN of a statement."""
    return [bindparam(place, type_=type_) for place in _places(name, size)]


def list_values(name: str, values: list[Any]) -> dict[str, Any]:
    """Return the values of a list that is not empty, as many as ``list_parameters`` are to be."""
    size = 1 << (len(values) - 1).bit_length()
    padded = [*values, *values[-1:] * (size - len(values))]
    return dict(zip(_places(name, size), padded, strict=True))


@lru_cache(maxsize=1024)
def _places(name: str, size: int) -> list[str]:
    return [f"{name}_{place}" for place in range(size)]


def batches(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """Yield lists of at most ``size`` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def rows_among(
    session: Session,
    query: AnySelect,
    column: InstrumentedAttribute[Any],
    values: Iterable[Any],
) -> Iterator[Any]:
    """Yield the rows of a query whose column has one of many values, as many as one IN takes.

    They are columns, which the connection reads in half the time of a session.
    """
    session.flush()
    kind, known = (column, is_sqlite(session)), _AMONG.setdefault(query, {})
    if (among := known.get(kind)) is None:
        type_ = String if isinstance(column.type, String) else column.type  # a length would cut
        array = any_(bindparam("among", type_=postgresql.ARRAY(type_)))  # one SQL for all lengths
        each = column.in_(bindparam("among", expanding=True)) if kind[1] else column == array
        among = known[kind] = query.where(each)
    for batch in batches(sorted(set(values)), _VALUES_OF_ONE_IN):
        yield from session.connection().execute(among, {"among": batch}).all()


def is_among(session: Session, column: Any, keys: Iterable[int]) -> Any:
    """Return whether a column has one of many keys, which are written into its SQL."""
    if is_sqlite(session):  # whose SQL is read faster than parameters
        return column.in_(bindparam(None, [*keys], expanding=True, literal_execute=True))
    text = f"{{{','.join(map(str, keys))}}}"  # so that the planner sees the keys
    array = bindparam(None, text, String, literal_execute=True)
    return column == any_(cast(array, postgresql.ARRAY(BigInteger)))


@dataclass(frozen=True, slots=True)
class _Compiled:
    """SQL of one dialect, the names of its values, and how values and columns are converted.

    ``constants``: values that SQLAlchemy adds itself, such as the OFFSET that SQLite asks for.
    """

    text: str
    names: tuple[str, ...]
    constants: Values
    positional: bool
    converters: tuple[tuple[str, Convert], ...]
    readers: tuple[tuple[int, Convert], ...]

    def rows(self, connection: Connection, given: Values) -> list[Row]:
        """Run the SQL and return its rows in the types of their columns.

        Raises the driver's errors as SQLAlchemy wraps them, without parameters.
        """
        dialect: Any = connection.dialect
        values = {**self.constants, **given}
        for name, convert in self.converters:
            values[name] = convert(values[name])
        in_order = tuple(map(values.__getitem__, self.names))
        parameters: Any = (
            in_order if self.positional else dict(zip(self.names, in_order, strict=True))
        )
        cursor: Any = connection.connection.cursor()
        for listener in connection.engine.dispatch.before_cursor_execute:
            listener(connection, cursor, self.text, parameters, None, False)
        try:
            cursor.execute(self.text, parameters)
            found: list[Row] = cursor.fetchall()
        except dialect.loaded_dbapi.Error as error:
            raise _wrapped(connection, cursor, self.text, error) from error
        finally:
            cursor.close()
        rows: list[Any] = [*map(list, found)] if self.readers else found
        for place, convert in self.readers:
            for row in rows:
                row[place] = convert(row[place])
        return list(map(tuple, rows))


def _compile(query: SelectBase, dialect: Dialect) -> _Compiled:
    compiled: Any = query.compile(dialect=dialect)
    converters = {
        name: parameter.type.dialect_impl(dialect).bind_processor(dialect)
        for parameter, name in compiled.bind_names.items()
    }
    readers = [
        None  # every driver reads them; psycopg's processor would ask for the server's type too
        if isinstance(column.type, Float)
        else column.type.dialect_impl(dialect).result_processor(dialect, None)
        for column in query.selected_columns
    ]
    return _Compiled(
        text=str(compiled),
        names=tuple(compiled.positiontup or compiled.bind_names.values()),
        constants={name: value for name, value in compiled.params.items() if value is not None},
        positional=compiled.positional,
        converters=tuple((name, lru_cache(16)(it)) for name, it in converters.items() if it),
        readers=tuple((place, convert) for place, convert in enumerate(readers) if convert),
    )


def _wrapped(connection: Connection, cursor: Any, text: str, error: Exception) -> StatementError:
    dialect: Any = connection.dialect
    if dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor):
        connection.invalidate(error)
    return DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
    )


def insert_into(session: Session, model: type[Any]) -> Any:
    """Return the INSERT of the session's dialect, which offers on_conflict_do_update."""
    return (sqlite if is_sqlite(session) else postgresql).insert(model)
