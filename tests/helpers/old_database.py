"""A database at the first revision, with rows."""

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from storage.engine.database import Database
from storage.engine.sqlite import MIGRATING

FIRST = "1001"
ROWS = (
    "INSERT INTO accounts (id, email, plan, diffs_addon, created_at)"
    " VALUES (1, 'ada@acme.example', 'all', true, '2026-11-01 00:00:00.000000')",
    "INSERT INTO sources (id, slug, vendor, name, kind, changelog_url, adapter_type,"
    " tags, prominence, health, entry_count, important_count) VALUES (7, 'acme.mail', 'acme',"
    " 'Mail', 'changelog', 'https://acme.example/', 'rss', :json, 0, 'unknown', 1, 0)",
    "INSERT INTO entries (id, source_id, external_id, published_at, title, content_hash, revision,"
    " first_seen_at, changed_at, important, importance_version, document, public_document)"
    " VALUES (9, 7, 'one', '2026-11-01 00:00:00.000000', 'One', 'x', 1,"
    " '2026-11-01 00:00:00.000000', '2026-11-01 00:00:00.000000', false, 1, :json, :json)",
    "UPDATE entries SET revision = 2, title = 'Two', changed_at = '2026-11-02 00:00:00.000000'",
)


def make_old(database: Database, revision: str = FIRST) -> None:
    """Make the schema of a revision in an empty database."""
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        command.upgrade(config, revision)


def make_first(database: Database) -> None:
    """Make the first schema, with an account, a source and an entry of two revisions."""
    make_old(database)
    with database.engine.begin() as connection:
        for row in ROWS:
            connection.execute(text(row), {"json": b"{}"} if ":json" in row else {})
