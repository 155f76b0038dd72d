"""The triggers of the first schema, as SQL: numbers of changes, and totals of the catalog.

``entry_changes`` gets a row for each new entry and each edit. Followers keep the last number they
saw, so a number must never become visible after a higher one. SQLite has one writer at a time. On
PostgreSQL a lock is held from before the first key of a statement until the transaction ends; a
sequence alone would not do, since the transaction that took its number first may commit last. A
number is the next one or the microseconds since 1970, whichever is more, so that it is new even
after a backup was restored. SQLite's ``sqlite_sequence`` is only updated when a statement ends, so
the table itself is asked as well.

``catalog_totals`` is one row on SQLite. On PostgreSQL each change adds a row, because transactions
that update one shared row wait for each other; the sum counts, and one change in fifty merges the
rows it sees. The ``moves`` go up by random steps, so that a restored backup does not reach the same
number with other content.
"""

from collections.abc import Iterator
from typing import NamedTuple

NUMBERS_ON_SQLITE = """
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
NUMBERS_ON_POSTGRESQL = """
CREATE TRIGGER {name} AFTER {event} ON entries FOR EACH ROW {condition}
EXECUTE FUNCTION number_entry_change()
"""
NUMBERED = (
    ("entries_learned", "INSERT", ""),
    ("entries_edited", "UPDATE OF revision", "WHEN (OLD.revision <> NEW.revision)"),
)
NEWEST_ON_SQLITE = """
CREATE TRIGGER entry_changes_numbered AFTER INSERT ON entry_changes FOR EACH ROW
BEGIN
    UPDATE sources SET newest_change = NEW.number WHERE id = NEW.source_id;
END
"""
FUNCTIONS_ON_POSTGRESQL = """
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
$$;
CREATE FUNCTION keep_newest_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entry_changes WHERE source_id = NEW.source_id AND number > NEW.number
    ) THEN
        UPDATE sources SET newest_change = NEW.number WHERE id = NEW.source_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER entry_changes_numbered AFTER INSERT ON entry_changes
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_newest_change()
"""  # deferred: only the newest change of a transaction writes the source
MOVES = ("catalog_moves", "sample_moves", "document_moves", "public_moves", "important_moves")
TOTALS = ("sources", "entries", "important", "unlisted", "unlisted_important", *MOVES)
STEP = {
    "sqlite": "1 + (random() & 1073741823)",
    "postgresql": "1 + floor(random() * 1073741824)::bigint",
}
TOTALS_ON_SQLITE = """
CREATE TRIGGER {name} AFTER {event} FOR EACH ROW WHEN {condition}
BEGIN
    UPDATE catalog_totals SET {updates};
END
"""
TOTALS_ON_POSTGRESQL = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_totals ({columns}) VALUES ({values});
    IF random() < 0.02 AND pg_try_advisory_xact_lock(1668180840) THEN
        WITH seen AS (DELETE FROM catalog_totals RETURNING *)
        INSERT INTO catalog_totals ({all_columns}) SELECT {sums} FROM seen;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER {name} AFTER {event} FOR EACH {each} {condition} EXECUTE FUNCTION {name}()
"""
FACTS_ON_SQLITE = """
CREATE TRIGGER facts_rewritten AFTER UPDATE OF {columns} ON fetch_facts FOR EACH ROW
WHEN {condition}
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
$$;
CREATE TRIGGER facts_rewritten BEFORE UPDATE OF {columns} ON fetch_facts FOR EACH ROW
WHEN {condition} EXECUTE FUNCTION facts_rewritten()
"""
FACTS = (
    *("interval", "fail_score", "failures", "empty_streak", "first_attempt_at", "last_attempt_at"),
    *("last_success_at", "last_failure", "last_status", "entries_180d", "median_gap"),
    *("newest_published_at", "open_gap"),
)
CATALOG = (
    *("slug", "vendor", "name", "kind", "homepage", "changelog_url", "adapter_type", "tags"),
    *("tier", "aliases"),
)
CHOICE = ("slug", "vendor", "prominence", "health", "tier")
PLACE = ("published_at", "external_id", "source_id")
IMPORTANT = ("important", "importance", "revision", "public_document", *PLACE)
PACKAGES = {
    "sqlite": (("source_packages_insert", "INSERT"), ("source_packages_delete", "DELETE")),
    "postgresql": (("source_packages_moved", "INSERT OR DELETE"),),
}
UNLISTED = "CASE WHEN {row}.listed THEN 0 ELSE 1 END"
UNLISTED_IMPORTANT = "CASE WHEN {row}.important AND NOT {row}.listed THEN 1 ELSE 0 END"


class Change(NamedTuple):
    """An event that moves totals, what each gets added, and on what condition."""

    name: str
    event: str
    added: dict[str, str]
    condition: str = "TRUE"
    each: str = "ROW"  # on PostgreSQL; SQLite has triggers for rows only


def differs(*columns: str) -> str:
    """Return the condition that one of some columns has changed."""
    return f"({' OR '.join(f'OLD.{each} IS DISTINCT FROM NEW.{each}' for each in columns)})"


