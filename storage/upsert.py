"""INSERT … ON CONFLICT, which SQLAlchemy spells once per dialect."""

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session


def insert_into(session: Session, model: type[Any]) -> Any:
    """Return the dialect's INSERT; both dialects offer on_conflict_do_update and returning."""
    if session.get_bind().dialect.name == "postgresql":
        return postgresql.insert(model)
    return sqlite.insert(model)
