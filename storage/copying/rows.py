"""The rows of each table in one form on either database: numbers, texts and bytes.

Times are texts in UTC with microseconds, days are texts, truth is 0 or 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    String,
    Table,
    func,
    select,
    text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from storage.models import Base, CatalogTotals

Row: TypeAlias = Sequence[Any]

AT_ONCE: Final = 1_000
TABLES: Final = [
    table for table in Base.metadata.sorted_tables if table.name != CatalogTotals.__tablename__
]
"""Every table of the models, what others refer to first. The totals are copied as sums."""
_ON_POSTGRESQL: Final = {
    DateTime: "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
    Date: "to_char({}, 'YYYY-MM-DD')",
    Boolean: "{}::integer",
}


def names(columns: Sequence[Column[Any]]) -> str:
    """Return the names of columns as SQL."""
    return ", ".join(f'"{column.name}"' for column in columns)


def key_of(table: Table) -> list[Column[Any]]:
    """Return the columns of the primary key, in its order."""
    return list(table.primary_key.columns)


def rows_after(
    connection: Connection, table: Table, last: Row | None = None
) -> Iterator[Sequence[Row]]:
    """Give the rows of a table behind a key, or all, in the order of its key, some at a time."""
    columns, key = list(table.columns), key_of(table)
    on_postgresql = connection.dialect.name == "postgresql"
    read = ", ".join(_read(column) if on_postgresql else f'"{column.name}"' for column in columns)
    where, values = "", {}
    if last is not None:
        values = {f"last{place}": value for place, value in enumerate(last)}
        marks = ", ".join(
            f"CAST(:last{place} AS DATE)"
            if on_postgresql and isinstance(_stored(column), Date)
            else f":last{place}"
            for place, column in enumerate(key)
        )
        where = f"WHERE ({_ordered(connection, key)}) > ({marks})"
    statement = f'SELECT {read} FROM "{table.name}" {where} ORDER BY {_ordered(connection, key)}'
    streaming = {"yield_per": AT_ONCE}
    result = connection.execute(text(statement), values, execution_options=streaming)
    for rows in result.partitions(AT_ONCE):
        yield [tuple(row) for row in rows]  # SQLAlchemy's rows show long values shortened


def last_key(connection: Connection, table: Table) -> Row | None:
    """Return the highest key that a table has, in the form of its rows; None of an empty one."""
    key = key_of(table)
    on_postgresql = connection.dialect.name == "postgresql"
    read = ", ".join(_read(column) if on_postgresql else f'"{column.name}"' for column in key)
    order = ", ".join(f"{expression} DESC" for expression in _ordered(connection, key).split(", "))
    statement = f'SELECT {read} FROM "{table.name}" ORDER BY {order} LIMIT 1'
    row = connection.execute(text(statement)).first()
    return None if row is None else tuple(row)


def totals(connection: Connection) -> dict[str, int]:
    """Return the totals of the catalog: the sums over all of their rows."""
    columns = [column for column in CatalogTotals.__table__.columns if not column.primary_key]
    sums = connection.execute(
        select(*(func.coalesce(func.sum(column), 0) for column in columns))
    ).one()
    return {column.name: int(value) for column, value in zip(columns, sums, strict=True)}


def without_nul(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows as PostgreSQL holds them: its texts have U+FFFD for NUL."""
    return [tuple(map(_text_without_nul, row)) if any(map(_has_nul, row)) else row for row in rows]


def _has_nul(value: Any) -> bool:
    return isinstance(value, str) and "\0" in value


def _text_without_nul(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _read(column: Column[Any]) -> str:
    form = next(
        (form for kind, form in _ON_POSTGRESQL.items() if isinstance(_stored(column), kind)), "{}"
    )
    return form.format(f'"{column.name}"')


def _ordered(connection: Connection, key: Sequence[Column[Any]]) -> str:
    """Return a key by which both databases have the same order."""
    of_texts = ' COLLATE "C"' if connection.dialect.name == "postgresql" else ""
    return ", ".join(
        f'"{column.name}"{of_texts if isinstance(_stored(column), String) else ""}'
        for column in key
    )


def _stored(column: Column[Any]) -> TypeEngine[Any]:
    kind: TypeEngine[Any] = column.type
    while isinstance(kind, TypeDecorator):
        kind = kind.impl_instance
    return kind
