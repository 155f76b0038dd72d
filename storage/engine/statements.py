"""Prepared statements: compiled by SQLAlchemy once, then given to the driver as they are.

SQLAlchemy writes the SQL for either database and knows how values of each type are converted. What
it does besides for each execution (finding the compiled text again, an object for the result, an
object for each row) takes longer than an indexed query; statements that run all day go without it.
A statement here has named values. A list is one value for each of its places: ``list_parameters``
are the places of a list and ``list_values`` what is put there. Lists have a power of two of places,
the last value being repeated, so that few statements do for lists of any length.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Dialect, Float, SelectBase, bindparam
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import InstrumentedAttribute, Session

from storage.engine.types import AnySelect

_VALUES_OF_ONE_IN = 512  # SQLite takes 32,766 in a statement

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
Convert = Callable[[Any], Any]
Values = Mapping[str, Any]
Row = tuple[Any, ...]


class PreparedQuery:
    """A SELECT with named values."""

    def __init__(self, query: SelectBase) -> None:
        self._query = query
        self._by_dialect: dict[str, tuple[_Compiled, _RowReader]] = {}

    def rows(self, session: Session, values: Values) -> list[Row]:
        """Run the query and return all its rows."""
        bind = session.bind  # a view has one; session.connection() takes as long as the query
        connection = bind if isinstance(bind, Connection) else session.connection()
        compiled, reader = self._for(connection.dialect)
        rows = compiled.execute(connection, [values], _fetch_all)
        return [reader.read(row) for row in rows] if reader.converters else rows

    def values(self, session: Session, values: Values) -> list[Any]:
        """Run the query and return the first column of all its rows."""
        return [row[0] for row in self.rows(session, values)]

    def value(self, session: Session, values: Values) -> Any:
        """Run the query and return the first column of its first row; None without a row."""
        return next(iter(self.values(session, values)), None)

    def _for(self, dialect: Dialect) -> tuple["_Compiled", "_RowReader"]:
        prepared = self._by_dialect.get(dialect.name)
        if prepared is None:
            prepared = _compile(self._query, dialect), _row_reader(self._query, dialect)
            self._by_dialect[dialect.name] = prepared
        return prepared


class PreparedWrite:
    """An INSERT, UPDATE or DELETE with named values, for any number of rows."""

    def __init__(self, make: Callable[[str], Any], columns: Sequence[str] = ()) -> None:
        """``make`` gives the statement for a dialect by name; each row sets these ``columns``."""
        self._make = make
        self._columns = list(columns) or None
        self._by_dialect: dict[str, _Compiled] = {}

    def run(self, session: Session, rows: Iterable[Values]) -> int:
        """Run the statement for each row; return how many rows it wrote, -1 if unknown."""
        row_list = list(rows)
        return self._run(session, row_list, _row_count) if row_list else 0

    def run_returning(self, session: Session, row: Values) -> Any:
        """Run the statement for one row; return the first column of what it returns."""
        return self._run(session, [row], _first_column)

    def _run(self, session: Session, rows: list[Values], read: Callable[[Any], ResultT]) -> ResultT:
        connection = session.connection()
        dialect = connection.dialect
        compiled = self._by_dialect.get(dialect.name)
        if compiled is None:
            compiled = _compile(self._make(dialect.name), dialect, columns=self._columns)
            self._by_dialect[dialect.name] = compiled
        return compiled.execute(connection, rows, read)


def is_sqlite(session: Session) -> bool:
    """Tell whether a session reads SQLite; else it is PostgreSQL."""
    return session.get_bind().dialect.name == "sqlite"


def list_parameters(name: str, size: int, *, type_: Any = None) -> list[Any]:
    """Return the parameters of a list of ``size`` values, for the IN of a statement."""
    return [bindparam(f"{name}_{place}", type_=type_) for place in range(size)]


def list_values(name: str, values: list[Any]) -> dict[str, Any]:
    """Return the values of a list that is not empty, as many as ``list_parameters`` are to be."""
    size = 1 << (len(values) - 1).bit_length()
    padded = [*values, *values[-1:] * (size - len(values))]
    return {f"{name}_{place}": value for place, value in enumerate(padded)}


def batches(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """Yield lists of at most ``size`` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def rows_among(
    session: Session, query: AnySelect, column: InstrumentedAttribute[Any], values: Iterable[Any]
) -> Iterator[Any]:
    """Yield the rows of a query whose column has one of many values, as many as one IN takes."""
    for batch in batches(sorted(set(values)), _VALUES_OF_ONE_IN):
        yield from session.execute(query.where(column.in_(batch)))


