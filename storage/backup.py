"""Copies of the whole database: written while it is in use, and put back.

A copy of SQLite is a database file; a copy of PostgreSQL is an archive of pg_dump, made and read
by PostgreSQL's own programs, which have to be on the machine.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pysqlite3.dbapi2 import Error
from sqlalchemy import URL, Connection

from storage import sqlite
from storage.database import (
    Database,
    DatabaseUnavailable,
    current_revision,
    explained,
    on_postgresql,
    open_database,
    refuse_newer,
)


def backup(database: Database, target: Path) -> None:
    """Write a consistent copy to a new file while others go on reading and writing.

    The file is for its owner alone: it holds addresses and secrets. Raises DatabaseUnavailable
    when the file exists or the copy cannot be made; then there is no file.
    """
    if target.exists():
        raise DatabaseUnavailable(f"{target} exists already; name a new file.")
    if not target.parent.is_dir():
        raise DatabaseUnavailable(f"The folder {target.parent} does not exist.")
    with suppress(OSError):  # what copies says why it cannot write there
        target.touch(mode=0o600)
    try:
        _copy(database, target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _copy(database: Database, target: Path) -> None:
    if on_postgresql(database.engine):
        arguments = ["--format=custom", "--no-owner", "--file", str(target)]
        _run("pg_dump", arguments, database.engine.url)
        return
    with _open(database, f"The copy {target} cannot be made") as connection:
        sqlite.copy_database(connection, target)


@contextmanager
def _open(database: Database, trouble: str) -> Iterator[Connection]:
    """Give a connection whose driver's faults are told, ``trouble`` first."""
    with explained(database.engine), database.engine.connect() as connection:
        try:
            yield connection
        except Error as error:
            raise DatabaseUnavailable(f"{trouble}: {error}.") from error


def restore(database: Database, source: Path, *, kept: Path | None) -> None:
    """Put a copy in the place of everything that is in the database, in one go.

    What was there is first copied to ``kept``, unless that is None. Who reads goes on reading
    and sees the old state or the new one. Raises DatabaseUnavailable, with nothing changed, when
    the file is not a copy of a database that this program knows.
    """
    if not source.is_file():
        raise DatabaseUnavailable(f"{source} is not a file.")
    if on_postgresql(database.engine):
        _require_known(_revision_in_archive(source), source)
    else:
        _require_sound(source)
    if kept is not None:
        backup(database, kept)
    if on_postgresql(database.engine):
        once = ["--clean", "--if-exists", "--no-owner", "--single-transaction"]
        address = database.engine.url
        _run("pg_restore", [*once, f"--dbname={address.database}", str(source)], address)
        return
    with _open(database, f"{source} cannot be put back") as connection:
        sqlite.replace_database(connection, source)


def _require_sound(file: Path) -> None:
    copy = open_database(f"sqlite:///{file.absolute()}")
    try:
        _require_known(current_revision(copy), file)
        with explained(copy.engine), copy.engine.connect() as connection:
            faults = sqlite.integrity_faults(connection)
    finally:
        copy.close()
    if faults:
        raise DatabaseUnavailable(f"{file} is damaged: {'; '.join(faults[:3])}")


def _require_known(revision: str | None, file: Path) -> None:
    if revision is None:
        raise DatabaseUnavailable(f"{file} holds no tables of Changewire.")
    refuse_newer(revision)


def _revision_in_archive(file: Path) -> str | None:
    wanted = ["--data-only", "--table=alembic_version", "--file=-", str(file)]
    lines = iter(_run("pg_restore", wanted, None).splitlines())
    copied = any(line.startswith("COPY ") for line in lines)  # the row is the next line
    return next(lines, None) if copied else None


def _run(program: str, arguments: Sequence[str], address: URL | None) -> str:
    """Run a program of PostgreSQL and return what it wrote to stdout.

    The password goes by the environment: everybody on the machine can read arguments.
    """
    found = shutil.which(program)
    if found is None:
        raise DatabaseUnavailable(
            f"{program} is not on this machine: apt-get install postgresql-client"
        )
    environment = dict(os.environ)
    if address is not None:
        names = {
            "PGHOST": address.host or address.query.get("host"),
            "PGPORT": address.port,
            "PGUSER": address.username,
            "PGPASSWORD": address.password,
            "PGDATABASE": address.database,
        }
        environment |= {name: str(value) for name, value in names.items() if value is not None}
    ended = subprocess.run(  # noqa: S603 - a program of the machine, without a shell
        [found, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        why = (ended.stderr.strip().splitlines() or ["it said nothing"])[0]
        raise DatabaseUnavailable(f"{program} failed: {why}")
    return ended.stdout
