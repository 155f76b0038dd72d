"""Make the tables of the queue that workers on PostgreSQL share sources through.

They are Procrastinate's, as its release 3.10 defines them: its own migrations, to later releases,
become migrations here. SQLite has no such queue: one process serves all.

Revision ID: 0005
Revises: 0004
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from procrastinate.schema import SchemaManager

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        driver.execute(SchemaManager.get_schema())


def downgrade() -> None:
    """Go back."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for table in ("events", "periodic_defers", "jobs", "workers"):
        op.execute(f"DROP TABLE procrastinate_{table} CASCADE")
    for kind in ("job_status", "job_event_type", "job_to_defer_v1"):
        op.execute(f"DROP TYPE procrastinate_{kind} CASCADE")
    functions = """
        SELECT 'DROP FUNCTION ' || oid::regprocedure || ' CASCADE' FROM pg_proc
        WHERE proname LIKE 'procrastinate\\_%' AND pronamespace = current_schema()::regnamespace
    """
    for statement in connection.execute(sa.text(functions)).scalars().all():
        op.execute(statement)
