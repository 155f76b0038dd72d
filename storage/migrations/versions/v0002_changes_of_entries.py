"""Number what is learned of entries, in the order in which it is committed.

``entry_changes`` gets a row for each entry and for each edit of one. Followers keep the number of
the last row they dealt with, so a number must never become visible after a higher one:

* SQLite has one writer at a time.
* On PostgreSQL a number is taken under a lock that is held until the transaction has ended, and
  that PostgreSQL gives back only once the transaction can be seen. A sequence alone would not do:
  a transaction that took its number first may commit last.

Triggers write the rows. The previous release, which knows nothing of the table, may go on running
beside this one: what it stores is numbered too. For the same reason nothing else can forget a row.

SQLite remembers the largest number that a table ever had (``sqlite_sequence``), but only when a
statement ends: within one that stores many rows the table itself is asked as well.

A number is the next one, or the microseconds since 1970 at which the entry was written, whichever
is more. It never goes back, wherever the clock goes; and after a backup was restored, what is
learned again has numbers above all that were given out in the meantime.

The entries that are there already are numbered from 1 in the order in which they were learned.
One statement does that inside the database, which sorts on disk what does not fit into memory and
hands nothing to this program: a million entries took less than a minute on either database, on two
busy cores. Readers are not disturbed. Writers on PostgreSQL wait for the end, since the triggers come first: nothing
falls between them and the numbering.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

EXISTING = """
INSERT INTO entry_changes (number, source_id, entry_id, revision)
SELECT row_number() OVER (ORDER BY learned_at, published_at, entry_id, revision),
       source_id, entry_id, revision
FROM (
    SELECT source_id, id AS entry_id, revision, published_at, changed_at AS learned_at
    FROM entries
    UNION ALL
    SELECT entries.source_id, entry_id, entry_revisions.revision, published_at,
           COALESCE(
               LAG(replaced_at) OVER (PARTITION BY entry_id ORDER BY entry_revisions.revision),
               first_seen_at
           )
    FROM entry_revisions JOIN entries ON entries.id = entry_id
) AS learned
"""

ON_SQLITE = """
CREATE TRIGGER {name} AFTER {event} ON entries FOR EACH ROW {condition}
BEGIN
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    SELECT MAX(
               COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'entry_changes'), 0) + 1,
               COALESCE((SELECT MAX(number) FROM entry_changes), 0) + 1,
               CAST(unixepoch(NEW.changed_at, 'subsec') * 1000000 AS INTEGER)
           ),
           NEW.source_id, NEW.id, NEW.revision;
END
"""

ON_POSTGRESQL = """
CREATE FUNCTION number_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    next_number bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(1668180839);
    next_number := GREATEST(
        nextval('entry_changes_number_seq'),
        CAST(extract(epoch FROM NEW.changed_at) * 1000000 AS bigint)
    );
    PERFORM setval('entry_changes_number_seq', next_number);
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    VALUES (next_number, NEW.source_id, NEW.id, NEW.revision);
    RETURN NULL;
END
$$
"""

TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER {name} AFTER {event} ON entries FOR EACH ROW {condition}
EXECUTE FUNCTION number_entry_change()
"""

TRIGGERS = (
    {"name": "entries_learned", "event": "INSERT", "condition": ""},
    {
        "name": "entries_edited",
        "event": "UPDATE OF revision",
        "condition": "WHEN (OLD.revision <> NEW.revision)",
    },
)


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "entry_changes",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("entry_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_entry_changes_entry_id_entries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_entry_changes")),
        sa.UniqueConstraint(
            "entry_id", "revision", name=op.f("uq_entry_changes_entry_id_revision")
        ),
        sqlite_autoincrement=True,
    )
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    if not on_sqlite:
        op.execute(ON_POSTGRESQL)
    for trigger in TRIGGERS:
        op.execute((ON_SQLITE if on_sqlite else TRIGGER_ON_POSTGRESQL).format(**trigger))
    op.execute(EXISTING)
    if not on_sqlite:
        op.execute(
            "SELECT setval('entry_changes_number_seq', GREATEST(max(number), 1)) FROM entry_changes"
        )
    op.create_index("ix_entry_changes_source", "entry_changes", ["source_id", "number"])


def downgrade() -> None:
    """Go back."""
    for trigger in TRIGGERS:
        where = "" if op.get_bind().dialect.name == "sqlite" else " ON entries"
        op.execute(f"DROP TRIGGER {trigger['name']}{where}")
    op.drop_table("entry_changes")
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION number_entry_change()")
