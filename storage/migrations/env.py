"""Run by Alembic: migrates over the connection that the caller opened and locked."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy.types import TypeDecorator

from storage.models import Base


def without_our_types(kind: str, item: Any, _context: AutogenContext) -> str | Literal[False]:
    """Return a column's plain type, so that a migration does not depend on our types."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl_instance!r}"
    return False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_item=without_our_types,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=False,
)
context.run_migrations()
