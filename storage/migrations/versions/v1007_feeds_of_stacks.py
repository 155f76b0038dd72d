"""A private calendar can be of a stack.

Revision ID: 1007
"""

from alembic import op

from storage.migrations.versions.v1001_first_schema import WORDS

revision = "1007"
down_revision = "1006"


def upgrade() -> None:
    """Add the name of a stack to private feeds."""
    collation = WORDS[op.get_bind().dialect.name]["c"]
    op.execute(f"ALTER TABLE private_feeds ADD COLUMN stack VARCHAR(80){collation}")


def downgrade() -> None:
    """Revoke the calendars of stacks."""
    op.execute("DELETE FROM private_feeds WHERE stack IS NOT NULL")
    op.execute("ALTER TABLE private_feeds DROP COLUMN stack")
