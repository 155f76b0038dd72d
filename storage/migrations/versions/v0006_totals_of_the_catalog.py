"""Keep totals over the catalog, and numbers that move when what answers depend on is written anew.

Triggers keep them, so that the previous release does so too. SQLite has one writer and keeps one
row. On PostgreSQL each change is a row of its own, for a row that everybody updates would let
transactions wait for each other, in circles too; the sum over all rows is what counts, and one
change in fifty puts those that it sees together. The steps are random, so that a history that
begins anew with a restored backup does not come to the same number with other content.

Revision ID: 0006
Revises: 0005
"""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TOTALS = ("sources", "entries", "important")
MOVES = ("catalog_moves", "sample_moves", "document_moves", "public_moves", "important_moves")
CHOICE = ("slug", "vendor", "prominence", "health")
CATALOG = ("slug", "vendor", "name", "kind", "homepage", "changelog_url", "adapter_type", "tags")
PLACE = ("published_at", "external_id", "source_id")
DOCUMENT, PUBLIC = ("document", *PLACE), ("public_document", *PLACE)
IMPORTANT = ("important", "importance", "revision", *PUBLIC)
FACTS = (
    "interval",
    "fail_score",
    "failures",
    "empty_streak",
    "first_attempt_at",
    "last_attempt_at",
    "last_success_at",
    "last_failure",
    "last_status",
    "entries_180d",
    "median_gap",
    "newest_published_at",
    "open_gap",
)
STEP_ON_SQLITE = "1 + (random() & 1073741823)"
STEP_ON_POSTGRESQL = "1 + floor(random() * 1073741824)::bigint"
ON_SQLITE = """
CREATE TRIGGER {name} AFTER {event} FOR EACH ROW WHEN {condition}
BEGIN
    UPDATE catalog_totals SET {updates};
END
"""
ON_POSTGRESQL = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_totals ({columns}) VALUES ({values});
    IF random() < 0.02 AND pg_try_advisory_xact_lock(1668180840) THEN
        WITH seen AS (DELETE FROM catalog_totals RETURNING *)
        INSERT INTO catalog_totals ({all_columns}) SELECT {sums} FROM seen;
    END IF;
    RETURN NULL;
