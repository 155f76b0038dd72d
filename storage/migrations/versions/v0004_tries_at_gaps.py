"""Count how often a gap could not be closed because older pages could not be had.

The previous release leaves the column empty, which says that there is nothing to try.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("gaps", schema=None) as batch_op:
        batch_op.add_column(sa.Column("tries", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("gaps", schema=None) as batch_op:
        batch_op.drop_column("tries")
