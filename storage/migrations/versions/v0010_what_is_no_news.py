"""Tell entries that are news from the history that the first reading of a source brings.

``listed``: in public lists; not so an entry without a date that was there when its source was first
read. ``announced``: webhooks, digests and private feeds tell of it. Entries that are stored already
and have no date of their own are marked here; the totals get counts of those that are not listed,
which triggers keep.

Revision ID: 0010
Revises: 0009
"""

import re
from datetime import timedelta

import sqlalchemy as sa
from alembic import op

from storage.migrations.versions.v0006_totals_of_the_catalog import (
    MOVES,
    ON_POSTGRESQL,
    STEP_ON_POSTGRESQL,
    STEP_ON_SQLITE,
    TOTALS,
    Change,
    add_to_the_row,
)

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

UNLISTED = ("unlisted", "unlisted_important")
PLACE = ("published_at", "external_id", "source_id")
AT_A_TIME = 500
NO_DATE = b'"date_source":"first_seen"'
MARKED = b'"date_source":"undated"'
TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER {name} AFTER {event} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {name}()
"""
TOGETHER = re.compile(r"INSERT INTO catalog_totals \([^)]*\) SELECT .* FROM seen;")
SUMS = "INSERT INTO catalog_totals ({columns}) SELECT {sums} FROM seen;"
FUNCTIONS = """
SELECT pg_get_functiondef(oid) FROM pg_proc
WHERE prosrc LIKE '%DELETE FROM catalog_totals%' AND pronamespace = current_schema()::regnamespace
"""
UNDATED_SPAN = timedelta(hours=1)
"""Undated entries of a document are stored a millisecond apart, back from its first reading."""
ENTRIES = sa.table(
    "entries",
    *(sa.column(name, sa.BigInteger()) for name in ("id", "source_id")),
    *(sa.column(name, sa.DateTime(timezone=True)) for name in ("published_at", "first_seen_at")),
    *(sa.column(name, sa.Boolean()) for name in ("listed", "announced")),
    sa.column("document", sa.LargeBinary()),
)


def listing_changes(step: str) -> tuple[Change, ...]:
    """Return what moves the counts of entries that are not listed."""
    important = "CASE WHEN {row}.important AND NOT {row}.listed THEN 1 ELSE 0 END"
    unlisted = "CASE WHEN {row}.listed THEN 0 ELSE 1 END"
    new = {
        "unlisted": unlisted.format(row="NEW"),
        "unlisted_important": important.format(row="NEW"),
    }
    old = {
        "unlisted": unlisted.format(row="OLD"),
        "unlisted_important": important.format(row="OLD"),
    }
    changed = {name: f"{new[name]} - {old[name]}" for name in UNLISTED}
    return (
        Change("unlisted_added", "INSERT ON entries", new, "NOT NEW.listed"),
        Change(
            "unlisted_removed",
            "DELETE ON entries",
            {name: f"-({value})" for name, value in old.items()},
            "NOT OLD.listed",
        ),
        Change(
            "unlisted_changed",
            "UPDATE OF listed, important ON entries",
            changed | {"public_moves": step, "important_moves": step},
            "OLD.listed IS DISTINCT FROM NEW.listed"
            " OR (OLD.important IS DISTINCT FROM NEW.important AND NOT NEW.listed)",
        ),
    )


def upgrade() -> None:
    """Go forward."""
    for name in ("listed", "announced"):
        op.add_column(
            "entries", sa.Column(name, sa.Boolean(), server_default=sa.true(), nullable=False)
        )
    for name in UNLISTED:
        op.add_column(
            "catalog_totals",
            sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        )
    if op.get_bind().dialect.name == "sqlite":
        for change in listing_changes(STEP_ON_SQLITE):
            add_to_the_row(change)
    else:
        for change in listing_changes(STEP_ON_POSTGRESQL):
            add_function(change)
            op.execute(TRIGGER_ON_POSTGRESQL.format(**change._asdict()))
        sum_columns(*TOTALS, *MOVES, *UNLISTED)
    mark_undated()
    for name in ("ix_entries_latest", "ix_entries_important", "ix_entries_page"):
        op.drop_index(name, "entries")
    op.create_index("ix_entries_page", "entries", ["source_id", *PLACE[:2], "listed"])
    add_partial_index("ix_entries_listed", "listed")
    add_partial_index("ix_entries_listed_important", "listed", "important")


def add_function(change: Change) -> None:
    """Make the function of a trigger of PostgreSQL."""
    written = ON_POSTGRESQL.format(
        name=change.name,
        columns=", ".join(change.added),
        values=", ".join(change.added.values()),
        all_columns="id",
        sums="0",
    )
    op.execute(written)


def sum_columns(*names: str) -> None:
    """Let every function of PostgreSQL that puts rows of the totals together sum these columns."""
    columns = ", ".join(names)
    sums = ", ".join(f"COALESCE(SUM({name}), 0)" for name in names)
    together = SUMS.format(columns=columns, sums=sums)
    for definition in op.get_bind().scalars(sa.text(FUNCTIONS)).all():
        op.execute(TOGETHER.sub(together, definition))


def mark_undated() -> None:
    """Mark the entries that had no date when their source was first read, a few at a time."""
    connection = op.get_bind()
    entry = ENTRIES.c
    readings = sa.select(entry.source_id, sa.func.min(entry.first_seen_at).label("first"))
    mark = sa.update(ENTRIES).where(entry.id == sa.bindparam("key"))
    for source, first in connection.execute(readings.group_by(entry.source_id)).all():
        may_be = sa.select(entry.id).where(
            entry.source_id == source,
            entry.first_seen_at == first,
            entry.published_at.between(first - UNDATED_SPAN, first),
        )
        keys = connection.scalars(may_be).all()
        for start in range(0, len(keys), AT_A_TIME):
            some = entry.id.in_(keys[start : start + AT_A_TIME])
            marks = [
                {"key": key, "document": document.replace(NO_DATE, MARKED)}
                for key, document in connection.execute(
                    sa.select(entry.id, entry.document).where(some)
                )
                if NO_DATE in document or MARKED in document
            ]
            if marks:
                connection.execute(mark.values(listed=False, announced=False), marks)


def add_partial_index(name: str, *conditions: str) -> None:
    """Index the entries that meet conditions by their place in lists."""
    op.create_index(
        name,
        "entries",
        list(PLACE),
        sqlite_where=sa.text(" AND ".join(f"{condition} = 1" for condition in conditions)),
        postgresql_where=sa.text(" AND ".join(conditions)),
    )


def downgrade() -> None:
    """Go back; documents that were marked stay so, and tell it when going forward again."""
    for name in ("ix_entries_listed", "ix_entries_listed_important", "ix_entries_page"):
        op.drop_index(name, "entries")
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for change in listing_changes(STEP_ON_SQLITE):
        op.execute(f"DROP TRIGGER {change.name}{'' if on_sqlite else ' ON entries'}")
        if not on_sqlite:
            op.execute(f"DROP FUNCTION {change.name}()")
    if not on_sqlite:
        sum_columns(*TOTALS, *MOVES)
    for name in ("listed", "announced"):
        op.drop_column("entries", name)
    for name in UNLISTED:
        op.drop_column("catalog_totals", name)
    op.create_index("ix_entries_page", "entries", ["source_id", *PLACE[:2]])
    op.create_index("ix_entries_latest", "entries", list(PLACE))
    add_partial_index("ix_entries_important", "important")
