"""Filter entries by why they are important, and let accounts save filters.

``entries.categories`` has a bit for each category of the stored importance, which is read here
once. An index holds the important entries of each source, another the entries that are in no public
list. Webhooks and digests can follow a saved filter; those that are there follow none.

Revision ID: 0020
Revises: 0019
"""

import orjson
import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

BITS = {"breaking": 1, "deprecation": 2, "security": 4}
AT_A_TIME = 500
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SHORT = sa.String(20).with_variant(sa.String(20, collation="C"), "postgresql")
ENTRIES = sa.table(
    "entries",
    sa.column("id", sa.BigInteger()),
    sa.column("important", sa.Boolean()),
    sa.column("importance", sa.LargeBinary()),
    sa.column("categories", sa.Integer()),
)
FOLLOWING = ("webhooks", "digests")


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "entries", sa.Column("categories", sa.Integer(), server_default="0", nullable=False)
    )
    name_categories()
    op.drop_index("ix_entries_listed_important", "entries")
    add_indexes()
    add_saved_filters()
    add_private_feeds()
    for table in FOLLOWING:
        op.add_column(table, sa.Column("filter_id", sa.BigInteger(), nullable=True))


def name_categories() -> None:
    """Write the categories of the important entries, a few at a time."""
    connection, entry = op.get_bind(), ENTRIES.c
    write = sa.update(ENTRIES).where(entry.id == sa.bindparam("key"))
    write = write.values(categories=sa.bindparam("bits"))
    last = 0
    while rows := connection.execute(
        sa.select(entry.id, entry.importance)
        .where(entry.id > last, entry.important, entry.importance.is_not(None))
        .order_by(entry.id)
        .limit(AT_A_TIME)
    ).all():
        last = rows[-1].id
        connection.execute(
            write, [{"key": key, "bits": bits_of(importance)} for key, importance in rows]
        )


def bits_of(importance: bytes) -> int:
    """Return the sum of the bits of the categories that an importance names."""
    return sum(BITS[category] for category in set(orjson.loads(importance).get("categories", ())))


def add_indexes() -> None:
    """Add the indexes that filters read."""
    op.create_index(
        "ix_entries_listed_important",
        "entries",
        ["published_at", "external_id", "source_id", "categories"],
        sqlite_where=sa.text("listed = 1 AND important = 1"),
        postgresql_where=sa.text("listed AND important"),
    )
    op.create_index(
        "ix_entries_important_of_source",
        "entries",
        ["source_id", "published_at", "external_id", "listed", "categories"],
        sqlite_where=sa.text("important = 1"),
        postgresql_where=sa.text("important"),
    )
    op.create_index(
        "ix_entries_unlisted",
        "entries",
        ["source_id", "important"],
        sqlite_where=sa.text("listed = 0"),
        postgresql_where=sa.text("NOT listed"),
    )


def add_saved_filters() -> None:
    """Add the table of saved filters."""
    op.create_table(
        "saved_filters",
        sa.Column("id", ID, nullable=False),
        sa.Column("public_id", SHORT, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_filters")),
        sa.UniqueConstraint("public_id", name=op.f("uq_saved_filters_public_id")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_saved_filters_account_id_accounts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_saved_filters_account_id", "saved_filters", ["account_id"])


def add_private_feeds() -> None:
    """Add the table of private addresses."""
    op.create_table(
        "private_feeds",
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("filter_id", ID, nullable=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_private_feeds")),
        sa.UniqueConstraint("digest", name=op.f("uq_private_feeds_digest")),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_private_feeds_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["filter_id"],
            ["saved_filters.id"],
            name=op.f("fk_private_feeds_filter_id_saved_filters"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_private_feeds_account_id", "private_feeds", ["account_id"])
    op.create_index("ix_private_feeds_filter_id", "private_feeds", ["filter_id"])


def downgrade() -> None:
    """Go back; saved filters are lost, and what followed one follows all again."""
    for table in FOLLOWING:
        op.drop_column(table, "filter_id")
    op.drop_table("private_feeds")
    op.drop_table("saved_filters")
    for name in (
        "ix_entries_unlisted",
        "ix_entries_important_of_source",
        "ix_entries_listed_important",
    ):
        op.drop_index(name, "entries")
    op.drop_column("entries", "categories")
    op.create_index(
        "ix_entries_listed_important",
        "entries",
        ["published_at", "external_id", "source_id"],
        sqlite_where=sa.text("listed = 1 AND important = 1"),
        postgresql_where=sa.text("listed AND important"),
    )
