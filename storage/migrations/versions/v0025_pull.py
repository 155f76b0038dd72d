"""Keep how often a source is worth checking, when its vendor publishes, and what it asks for.

The pull begins as that of the median gap; the first check of the next day measures it.

Revision ID: 0025
Revises: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

DAY = 86_400  # seconds


def upgrade() -> None:
    """Go forward."""
    op.add_column("fetch_facts", sa.Column("pull", sa.Double(), nullable=True))
    op.add_column(
        "fetch_facts", sa.Column("rhythm", sa.String(26), server_default="", nullable=False)
    )
    op.add_column("fetch_facts", sa.Column("floor", sa.Integer(), nullable=True))
    facts = sa.table("fetch_facts", *map(sa.column, ("source_id", "median_gap", "pull")))
    connection = op.get_bind()
    gaps = connection.execute(
        sa.select(facts.c.source_id, facts.c.median_gap).where(facts.c.median_gap > 0)
    ).all()
    if gaps:
        connection.execute(
            sa.update(facts)
            .where(facts.c.source_id == sa.bindparam("source"))
            .values(pull=sa.bindparam("of_gap", type_=sa.Double())),
            [{"source": key, "of_gap": (DAY / gap) ** 0.5} for key, gap in gaps],
        )


def downgrade() -> None:
    """Go back."""
    op.drop_column("fetch_facts", "floor")
    op.drop_column("fetch_facts", "rhythm")
    op.drop_column("fetch_facts", "pull")
