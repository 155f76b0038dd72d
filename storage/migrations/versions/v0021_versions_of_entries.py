"""Keep the version that an entry is the release of, and whether it is a prerelease.

The columns begin empty. The running service classifies stored entries again in the background,
which fills them and writes both into the documents.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("entries", sa.Column("version", sa.String(100), nullable=True))
    op.add_column("entries", sa.Column("prerelease", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Go back."""
    op.drop_column("entries", "prerelease")
    op.drop_column("entries", "version")
