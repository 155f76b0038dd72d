"""SQLite: its driver, its pragmas, how a transaction begins, and its errors in words.

The driver is pysqlite3, because the SQLite of most Pythons (3.7.0 to 3.51.2) can corrupt a
database in WAL mode when one connection checkpoints while another commits.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2 as driver
from sqlalchemy import URL, BindParameter, Engine, create_engine, event
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

SAFE_IN_WAL_MODE = (3, 51, 3)
BUSY_TIMEOUT_MS = 10_000
BEGIN = "changewire_begin"
WRITING = {BEGIN: "IMMEDIATE"}
MIGRATING = {BEGIN: "EXCLUSIVE"}
_TERMS = "CREATE VIRTUAL TABLE temp.entry_terms USING fts5vocab(main, entry_words, instance)"


class _Compiler(SQLiteCompiler):
    """Writes LIMIT and OFFSET as sums with 0, so that SQLite does not plan by their values.

    It would plan a statement anew for each execution: 600 of the 700 microseconds that it takes for
    a page of entries of 100 sources.
    """

    def limit_clause(self, select: Any, **options: Any) -> str:
        """Return the SQL of LIMIT and OFFSET."""
        compiler: Any = super()  # SQLAlchemy's compiler has no types
        text: str = compiler.limit_clause(select, of_limit=True, **options)
        return text

    def visit_bindparam(
        self, bindparam: BindParameter[Any], *args: Any, of_limit: bool = False, **options: Any
    ) -> str:
        """Return the SQL of a value."""
        compiler: Any = super()  # as above
        text: str = compiler.visit_bindparam(bindparam, *args, **options)
        return f"{text} + 0" if of_limit else text

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        """Return what Select.with_hint says of a table, such as NOT INDEXED."""
        return text


def sqlite_engine(url: URL) -> Engine:
    """Return an engine on a SQLite file in WAL mode, every commit on disk before it returns.

    Raises RuntimeError when the linked SQLite is one that can corrupt such a file.
    """
    if driver.sqlite_version_info < SAFE_IN_WAL_MODE:
        raise RuntimeError(
            f"SQLite {driver.sqlite_version} can corrupt a database in WAL mode; "
            "install pysqlite3 0.6.1 or newer, which brings 3.51.3 or newer."
        )
    engine = create_engine(
        url,
        module=driver,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
        pool_use_lifo=True,  # one connection, with its caches, is used rather than all in turn
        hide_parameters=True,  # errors are logged, values are not
    )
    engine.dialect.statement_compiler = _Compiler
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    handle: Any = connection
    handle.isolation_level = None  # the driver's own BEGIN comes too late and is never IMMEDIATE
    cursor = handle.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "cache_size = -4096",  # KiB; in half of that, pages of entries push each other out
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.execute(_TERMS)
    cursor.close()


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get(BEGIN, "DEFERRED")
    if mode == "DEFERRED":  # takes no lock and cannot fail: needs no error handling
        handle: Any = connection.connection.driver_connection
        handle.execute("BEGIN DEFERRED")
    else:
        connection.exec_driver_sql(f"BEGIN {mode}")


def integrity_faults(connection: Connection) -> list[str]:
    """Return what ``PRAGMA integrity_check`` and ``foreign_key_check`` report."""
    rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    faults = [str(row) for row in rows if row != "ok"]
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return faults + [f"{row[0]}: a row refers to a missing row of {row[2]}" for row in orphans]


def copy_database(connection: Connection, target: Path) -> None:
    """Write a consistent copy while others go on reading and writing (SQLite backup API)."""
    handle: Any = connection.connection.driver_connection
    copy = driver.connect(str(target))
    try:
        handle.backup(copy, pages=1000)
    finally:
        copy.close()


def replace_database(connection: Connection, source: Path) -> None:
    """Put a file's content in the place of a database's, in one transaction of SQLite's."""
    handle: Any = connection.connection.driver_connection
    copy = driver.connect(str(source))
    try:
        copy.backup(handle)
    finally:
        copy.close()


def error_message(file: str, error: BaseException | None) -> str:
    """Return a sentence for the operator about what the driver raised."""
    fault = str(error)
    lowered = fault.lower()
    if "locked" in lowered:
        return (
            f"The database {file} is locked by another program; "
            "stop it or wait until it is done, then try again."
        )
    if "readonly" in lowered or "read-only" in lowered:
        return (
            f"The database {file} cannot be written; check who may write the file and its folder."
        )
    if "unable to open" in lowered:
        return f"The database {file} cannot be opened; check the path and who may read it."
    if "not a database" in lowered:
        return f"The file {file} is not a database; name another file in CHANGEWIRE_DATABASE_URL."
    if "disk" in lowered and "full" in lowered:
        return f"The disk that holds the database {file} is full; make room and try again."
    if "i/o error" in lowered:
        return f"The disk that holds the database {file} takes nothing or gives nothing: {fault}."
    if "malformed" in lowered:
        return f"The database {file} is damaged; restore the newest backup."
    return f"The database {file} does not answer: {fault.splitlines()[0]}"


class WriteQueue:
    """Writers of one process take turns in the order in which they came, with a deadline.

    SQLite lets writers that wait try again at random times: under a burst one may never get its
    turn.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock while the block runs. Raises OperationalError, as a locked file does."""
        begins = threading.Event()
        with self._lock:
            if self._is_taken:
                self._waiting.append(begins)
            else:
                self._is_taken = True
                begins.set()
        if not begins.wait(self._patience):
            with self._lock:
                if not begins.is_set():  # else it was handed on at the last moment
                    self._waiting.remove(begins)
                    locked = driver.OperationalError("database is locked")
                    raise OperationalError(None, None, locked)
        try:
            yield
        finally:
            with self._lock:
                if self._waiting:
                    self._waiting.popleft().set()
                else:
                    self._is_taken = False
