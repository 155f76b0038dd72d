"""Give entries their keys in the order in which they are committed, on PostgreSQL.

The lock under which changes are numbered (0002) is taken before the first key of a statement rather
than after it: so whoever reads the newest key has all below it. SQLite has one writer at a time.

Revision ID: 0027
Revises: 0026
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

UPGRADE = (
    """
CREATE FUNCTION order_entry_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1668180839);
    RETURN NULL;
END
$$
""",
    """
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries FOR EACH STATEMENT
EXECUTE FUNCTION order_entry_keys()
""",
)
DOWNGRADE = (
    "DROP TRIGGER entries_in_order ON entries",
    "DROP FUNCTION order_entry_keys",
)


def upgrade() -> None:
    """Go forward."""
    _execute(UPGRADE)


def downgrade() -> None:
    """Go back."""
    _execute(DOWNGRADE)


def _execute(statements: tuple[str, ...]) -> None:
    if op.get_bind().dialect.name == "postgresql":
        for statement in statements:
            op.execute(statement)
