"""The database: its engine, sessions for reading and for writing, and migrations.

The name of a revision says which programs may use it (docs/decisions/0048).
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from importlib.resources import files
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection, Engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker

from storage.engine import postgresql, sqlite
from storage.engine.postgresql import DIRECT, Connections
from storage.engine.retry import retry_transaction

REVISION: Final = re.compile(r"(\d{4})(?:_from_(\d{4}))?", re.ASCII)
"""The number of a revision and, where it has one, that of the oldest program for it."""

KNOWN_REVISIONS: Final = sorted(
    name[0]
    for file in files("storage.migrations").joinpath("versions").iterdir()
    if (name := REVISION.match(file.name, 1))
)
"""The revisions that this program has a migration for. Reading the migrations would take longer."""
NEWEST_REVISION: Final = KNOWN_REVISIONS[-1]  # the revision that this program's models are at

log = structlog.get_logger(__name__)

MIGRATION_LOCK = 0x6368_6772  # any number that no other program on the server uses
_shared_view = ContextVar[tuple[object, ExitStack, list[Session]] | None]("view", default=None)


class DatabaseUnavailable(Exception):
    """The database cannot be used. The message says why and what to do."""

    exit_status = 1


class Database:
    """Sessions on one database. Storage functions never commit; these blocks do."""

    def __init__(self, engine: Engine, connections: Connections = DIRECT) -> None:
        self.engine = engine
        self.connections = connections
        self.info: dict[str, object] = {}
        """The ``info`` of every session; set before the first one is opened."""
        dialect = postgresql if on_postgresql(engine) else sqlite
        self._reading = engine if dialect is sqlite else engine.execution_options(**dialect.READING)
        self._write = sessionmaker(engine.execution_options(**dialect.WRITING))
        patience = sqlite.BUSY_TIMEOUT_MS / 1000
        self._queue = None if on_postgresql(engine) else sqlite.WriteQueue(patience)

    def read(self) -> AbstractContextManager[Session]:
        """Open one view of the database, for reading only."""
        shared = _shared_view.get()
        if shared is None or shared[0] is not self:
            return self._view()
        _, stack, opened = shared
        if not opened:
            opened.append(stack.enter_context(self._view()))
        return nullcontext(opened[0])

    @contextmanager
    def _view(self) -> Iterator[Session]:
        """Begin at once, on a connection that the session need not look up for each query."""
        with self._reading.connect() as connection:
            connection.begin()
            session = Session(connection, info=self.info)
            try:
                yield session
            finally:
                if session.in_transaction():  # else it holds nothing
                    session.close()

    @contextmanager
    def one_view(self) -> Iterator[None]:
        """Read one snapshot over one connection inside the block, taken by the first read.

        Nothing inside may write: it would hold a second connection while it waits for a lock.
        """
        with ExitStack() as stack:
            token = _shared_view.set((self, stack, []))
            try:
                yield
            finally:
                _shared_view.reset(token)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open one transaction, which commits when the block ends and rolls back when it raises."""
        turn = nullcontext() if self._queue is None else self._queue.turn()
        with turn, self._write.begin() as session:
            session.info.update(self.info)
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def on_postgresql(engine: Engine) -> bool:
    """Return True for an engine on PostgreSQL, False for SQLite."""
    return engine.dialect.name == "postgresql"


def open_database(
    url: str, *, may_lose_writes: bool = False, make: bool = True, connections: Connections = DIRECT
) -> Database:
    """Connect to the database at a SQLAlchemy address and check that it answers and is safe.

    ``may_lose_writes`` opens one whose settings let a crash lose what was acknowledged. ``make``
    makes the file of one on SQLite where there is none. ``connections`` are those to PostgreSQL.
    Raises DatabaseUnavailable with one sentence for the operator.
    """
    try:
        engine = _engine_of(url, connections, make=make)
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError):
        unusable = DatabaseUnavailable(
            "CHANGEWIRE_DATABASE_URL is not an address of a database that this program knows "
            "(sqlite:///… or postgresql+psycopg://…); percent-encode special characters of a user "
            "or password, such as %40 for @"
        )
        unusable.exit_status = 2  # as of any wrong setting
        raise unusable from None
    try:
        _require_sound(engine, may_lose_writes=may_lose_writes)
    except DatabaseUnavailable:
        engine.dispose()
        raise
    return Database(engine, connections)


def _engine_of(url: str, connections: Connections, *, make: bool) -> Engine:
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        prepare_file(address.database, make=make)
        return sqlite.sqlite_engine(address)
    if url.count("@") > 1 or "@" in (address.database or ""):
        raise ArgumentError("more than one @: a password would end at the first, and be a host")
    if address.drivername in ("postgresql", "postgresql+psycopg"):
        return postgresql.postgresql_engine(address, connections)
    raise ArgumentError(f"{address.drivername} is neither of them")


