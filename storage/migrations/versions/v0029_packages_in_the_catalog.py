"""Notice when the packages of sources change: the catalog says them.

Triggers move ``catalog_totals.catalog_moves`` by a random step, as those of sources do.

Revision ID: 0029
Revises: 0028
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

EVENTS = ("insert", "delete")
ON_SQLITE = """
CREATE TRIGGER source_packages_{event} AFTER {event} ON source_packages FOR EACH ROW
BEGIN
    UPDATE catalog_totals SET catalog_moves = catalog_moves + 1 + (random() & 1073741823);
END
"""
FUNCTION_ON_POSTGRESQL = """
CREATE FUNCTION source_packages_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_totals (catalog_moves)
    VALUES (1 + floor(random() * 1073741824)::bigint);
    RETURN NULL;
END
$$
"""
TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER source_packages_moved AFTER INSERT OR DELETE ON source_packages
FOR EACH STATEMENT EXECUTE FUNCTION source_packages_moved()
"""


def upgrade() -> None:
    """Go forward."""
    if op.get_bind().dialect.name == "sqlite":
        for event in EVENTS:
            op.execute(ON_SQLITE.format(event=event))
        return
    op.execute(FUNCTION_ON_POSTGRESQL)
    op.execute(TRIGGER_ON_POSTGRESQL)


def downgrade() -> None:
    """Go back."""
    if op.get_bind().dialect.name == "sqlite":
        for event in EVENTS:
            op.execute(f"DROP TRIGGER source_packages_{event}")
        return
    op.execute("DROP TRIGGER source_packages_moved ON source_packages")
    op.execute("DROP FUNCTION source_packages_moved()")
