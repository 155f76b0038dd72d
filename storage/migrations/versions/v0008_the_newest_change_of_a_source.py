"""Keep the number of a source's newest change with the source.

The states of a page of sources are then read from as many rows, without a search for each of them
in the index of all changes. A trigger keeps it, so that the previous release does so too.

On PostgreSQL it runs when a transaction ends, and does something for the newest change of a source
only: a row that is written again for each of ten thousand entries leaves as many versions to go
through.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

ON_SQLITE = """
CREATE TRIGGER entry_changes_numbered AFTER INSERT ON entry_changes FOR EACH ROW
BEGIN
    UPDATE sources SET newest_change = NEW.number WHERE id = NEW.source_id;
END
"""
ON_POSTGRESQL = """
CREATE FUNCTION keep_newest_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entry_changes WHERE source_id = NEW.source_id AND number > NEW.number
    ) THEN
        UPDATE sources SET newest_change = NEW.number WHERE id = NEW.source_id;
    END IF;
    RETURN NULL;
END
$$
"""
TRIGGER_ON_POSTGRESQL = """
CREATE CONSTRAINT TRIGGER entry_changes_numbered AFTER INSERT ON entry_changes
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_newest_change()
"""
EXISTING = """
UPDATE sources SET newest_change = COALESCE(
    (SELECT MAX(number) FROM entry_changes WHERE source_id = sources.id), 0
)
"""


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "sources",
        sa.Column("newest_change", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(ON_SQLITE)
    else:
        op.execute(ON_POSTGRESQL)
        op.execute(TRIGGER_ON_POSTGRESQL)
    op.execute(EXISTING)


def downgrade() -> None:
    """Go back."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER entry_changes_numbered")
    else:
        op.execute("DROP TRIGGER entry_changes_numbered ON entry_changes")
        op.execute("DROP FUNCTION keep_newest_change()")
    op.drop_column("sources", "newest_change")
