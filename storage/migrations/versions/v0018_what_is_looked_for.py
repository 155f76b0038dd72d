"""Remember what is still looked for of a source besides its document: postings, dates of releases.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("fetch_facts", sa.Column("lookups", sa.Text(), nullable=True))


def downgrade() -> None:
    """Go back."""
    op.drop_column("fetch_facts", "lookups")
