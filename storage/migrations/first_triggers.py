"""The triggers of the first schema, as SQL: the numbers of changes.

``entry_changes`` gets a row for each new entry and each edit. Followers keep the last number they
saw, so a number must never become visible after a higher one. SQLite has one writer at a time. On
PostgreSQL a lock is held from before the first key of a statement until the transaction ends; a
sequence alone would not do, since the transaction that took its number first may commit last. A
number is the next one or the microseconds since 1970, whichever is more, so that it is new even
after a backup was restored. SQLite's ``sqlite_sequence`` is only updated when a statement ends, so
the table itself is asked as well.
"""

from collections.abc import Iterator

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
CREATE TRIGGER {name} AFTER {event} ON entries FOR EACH ROW {condition}
EXECUTE FUNCTION number_entry_change()
"""
NUMBERED = (
    ("entries_learned", "INSERT", ""),
    ("entries_edited", "UPDATE OF revision", "WHEN (OLD.revision <> NEW.revision)"),
)
FUNCTION_ON_POSTGRESQL = """
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


def triggers(dialect: str) -> Iterator[str]:
    """Yield the statements that make the triggers of a database."""
    if dialect == "postgresql":
        yield FUNCTION_ON_POSTGRESQL
    template = ON_SQLITE if dialect == "sqlite" else ON_POSTGRESQL
    for name, event, condition in NUMBERED:
        yield template.format(name=name, event=event, condition=condition)