@dataclass(frozen=True, slots=True)
class _RowReader:
    """How the columns of a row are converted, by their places."""

    converters: tuple[tuple[int, Convert], ...]

    def read(self, row: Row) -> Row:
        """Return a row in the types of its columns."""
        values = list(row)
        for place, convert in self.converters:
            values[place] = convert(values[place])
        return tuple(values)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """SQL of one dialect, the names of its values, and how they are converted for the driver.

    ``constants``: values that SQLAlchemy adds itself, such as the OFFSET that SQLite asks for.
    ``in_order`` picks the values of a positional statement in their order.
    """

    text: str
    names: tuple[str, ...]
    constants: Values
    positional: bool
    converters: tuple[tuple[str, Convert], ...]
    in_order: Callable[[Values], Row]

    def execute(
        self, connection: Connection, rows: Sequence[Values], read: Callable[[Any], ResultT]
    ) -> ResultT:
        """Run the SQL for one row of values or more; return what ``read`` takes from the cursor.

        Raises the driver's errors as SQLAlchemy wraps them, without parameters.
        """
        dialect: Any = connection.dialect
        many = len(rows) > 1
        parameters: Any = [self._parameters(row) for row in rows]
        if not many:
            parameters = parameters[0]
        cursor: Any = connection.connection.cursor()
        for listener in connection.dispatch.before_cursor_execute:
            listener(connection, cursor, self.text, parameters, None, many)
        try:
            if many:
                cursor.executemany(self.text, parameters)
            else:
                cursor.execute(self.text, parameters)
            return read(cursor)
        except dialect.loaded_dbapi.Error as error:
            raise _wrapped(connection, cursor, self.text, error) from error
        finally:
            cursor.close()

    def _parameters(self, values: Values) -> Any:
        if self.constants or self.converters:
            values = {**self.constants, **values}
            for name, convert in self.converters:
                values[name] = convert(values[name])
        if self.positional:
            return self.in_order(values)
        return {name: values[name] for name in self.names}


def _compile(
    statement: Any, dialect: Dialect, *, columns: Sequence[str] | None = None
) -> _Compiled:
    """Compile a statement; ``columns`` are those that it sets, if it writes."""
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    converters = {
        name: parameter.type.dialect_impl(dialect).bind_processor(dialect)
        for parameter, name in compiled.bind_names.items()
    }
    return _Compiled(
        text=str(compiled),
        names=tuple(compiled.positiontup or compiled.bind_names.values()),
        constants={name: value for name, value in compiled.params.items() if value is not None},
        positional=compiled.positional,
        in_order=_picker(compiled.positiontup or ()),
        converters=tuple((name, convert) for name, convert in converters.items() if convert),
    )


def _picker(names: Sequence[str]) -> Callable[[Values], Row]:
    """Return a function that picks values by name, in this order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


def _row_reader(query: SelectBase, dialect: Dialect) -> _RowReader:
    converters = [
        None  # every driver reads them; psycopg's processor would ask for the server's type too
        if isinstance(column.type, Float)
        else column.type.dialect_impl(dialect).result_processor(dialect, None)
        for column in query.selected_columns
    ]
    return _RowReader(
        tuple((place, convert) for place, convert in enumerate(converters) if convert)
    )


def _wrapped(connection: Connection, cursor: Any, text: str, error: Exception) -> StatementError:
    dialect: Any = connection.dialect
    if dialect.is_disconnect(error, connection.connection.dbapi_connection, cursor):
        connection.invalidate(error)
    return DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
    )


def _fetch_all(cursor: Any) -> list[Row]:
    rows: list[Row] = cursor.fetchall()
    return rows


def _row_count(cursor: Any) -> int:
    count: int = cursor.rowcount
    return count


def _first_column(cursor: Any) -> Any:
    return cursor.fetchone()[0]
