"""The database: one engine, sessions named by intent, migrations, and its faults in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker

from storage.sqlite import BEGIN, copy_database, integrity_faults, sqlite_engine

MIGRATION_LOCK = 0x6368_6772  # any number that no other program on the server uses


class DatabaseUnavailable(Exception):
    """The database cannot be used. The message says why and what to do."""


class Database:
    """Sessions on one database. Storage functions never commit; these blocks do."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        writing = engine.execution_options(**{BEGIN: "IMMEDIATE"})
        self._read = sessionmaker(engine)
        self._write = sessionmaker(writing)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give one view of the database; nothing is kept when the block ends."""
        with self._read() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Give one transaction: commits when the block ends, rolls back when it raises."""
        with self._write.begin() as session:
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_database(url: str) -> Database:
    """Connect to the database at a SQLAlchemy address and see that it answers.

    Raises DatabaseUnavailable with one sentence for the operator.
    """
    try:
        address = make_url(url)
        if address.get_backend_name() == "sqlite":
            _make_folder(address.database)
            engine = sqlite_engine(address)
        else:
            engine = create_engine(address, pool_pre_ping=True, pool_size=10, max_overflow=20)
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
        raise DatabaseUnavailable(
            f"CHANGEWIRE_DATABASE_URL is not an address of a database that this program knows "
            f"(sqlite:///… or postgresql+psycopg://…): {error}"
        ) from error
    with explained(engine), engine.connect() as connection:
        connection.execute(text("SELECT 1"))
    return Database(engine)


def _make_folder(file: str | None) -> None:
    if file is None or file == ":memory:":
        raise DatabaseUnavailable(
            "A database in memory is gone when a process ends; name a file: sqlite:////path/file.db"
        )
    try:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseUnavailable(
            f"The folder of the database {file} cannot be made: {error.strerror}."
        ) from error


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn a driver's error into DatabaseUnavailable with a sentence that says what to do."""
    try:
        yield
    except DBAPIError as error:
        where = engine.url.database or engine.url.render_as_string(hide_password=True)
        raise DatabaseUnavailable(_in_words(where, str(error.orig))) from error


def _in_words(where: str, fault: str) -> str:
    lowered = fault.lower()
    if "locked" in lowered:
        return (
            f"The database {where} is locked by another program; "
            "stop it or wait until it is done, then try again."
        )
    if "readonly" in lowered or "read-only" in lowered:
        return (
            f"The database {where} cannot be written; check who may write the file and its folder."
        )
    if "unable to open" in lowered:
        return f"The database {where} cannot be opened; check the path and who may read it."
    if "not a database" in lowered:
        return f"The file {where} is not a database; name another file in CHANGEWIRE_DATABASE_URL."
    if "disk" in lowered and "full" in lowered:
        return f"The disk that holds the database {where} is full; make room and try again."
    if "malformed" in lowered:
        return f"The database {where} is damaged; restore the newest backup."
    return f"The database {where} does not answer: {fault.splitlines()[0]}"


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    config.set_main_option("path_separator", "os")
    return config


def newest_revision() -> str:
    """Return the revision that this program's models are at."""
    head = ScriptDirectory.from_config(_migrations()).get_current_head()
    assert head is not None
    return head


def current_revision(database: Database) -> str | None:
    """Return the revision that the database is at; None for an empty one."""
    with explained(database.engine), database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def upgrade(database: Database) -> bool:
    """Bring the database to this program's revision under a lock; return whether it had to.

    Raises DatabaseUnavailable when the database is newer than this program.
    """
    before = current_revision(database)
    head = newest_revision()
    if before == head:
        return False
    _refuse_newer(before)
    writing = database.engine.execution_options(**{BEGIN: "EXCLUSIVE"})
    with explained(database.engine), writing.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        config = _migrations()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return True


def require_current(database: Database) -> None:
    """Raise DatabaseUnavailable unless the database is at this program's revision."""
    found = current_revision(database)
    if found == newest_revision():
        return
    _refuse_newer(found)
    raise DatabaseUnavailable(
        "The database is empty or from an older version; run: changewire db upgrade"
    )


def _refuse_newer(revision: str | None) -> None:
    if revision is None:
        return
    try:
        ScriptDirectory.from_config(_migrations()).get_revision(revision)
    except CommandError as error:
        raise DatabaseUnavailable(
            f"The database is at revision {revision}, which a newer Changewire made; "
            "run that version, or restore a backup from before the upgrade."
        ) from error


def faults(database: Database) -> list[str]:
    """Return what is wrong with the database: its revision, its integrity."""
    try:
        require_current(database)
    except DatabaseUnavailable as error:
        return [str(error)]
    with explained(database.engine), database.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            return integrity_faults(connection)
        off = [
            name
            for name in ("fsync", "full_page_writes", "synchronous_commit")
            if connection.execute(text(f"SHOW {name}")).scalar_one() == "off"
        ]
    return [f"{name} is off: a crash can lose what was acknowledged" for name in off]


def backup(database: Database, target: Path) -> None:
    """Write a consistent copy of a SQLite database; PostgreSQL has pg_dump for it.

    Raises DatabaseUnavailable when the target exists or the database is not SQLite.
    """
    if database.engine.dialect.name != "sqlite":
        raise DatabaseUnavailable("This copies SQLite only; on PostgreSQL run pg_dump -Fc.")
    if target.exists():
        raise DatabaseUnavailable(f"{target} exists already; name a new file.")
    if not target.parent.is_dir():
        raise DatabaseUnavailable(f"The folder {target.parent} does not exist.")
    with explained(database.engine), database.engine.connect() as connection:
        copy_database(connection, target)
