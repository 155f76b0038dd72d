"""Statements that write all day, compiled once and given to the driver with their rows.

What ``prepared`` is for questions: a look at a source writes to eight tables, and what SQLAlchemy
does for each execution besides takes longer than the writing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from storage.engine.compiled import Compiled, ResultT, compiled, executed

Row = Mapping[str, Any]


class Written:
    """One statement with named values, for any number of rows."""

    def __init__(self, make: Callable[[str], Any], columns: Sequence[str] = ()) -> None:
        """``make`` gives the statement for a dialect by name; ``columns`` are set by each row."""
        self._make = make
        self._columns = list(columns) or None
        self._compiled: dict[str, Compiled] = {}

    def run(self, session: Session, rows: Iterable[Row]) -> int:
        """Execute the statement for each row; return how many rows it wrote, -1 if unknown."""
        given = list(rows)
        if not given:
            return 0
        return self._executed(session, given, _count)

    def returned(self, session: Session, row: Row) -> Any:
        """Execute the statement for one row; return the first column of what it returns."""
        return self._executed(session, [row], _first_column)

    def _executed(
        self, session: Session, rows: list[Row], take: Callable[[Any], ResultT]
    ) -> ResultT:
        connection = session.connection()
        dialect = connection.dialect
        made = self._compiled.get(dialect.name)
        if made is None:
            made = compiled(self._make(dialect.name), dialect, columns=self._columns)
            self._compiled[dialect.name] = made
        parameters = [made.parameters(row) for row in rows]
        return executed(connection, made.text, parameters, take)


def _count(cursor: Any) -> int:
    count: int = cursor.rowcount
    return count


def _first_column(cursor: Any) -> Any:
    return cursor.fetchone()[0]
