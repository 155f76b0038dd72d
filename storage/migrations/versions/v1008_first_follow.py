"""An account gets the whole catalog until its first follow, and never again.

Revision ID: 1008
"""

from alembic import op

revision = "1008"
down_revision = "1007"


def upgrade() -> None:
    """Note who has followed a source; webhooks whose sources are gone need not be off then."""
    op.execute("ALTER TABLE accounts ADD COLUMN has_followed BOOLEAN DEFAULT FALSE NOT NULL")
    op.execute(
        "UPDATE accounts SET has_followed = TRUE WHERE id IN "
        "(SELECT account_id FROM follows UNION SELECT account_id FROM removed_follows)"
    )
    op.execute(
        "UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL, owner_told_at = NULL "
        "WHERE disabled_reason = 'nothing_left'"
    )


def downgrade() -> None:
    """Forget who has followed a source."""
    op.execute("ALTER TABLE accounts DROP COLUMN has_followed")
