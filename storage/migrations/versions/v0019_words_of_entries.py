"""Index the words of entries, for searches.

``entry_words`` is a table of FTS5 on SQLite, which keeps the words alone, and one with a GIN index
on PostgreSQL. The words of an entry are written by the program, which fills the index of what is
stored already in the background: ``indexed_revision`` says which revision is in it.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

NOT_INDEXED = "indexed_revision != revision"
ON_SQLITE = """
CREATE VIRTUAL TABLE entry_words USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.-_+#'"
)
"""
REMOVED_ON_SQLITE = """
CREATE TRIGGER entry_words_removed AFTER DELETE ON entries
BEGIN DELETE FROM entry_words WHERE rowid = OLD.id; END
"""
ON_POSTGRESQL = """
CREATE INDEX ix_entry_words ON entry_words
USING gin (array_to_tsvector(string_to_array(words, ' '))) WITH (gin_pending_list_limit = 256)
"""


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "entries",
        sa.Column("indexed_revision", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )
    op.create_index(
        "ix_entries_not_indexed",
        "entries",
        ["id"],
        sqlite_where=sa.text(NOT_INDEXED),
        postgresql_where=sa.text(NOT_INDEXED),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(ON_SQLITE)
        op.execute(REMOVED_ON_SQLITE)
        return
    op.create_table(
        "entry_words",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_entry_words_entry_id_entries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entry_id", name=op.f("pk_entry_words")),
    )
    op.execute(ON_POSTGRESQL)


def downgrade() -> None:
    """Go back."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER entry_words_removed")
    op.drop_table("entry_words")
    op.drop_index("ix_entries_not_indexed", "entries")
    op.drop_column("entries", "indexed_revision")
