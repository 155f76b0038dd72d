"""Keep the hubs that sources name, what they pushed, and what the hub of our feeds was told.

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "hub_subscriptions",
        sa.Column("source_id", ID, nullable=False),
        sa.Column("hub", sa.String(4096), nullable=False),
        sa.Column("topic", sa.String(4096), nullable=False),
        sa.Column("token", sa.String(43), nullable=False),
        sa.Column("secret", sa.String(43), nullable=False),
        sa.Column("next_ask_at", TIME, nullable=False),
        sa.Column("asked_at", TIME, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("live_since", TIME, nullable=True),
        sa.Column("live_until", TIME, nullable=True),
        sa.Column("pushed_at", TIME, nullable=True),
        sa.Column("accepts_at", TIME, nullable=True),
        sa.Column("note", sa.String(200), nullable=True),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_hub_subscriptions")),
        sa.UniqueConstraint("token", name=op.f("uq_hub_subscriptions_token")),
        source_of("hub_subscriptions"),
    )
    for column in ("next_ask_at", "live_until"):
        op.create_index(op.f(f"ix_hub_subscriptions_{column}"), "hub_subscriptions", [column])
    op.create_table(
        "hub_pushes",
        sa.Column("id", ID, nullable=False),
        sa.Column("source_id", ID, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("content_type", sa.String(200), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hub_pushes")),
        source_of("hub_pushes"),
    )
    op.create_index("ix_hub_pushes_source", "hub_pushes", ["source_id", "id"])
    op.create_table(
        "feed_pings",
        sa.Column("id", ID, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_pings")),
    )


def source_of(table: str) -> sa.ForeignKeyConstraint:
    """Return the reference of a row to its source, with which it goes."""
    name = op.f(f"fk_{table}_source_id_sources")
    return sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=name, ondelete="CASCADE")


def downgrade() -> None:
    """Go back; the subscriptions are lost, and hubs are told so when they push."""
    op.drop_table("feed_pings")
    op.drop_table("hub_pushes")
    op.drop_table("hub_subscriptions")
