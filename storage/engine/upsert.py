"""INSERT … ON CONFLICT, which SQLAlchemy offers once per dialect."""

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

_INSERT = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}


def insert_into(session: Session, model: type[Any]) -> Any:
    """Return the INSERT of the session's dialect, which offers on_conflict_do_update."""
    return _INSERT[session.get_bind().dialect.name](model)
