"""Move a database of revision 0034 to the first schema. Delete this module at 1.0.0.

When you change a table, column, index or trigger of the first schema, add the statement that does
the same here: to GONE where both databases take it, else to ON_SQLITE and ON_POSTGRESQL. On SQLite,
drop the indexes and triggers of a column before the column.
"""

from typing import Final

from sqlalchemy import Connection, inspect, select
from sqlalchemy.orm import Session

from storage.engine.database import MOVED
from storage.entries.deadlines import conclude_deadlines
from storage.entries.search.index import index_all
from storage.models import Base, Source

GONE: Final[tuple[str, ...]] = (
    "DROP TABLE operator_actions",
    "DROP TABLE passkeys",
    "DROP TABLE terminal_requests",
    "DROP TABLE read_marks",
    "DROP TABLE reading_positions",
    "DELETE FROM account_events WHERE kind IN ('passkey_added', 'passkey_removed')",
    "DROP TABLE seen_items",
    "DROP TABLE hub_subscriptions",
    "DROP TABLE hub_pushes",
    "DROP TABLE feed_pings",
    "DROP INDEX ix_sources_adapter_type",
    "DROP INDEX ix_sources_counts",
    "DROP INDEX ix_sources_kind",
    "ALTER TABLE sources DROP COLUMN name_folded",
    "DROP INDEX ix_entries_not_indexed",
    "ALTER TABLE entries DROP COLUMN indexed_revision",
    "ALTER TABLE stack_parts DROP COLUMN saved_at",
    "DROP TABLE catalog_totals",
    "ALTER TABLE sources DROP COLUMN newest_change",
    "ALTER TABLE fetch_facts DROP COLUMN moves",
    "DROP INDEX ix_entries_listed_categories",
    "ALTER TABLE fetch_facts ADD COLUMN checks INTEGER DEFAULT 0 NOT NULL",
    "CREATE INDEX ix_entry_revisions_replaced_at ON entry_revisions (replaced_at, entry_id)",
)
COUNTING: Final = (
    *("sources_added", "sources_removed", "sources_counted", "sources_rewritten"),
    *("entries_became_important", "entries_rewritten", "entries_removed"),
    *("unlisted_added", "unlisted_removed", "unlisted_changed", "facts_rewritten"),
)
"""Triggers, and on PostgreSQL their functions, that kept totals and numbers of states."""

ON_SQLITE: Final[tuple[str, ...]] = (
    "ALTER TABLE accounts ADD COLUMN visited_at DATETIME",
    "ALTER TABLE accounts ADD COLUMN looks_up BOOLEAN DEFAULT TRUE NOT NULL",
    "ALTER TABLE sources ADD COLUMN on_demand BOOLEAN DEFAULT FALSE NOT NULL",
    "CREATE INDEX ix_sources_on_demand ON sources (id) WHERE on_demand = 1",
    *(
        f"DROP TRIGGER {name}"
        for name in (
            *COUNTING,
            *("source_packages_insert", "source_packages_delete", "entry_changes_numbered"),
        )
    ),
)
ON_POSTGRESQL: Final[tuple[str, ...]] = (
    "ALTER TABLE accounts ADD COLUMN visited_at TIMESTAMP WITH TIME ZONE",
    "ALTER TABLE accounts ADD COLUMN looks_up BOOLEAN DEFAULT TRUE NOT NULL",
    "ALTER TABLE sources ADD COLUMN on_demand BOOLEAN DEFAULT FALSE NOT NULL",
    "CREATE INDEX ix_sources_on_demand ON sources (id) WHERE on_demand",
    "DROP FUNCTION order_entry_keys CASCADE",
    *(
        f"DROP FUNCTION {name} CASCADE"
        for name in (*COUNTING, "source_packages_moved", "keep_newest_change")
    ),
    "DROP INDEX ix_entry_words",
    "ALTER TABLE entry_words ALTER COLUMN words TYPE tsvector"
    " USING array_to_tsvector(string_to_array(words, ' '))",
    "CREATE INDEX ix_entry_words ON entry_words USING gin (words)"
    " WITH (gin_pending_list_limit = 256)",
)

OLD_DEADLINES: Final = (
    "CREATE TEMPORARY TABLE stated AS"
    " SELECT entry_id, place, kind, first_day, last_day, evidence, replaced_at"
    " FROM earlier_deadlines"
    " WHERE (entry_id, place) IN (SELECT entry_id, place FROM entry_deadlines)"
    " UNION ALL SELECT entry_id, place, kind, first_day, last_day, evidence, NULL"
    " FROM entry_deadlines",
    "DROP TABLE earlier_deadlines",
    "DROP TABLE entry_deadlines",
)
NEW_DEADLINES: Final = (
    "INSERT INTO entry_deadlines"
    " (entry_id, place, kind, first_day, last_day, evidence, replaced_at) SELECT * FROM stated",
    "DROP TABLE stated",
)


def move(connection: Connection) -> None:
    """Drop what the first schema lacks, if the database is at revision 0034; rows stay.

    Deadlines are concluded, and entries indexed again: 0034 had no words for phrases.
    """
    if not inspect(connection).has_table("alembic_version"):
        return
    if connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() != MOVED:
        return
    own = ON_SQLITE if connection.dialect.name == "sqlite" else ON_POSTGRESQL
    for statement in (*own, *GONE, *OLD_DEADLINES):
        connection.exec_driver_sql(statement)
    for table in ("entry_deadlines", "package_lookups", "on_demand_uses"):
        Base.metadata.tables[table].create(connection)
    for statement in (*NEW_DEADLINES, "UPDATE alembic_version SET version_num = '1002'"):
        connection.exec_driver_sql(statement)
    with Session(connection) as session:
        conclude_deadlines(session, session.scalars(select(Source.id)).all())
        index_all(session)