END
$$
"""
TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER {name} AFTER {event} FOR EACH {each} {condition} EXECUTE FUNCTION {name}()
"""
FACTS_ON_SQLITE = """
CREATE TRIGGER facts_rewritten AFTER UPDATE OF {columns} ON fetch_facts FOR EACH ROW WHEN {condition}
BEGIN
    UPDATE fetch_facts SET moves = moves + ({step}) WHERE source_id = NEW.source_id;
END
"""
FACTS_ON_POSTGRESQL = """
CREATE FUNCTION facts_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.moves := OLD.moves + {step};
    RETURN NEW;
END
$$
"""
FACTS_TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER facts_rewritten BEFORE UPDATE OF {columns} ON fetch_facts FOR EACH ROW
WHEN ({condition}) EXECUTE FUNCTION facts_rewritten()
"""


class Change(NamedTuple):
    """What moves the totals: an event of a table, under a condition, and what each gets added.

    ``each``: what a trigger of PostgreSQL runs for; SQLite has them for rows only.
    """

    name: str
    event: str
    added: Mapping[str, str]
    condition: str = ""
    each: str = "ROW"


def differs(*columns: str) -> str:
    """Say that one of some columns has changed."""
    return f"({' OR '.join(f'OLD.{each} IS DISTINCT FROM NEW.{each}' for each in columns)})"


def of_sources(step: str) -> tuple[Change, ...]:
    """Return the changes of sources; ``step`` is what a number moves by."""
    moved = {"catalog_moves": step, "sample_moves": step}
    new = {"sources": "1", "entries": "NEW.entry_count", "important": "NEW.important_count"}
    old = {"sources": "-1", "entries": "-OLD.entry_count", "important": "-OLD.important_count"}
    counted = {
        "entries": "NEW.entry_count - OLD.entry_count",
        "important": "NEW.important_count - OLD.important_count",
    }
    written = {
        "catalog_moves": f"CASE WHEN {differs(*CATALOG)} THEN {step} ELSE 0 END",
        "sample_moves": f"CASE WHEN {differs(*CHOICE)} THEN {step} ELSE 0 END",
    }
    columns = dict.fromkeys((*CATALOG, *CHOICE))
    return (
        Change("sources_added", "INSERT ON sources", new | moved),
        Change("sources_removed", "DELETE ON sources", old | moved),
        Change(
            "sources_counted",
            "UPDATE OF entry_count, important_count ON sources",
            counted,
            differs("entry_count", "important_count"),
        ),
        Change(
            "sources_rewritten",
            f"UPDATE OF {', '.join(columns)} ON sources",
            written,
            differs(*columns),
        ),
    )


def of_entries(step: str) -> tuple[Change, ...]:
    """Return the changes of entries that have no number of their own in entry_changes.

    Those of important ones all count: most of what is learned is not important.
    """
    same, important = "OLD.revision = NEW.revision", "(OLD.important OR NEW.important)"
    rewritten = {
        "document_moves": f"{same} AND {differs(*DOCUMENT)}",
        "public_moves": f"{same} AND {differs(*PUBLIC)}",
        "important_moves": f"{important} AND {differs(*IMPORTANT)}",
    }
    return (
        Change(
            "entries_became_important",
            "INSERT ON entries",
            {"important_moves": step},
            "NEW.important",
        ),
        Change(
            "entries_rewritten",
            f"UPDATE OF document, {', '.join(IMPORTANT)} ON entries",
            {name: f"CASE WHEN {when} THEN {step} ELSE 0 END" for name, when in rewritten.items()},
            " OR ".join(rewritten.values()),
        ),
        Change(
            "entries_removed", "DELETE ON entries", dict.fromkeys(rewritten, step), each="STATEMENT"
        ),
    )


def changes(step: str) -> tuple[Change, ...]:
    """Return all changes."""
    return of_sources(step) + of_entries(step)


def upgrade() -> None:
    """Go forward."""
    number = sa.BigInteger()
    op.create_table(
        "catalog_totals",
        sa.Column("id", number.with_variant(sa.Integer(), "sqlite"), nullable=False),
        *(
            sa.Column(name, number, server_default=sa.text("0"), nullable=False)
            for name in TOTALS + MOVES
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_totals")),
    )
    op.add_column(
        "fetch_facts", sa.Column("moves", number, server_default=sa.text("0"), nullable=False)
    )
    facts = {"columns": ", ".join(FACTS), "condition": differs(*FACTS)}
    if op.get_bind().dialect.name == "sqlite":
        for change in changes(STEP_ON_SQLITE):
            add_to_the_row(change)
        op.execute(FACTS_ON_SQLITE.format(**facts, step=STEP_ON_SQLITE))
    else:
        for change in changes(STEP_ON_POSTGRESQL):
            add_a_row(change)
        op.execute(FACTS_ON_POSTGRESQL.format(step=STEP_ON_POSTGRESQL))
        op.execute(FACTS_TRIGGER_ON_POSTGRESQL.format(**facts))
    op.execute(
        "INSERT INTO catalog_totals (sources, entries, important) SELECT COUNT(*),"
        " COALESCE(SUM(entry_count), 0), COALESCE(SUM(important_count), 0) FROM sources"
    )


def add_to_the_row(change: Change) -> None:
    """Make a trigger of SQLite, which adds to the one row."""
    updates = ", ".join(f"{name} = {name} + ({value})" for name, value in change.added.items())
    condition = change.condition or "TRUE"
    op.execute(
        ON_SQLITE.format(name=change.name, event=change.event, condition=condition, updates=updates)
    )


def add_a_row(change: Change) -> None:
    """Make a trigger of PostgreSQL, which adds a row and now and then puts rows together."""
    op.execute(
        ON_POSTGRESQL.format(
            name=change.name,
            columns=", ".join(change.added),
            values=", ".join(change.added.values()),
            all_columns=", ".join(TOTALS + MOVES),
            sums=", ".join(f"COALESCE(SUM({name}), 0)" for name in TOTALS + MOVES),
        )
    )
    op.execute(
        TRIGGER_ON_POSTGRESQL.format(
            name=change.name,
            event=change.event,
            each=change.each,
            condition=f"WHEN ({change.condition})" if change.condition else "",
        )
    )


def downgrade() -> None:
    """Go back."""
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for change in changes(STEP_ON_SQLITE):
        table = change.event.rpartition(" ON ")[2]
        op.execute(f"DROP TRIGGER {change.name}{'' if on_sqlite else f' ON {table}'}")
        if not on_sqlite:
            op.execute(f"DROP FUNCTION {change.name}()")
    op.execute(f"DROP TRIGGER facts_rewritten{'' if on_sqlite else ' ON fetch_facts'}")
    if not on_sqlite:
        op.execute("DROP FUNCTION facts_rewritten()")
    op.drop_column("fetch_facts", "moves")
    op.drop_table("catalog_totals")
