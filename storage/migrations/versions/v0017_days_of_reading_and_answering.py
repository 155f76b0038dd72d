"""Remember how each source and the API did on each of the last 90 days.

``health_days`` has one letter a day, written by checks of that day; ``health_days_until`` is the
day of its last one. ``api_days`` has one row a day. Both begin empty: nothing is known of the days
before. A program of before leaves them as they are, and its days count as days without a record.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "fetch_facts",
        sa.Column("health_days", sa.String(90), server_default=sa.text("''"), nullable=False),
    )
    op.add_column("fetch_facts", sa.Column("health_days_until", sa.Date(), nullable=True))
    op.create_table(
        "api_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("first_minute", sa.Integer(), nullable=False),
        sa.Column("last_minute", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_api_days")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("api_days")
    op.drop_column("fetch_facts", "health_days_until")
    op.drop_column("fetch_facts", "health_days")
