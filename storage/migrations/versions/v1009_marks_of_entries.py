"""Entries without a text, and those that name holes, are found without reading the others.

Revision ID: 1009
"""

from alembic import op

revision = "1009"
down_revision = "1008"

_MARKS = {"ix_entries_without_notes": '"summary":null', "ix_entries_with_cves": '"cves":['}


def upgrade() -> None:
    """Add an index of each."""
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for name, mark in _MARKS.items():
        place = f"instr(public_document, '{mark}')"
        if not on_sqlite:
            place = f"position('{mark}' in public_document)"
        op.get_bind().exec_driver_sql(
            f"CREATE INDEX {name} ON entries (source_id) WHERE {place} > 0"
        )


def downgrade() -> None:
    """Drop them."""
    for name in _MARKS:
        op.drop_index(name, "entries")
