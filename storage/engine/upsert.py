"""INSERT … ON CONFLICT, which SQLAlchemy spells once per dialect."""

from importlib import import_module
from typing import Any

from sqlalchemy.orm import Session


def insert_into(session: Session, model: type[Any]) -> Any:
    """Return the dialect's INSERT; both dialects offer on_conflict_do_update and returning.

    The other dialect is not loaded: PostgreSQL's is a large one.
    """
    return insert_for(session.get_bind().dialect.name, model)


def insert_for(dialect: str, model: type[Any]) -> Any:
    """Return what insert_into returns, for a dialect by name."""
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(model)
