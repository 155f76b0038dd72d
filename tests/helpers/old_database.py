"""A database of revision 0034, as the last migration before the first schema left it."""

from pathlib import Path

from procrastinate.schema import SchemaManager
from sqlalchemy import text

from storage.engine.database import Database, on_postgresql

FOLDER = Path(__file__).parent / "revision_0034"
ROWS = (
    "INSERT INTO accounts (id, email, plan, diffs_addon, created_at)"
    " VALUES (1, 'ada@acme.example', 'all', true, '2026-11-01 00:00:00.000000')",
    "INSERT INTO sources (id, slug, vendor, name, name_folded, kind, changelog_url, adapter_type,"
    " tags, prominence, health, entry_count, important_count) VALUES (7, 'acme.mail', 'acme',"
    " 'Mail', 'mail', 'changelog', 'https://acme.example/', 'rss', :json, 0, 'unknown', 1, 0)",
    "INSERT INTO entries (id, source_id, external_id, published_at, title, content_hash, revision,"
    " first_seen_at, changed_at, important, importance_version, document, public_document)"
    " VALUES (9, 7, 'one', '2026-11-01 00:00:00.000000', 'One', 'x', 1,"
    " '2026-11-01 00:00:00.000000', '2026-11-01 00:00:00.000000', false, 1, :json, :json)",
    "INSERT INTO entry_revisions (entry_id, revision, replaced_at, document)"
    " VALUES (9, 1, '2026-11-02 00:00:00.000000', :json)",
    "INSERT INTO entry_deadlines (entry_id, place, kind, first_day, last_day, evidence)"
    " VALUES (9, 1, 'removal', '2026-12-24', '2026-12-24', 'It goes on 24 December')",
    "INSERT INTO earlier_deadlines (entry_id, place, kind, first_day, last_day, evidence,"
    " replaced_at) VALUES (9, 1, 'removal', '2026-12-01', '2026-12-01', 'It goes on 1 December',"
    " '2026-11-02 00:00:00.000000')",
    "UPDATE entries SET revision = 2, title = 'Two', changed_at = '2026-11-02 00:00:00.000000'",
)
ENTRY = b'{"id":"one","source":"acme.mail","title":"The end of life"}'


def make_0034(database: Database) -> None:
    """Make the schema of 0034 in an empty database, with an account, a source and an entry."""
    script = FOLDER / f"{database.engine.dialect.name}.sql"
    with database.engine.begin() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        if on_postgresql(database.engine):
            driver.execute(SchemaManager.get_schema())
        for statement in script.read_text(encoding="utf-8").split(";\n"):
            driver.execute(statement)
        for row in ROWS:
            connection.execute(text(row), {"json": ENTRY if "INTO entries" in row else b"{}"})