def changes(dialect: str) -> Iterator[Change]:
    """Yield what moves the totals."""
    step = STEP[dialect]
    moved = dict.fromkeys(("catalog_moves", "sample_moves"), step)
    new = {"sources": "1", "entries": "NEW.entry_count", "important": "NEW.important_count"}
    old = {"sources": "-1", "entries": "-OLD.entry_count", "important": "-OLD.important_count"}
    counted = {
        "entries": "NEW.entry_count - OLD.entry_count",
        "important": "NEW.important_count - OLD.important_count",
    }
    counts = ("entry_count", "important_count")
    yield Change("sources_added", "INSERT ON sources", new | moved)
    yield Change("sources_removed", "DELETE ON sources", old | moved)
    yield Change(
        "sources_counted", f"UPDATE OF {', '.join(counts)} ON sources", counted, differs(*counts)
    )
    rewritten = {"catalog_moves": differs(*CATALOG), "sample_moves": differs(*CHOICE)}
    yield _rewritten("sources", dict.fromkeys((*CATALOG, *CHOICE)), rewritten, step)
    for name, event in PACKAGES[dialect]:
        added = {"catalog_moves": step}
        yield Change(name, f"{event} ON source_packages", added, each="STATEMENT")
    yield Change(
        "entries_became_important",
        "INSERT ON entries",
        {"important_moves": step},
        "NEW.important",
    )
    same = "OLD.revision = NEW.revision"  # an edit has a number in entry_changes
    rewritten = {
        "document_moves": f"{same} AND {differs('document', *PLACE)}",
        "public_moves": f"{same} AND {differs('public_document', *PLACE)}",
        "important_moves": f"(OLD.important OR NEW.important) AND {differs(*IMPORTANT)}",
    }
    yield _rewritten("entries", dict.fromkeys(("document", *IMPORTANT)), rewritten, step)
    removed = dict.fromkeys(rewritten, step)
    yield Change("entries_removed", "DELETE ON entries", removed, each="STATEMENT")
    yield from _listing_changes(step)


def _rewritten(
    table: str, columns: dict[str, None], conditions: dict[str, str], step: str
) -> Change:
    added = {name: f"CASE WHEN {when} THEN {step} ELSE 0 END" for name, when in conditions.items()}
    event = f"UPDATE OF {', '.join(columns)} ON {table}"
    return Change(f"{table}_rewritten", event, added, " OR ".join(conditions.values()))


def _listing_changes(step: str) -> Iterator[Change]:
    texts = {"unlisted": UNLISTED, "unlisted_important": UNLISTED_IMPORTANT}
    new = {name: text.format(row="NEW") for name, text in texts.items()}
    old = {name: text.format(row="OLD") for name, text in texts.items()}
    removed = {name: f"-({value})" for name, value in old.items()}
    changed = {name: f"{new[name]} - {old[name]}" for name in texts}
    changed |= {"public_moves": step, "important_moves": step}
    yield Change("unlisted_added", "INSERT ON entries", new, "NOT NEW.listed")
    yield Change("unlisted_removed", "DELETE ON entries", removed, "NOT OLD.listed")
    yield Change(
        "unlisted_changed",
        "UPDATE OF listed, important ON entries",
        changed,
        f"{differs('listed')} OR ({differs('important')} AND NOT NEW.listed)",
    )


def triggers(dialect: str) -> Iterator[str]:
    """Yield the statements that make the triggers of a database."""
    on_sqlite = dialect == "sqlite"
    if not on_sqlite:
        yield FUNCTIONS_ON_POSTGRESQL
    numbers = NUMBERS_ON_SQLITE if on_sqlite else NUMBERS_ON_POSTGRESQL
    for name, event, condition in NUMBERED:
        yield numbers.format(name=name, event=event, condition=condition)
    if on_sqlite:
        yield NEWEST_ON_SQLITE
    for change in changes(dialect):
        yield _on_sqlite(change) if on_sqlite else _on_postgresql(change)
    facts = FACTS_ON_SQLITE if on_sqlite else FACTS_ON_POSTGRESQL
    yield facts.format(columns=", ".join(FACTS), condition=differs(*FACTS), step=STEP[dialect])


def _on_sqlite(change: Change) -> str:
    updates = ", ".join(f"{name} = {name} + ({value})" for name, value in change.added.items())
    name, event, condition = change.name, change.event, change.condition
    return TOTALS_ON_SQLITE.format(name=name, event=event, condition=condition, updates=updates)


def _on_postgresql(change: Change) -> str:
    return TOTALS_ON_POSTGRESQL.format(
        name=change.name,
        columns=", ".join(change.added),
        values=", ".join(change.added.values()),
        all_columns=", ".join(TOTALS),
        sums=", ".join(f"COALESCE(SUM({name}), 0)" for name in TOTALS),
        event=change.event,
        each=change.each,
        condition="" if change.each == "STATEMENT" else f"WHEN ({change.condition})",
    )
