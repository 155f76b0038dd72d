"""Keep which packages a source is about, and which package of a repository a release is of.

Sources of a repository on GitHub get its package URL here; what else is known comes with the
catalog. ``entries.package`` begins empty: the running service classifies stored entries again in
the background, which fills it. The indexes of public lists get what ``prerelease`` filters by.

Revision ID: 0024
Revises: 0023
"""

import re

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

LISTED = ["published_at", "external_id", "source_id"]
INDEXES = {  # by name: what they had, and which entries they have, in either database's words
    "ix_entries_listed": (LISTED, "listed = 1", "listed"),
    "ix_entries_listed_important": (
        [*LISTED, "categories"],
        "listed = 1 AND important = 1",
        "listed AND important",
    ),
}
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PURL = sa.String(500).with_variant(sa.String(500, collation="C"), "postgresql")
RELEASES = re.compile(r"https://github\.com/([A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100})/releases")
SOURCES = sa.table("sources", sa.column("id", sa.BigInteger()), sa.column("changelog_url"))


def upgrade() -> None:
    """Go forward."""
    packages = op.create_table(
        "source_packages",
        sa.Column("purl", PURL, nullable=False),
        sa.Column("source_id", ID, nullable=False),
        sa.Column("seen_in", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("purl", "source_id", name=op.f("pk_source_packages")),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_source_packages_source_id_sources"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_source_packages_source_id", "source_packages", ["source_id"])
    connection = op.get_bind()
    rows = [
        {"purl": f"pkg:github/{match[1].lower()}", "source_id": key, "seen_in": "repository"}
        for key, address in connection.execute(sa.select(SOURCES.c.id, SOURCES.c.changelog_url))
        if (match := RELEASES.fullmatch(address))
    ]
    if rows:
        connection.execute(sa.insert(packages), rows)
    op.add_column("entries", sa.Column("package", sa.String(200), nullable=True))
    op.create_index(
        "ix_entries_versions",
        "entries",
        ["source_id", "version", "published_at", "prerelease", "package", "categories"],
    )

    replace_indexes(["prerelease"])


def replace_indexes(more: list[str]) -> None:
    """Make the indexes of public lists anew, with further columns."""
    for name, (columns, on_sqlite, on_postgresql) in INDEXES.items():
        op.drop_index(name, "entries")
        op.create_index(
            name,
            "entries",
            [*columns, *more],
            sqlite_where=sa.text(on_sqlite),
            postgresql_where=sa.text(on_postgresql),
        )


def downgrade() -> None:
    """Go back."""
    replace_indexes([])
    op.drop_index("ix_entries_versions", "entries")
    op.drop_column("entries", "package")
    op.drop_table("source_packages")
