"""Databases of earlier revisions, with rows."""

from importlib import import_module
from pathlib import Path

from alembic import command
from alembic.config import Config

from storage.engine.database import Database
from storage.engine.sqlite import MIGRATING

FIRST = "1001"
DUMPS = Path(__file__).parents[1] / "storage/migrations/dumps"
"""Made by ``sqlite3 FILE .dump`` and ``pg_dump --inserts``, without Procrastinate's schema."""


def load_dump(database: Database, name: str = FIRST) -> None:
    """Load what another version stored into an empty database."""
    dialect = database.engine.dialect.name
    script = (DUMPS / f"{name}.{dialect}.sql").read_text()
    if dialect == "postgresql":
        queue = import_module("procrastinate.schema")
        script = queue.SchemaManager.get_schema() + script
    handle = database.engine.raw_connection()
    getattr(handle.driver_connection, "executescript", handle.cursor().execute)(script)
    handle.commit()
    handle.close()


def make_old(database: Database, revision: str) -> None:
    """Make the schema of a revision in an empty database."""
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        command.upgrade(config, revision)