def _require_sound(engine: Engine, *, may_lose_writes: bool) -> None:
    with explain_errors(engine), engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        if not on_postgresql(engine):
            return
        reasons = postgresql.incompatibilities(connection)
        lost = postgresql.unsafe_settings(connection)
    if reasons:
        raise DatabaseUnavailable(
            f"The database {engine.url.database} cannot be used: {'; '.join(reasons)}."
        )
    if lost and not may_lose_writes:
        raise DatabaseUnavailable(
            f"The database {engine.url.database} does not keep its promises: {'; '.join(lost)}. "
            "Turn it on, or accept the loss with CHANGEWIRE_DATABASE_MAY_LOSE_WRITES=true"
        )
    for setting in lost:
        log.warning("database does not keep its promises", setting=setting)


def prepare_file(file: str | None, *, make: bool) -> None:
    """Require a file, or make it for its owner alone: it holds addresses and secrets."""
    if file is None or file == ":memory:":
        raise DatabaseUnavailable(
            "A database in memory is gone when a process ends; name a file: sqlite:////path/file.db"
        )
    if file.startswith("file:"):  # a URI, which names no path
        return
    try:
        is_missing = not make and not Path(file).exists()
        has_folder = Path(file).parent.is_dir()
    except OSError as error:
        raise DatabaseUnavailable(f"{file} cannot be opened: {error.strerror}.") from error
    if is_missing:
        raise DatabaseUnavailable(
            f"There is no database {Path(file).absolute()}. Create it with: changewire db upgrade; "
            "or name another in CHANGEWIRE_DATABASE_URL."
        )
    if not has_folder:
        unusable = DatabaseUnavailable(
            f"There is no folder {Path(file).parent}. Create it or correct CHANGEWIRE_DATABASE_URL."
        )
        unusable.exit_status = 2
        raise unusable
    with suppress(OSError):  # it is there, or the driver says in words what is wrong
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, mode=0o600))


@contextmanager
def explain_errors(engine: Engine) -> Iterator[None]:
    """Turn a driver's error into DatabaseUnavailable with a sentence that says what to do."""
    try:
        yield
    except DBAPIError as error:
        where = engine.url.database or engine.url.render_as_string(hide_password=True)
        dialect = postgresql if on_postgresql(engine) else sqlite
        raise DatabaseUnavailable(dialect.error_message(where, error.orig)) from error


def is_compatible(program: str, database: str | None) -> bool:
    """Return True if a program may use a database, each at a revision; None is an empty database.

    It may at its own revision and at every newer one, unless that one's name asks for a program
    newer than this.
    """
    if program == database:
        return True
    mine, its = REVISION.fullmatch(program), REVISION.fullmatch(database or "")
    if mine is None or its is None:
        return False
    return its[1] > mine[1] and (its[2] or "") <= mine[1]


def current_revision(database: Database) -> str | None:
    """Return the revision that the database is at; None for an empty one."""
    with explain_errors(database.engine), database.engine.connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def upgrade(database: Database) -> bool:
    """Bring the database to this program's revision under a lock; return whether it had to.

    A newer database that this program may use stays as it is. Raises DatabaseUnavailable for one
    that it can neither use nor upgrade.
    """
    before = current_revision(database)
    if is_compatible(NEWEST_REVISION, before):
        return False
    refuse_unknown(before)
    with explain_errors(database.engine):
        return retry_transaction(lambda: _migrate(database.engine))  # a reader may be in its way


def _migrate(engine: Engine) -> bool:
    """Run the migrations that the database lacks."""
    from alembic import command  # docs/decisions/0076: most commands migrate nothing
    from alembic.config import Config

    with engine.execution_options(**sqlite.MIGRATING).begin() as connection:
        if on_postgresql(engine):
            postgresql.lock_for_migration(connection, MIGRATION_LOCK)
        if is_compatible(NEWEST_REVISION, _revision(connection)):
            return False  # another program, maybe a newer one, was first
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        command.upgrade(config, "head")
    return True


def is_current(database: Database) -> bool:
    """Return True for a database at this program's revision, or at one that it may use."""
    return is_compatible(NEWEST_REVISION, current_revision(database))


def require_current(database: Database) -> None:
    """Raise DatabaseUnavailable unless this program may use the database as it is."""
    revision = current_revision(database)
    if is_compatible(NEWEST_REVISION, revision):
        return
    refuse_unknown(revision)
    raise DatabaseUnavailable(
        "The database is empty or from an older version; run: changewire db upgrade"
    )


def refuse_unknown(revision: str | None) -> None:
    """Raise DatabaseUnavailable for a revision that this program can neither use nor upgrade."""
    if revision is None or revision in KNOWN_REVISIONS:
        return
    if is_compatible(NEWEST_REVISION, revision):
        return
    if REVISION.fullmatch(revision) and revision < KNOWN_REVISIONS[0]:
        raise DatabaseUnavailable(
            f"The database is at revision {revision}, which is too old to upgrade; "
            f"restore a newer backup, or start with an empty database."
        )
    raise DatabaseUnavailable(
        f"The database is at revision {revision}, which a newer Changewire made; "
        "run that version, or restore a backup from before the upgrade."
    )


def faults(database: Database) -> list[str]:
    """Return the problems of the database: its revision and integrity."""
    try:
        require_current(database)
    except DatabaseUnavailable as error:
        return [str(error)]
    with explain_errors(database.engine), database.engine.connect() as connection:
        if on_postgresql(database.engine):
            return postgresql.unsafe_settings(connection)
        return sqlite.integrity_faults(connection)
