"""The list of deadlines is counted in its index.

Revision ID: 1005
"""

from alembic import op

revision = "1005"
down_revision = "1004"

INDEX = "ix_entry_deadlines_last_day"
ORDER = ["last_day", "entry_id", "place"]
HOLDS = ["held_from", "held_until", "repeated_at", "first_day"]


def upgrade() -> None:
    """Keep in the index what says whether a deadline holds."""
    op.drop_index(INDEX)
    op.create_index(INDEX, "entry_deadlines", [*ORDER, *HOLDS])


def downgrade() -> None:
    """Keep the order alone."""
    op.drop_index(INDEX)
    op.create_index(INDEX, "entry_deadlines", ORDER)
