"""Backups of the whole database: written while it is in use, and restored.

A copy of SQLite is a database file; a copy of PostgreSQL is an archive of pg_dump, made and read
by PostgreSQL's own programs, which have to be on the machine.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from typing import Final

from pysqlite3.dbapi2 import Error
from sqlalchemy import URL, Connection

from storage.engine import sqlite
from storage.engine.database import (
    Database,
    DatabaseUnavailable,
    current_revision,
    explain_errors,
    on_postgresql,
    open_database,
    refuse_unknown,
)

_DROP_ALL: Final = b"""
DO $$ BEGIN EXECUTE COALESCE((
    SELECT string_agg(format('DROP %s IF EXISTS %s CASCADE', kind, name), ';') FROM (
        SELECT 'TABLE' AS kind, oid::regclass::text AS name, oid, relnamespace AS schema
        FROM pg_class WHERE relkind IN ('r', 'p')
        UNION ALL SELECT 'FUNCTION', oid::regprocedure::text, oid, pronamespace FROM pg_proc
        UNION ALL SELECT 'TYPE', pg_type.oid::regtype::text, pg_type.oid, typnamespace
        FROM pg_type LEFT JOIN pg_class ON pg_class.oid = typrelid
        WHERE typtype = 'e' OR relkind = 'c'
    ) AS objects
    WHERE schema = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = objects.oid AND deptype = 'e')
), 'SELECT'); END $$;
"""
"""Drops tables, functions and types, but not those of extensions."""


def backup(database: Database, target: Path) -> None:
    """Write a consistent copy to a new file while others go on reading and writing.

    The file is for its owner alone: it holds addresses and secrets. Raises DatabaseUnavailable
    when the file exists or the copy cannot be made; then there is no file.
    """
    _require_direct(database)
    if target.exists():
        raise DatabaseUnavailable(f"{target} exists already; name a new file.")
    if not target.parent.is_dir():
        raise DatabaseUnavailable(f"The folder {target.parent} does not exist.")
    with suppress(OSError):  # the program that copies reports why it cannot write there
        target.touch(mode=0o600)
    try:
        _copy(database, target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _require_direct(database: Database) -> None:
    """Refuse a pooler: pg_dump and pg_restore keep settings of theirs between transactions."""
    if on_postgresql(database.engine) and database.connections.pooler:
        raise DatabaseUnavailable(
            "Copies are made and put back by the server itself, not over a pooler; name the "
            "server in CHANGEWIRE_DATABASE_URL, with CHANGEWIRE_DATABASE_POOLER=0"
        )


def _copy(database: Database, target: Path) -> None:
    if on_postgresql(database.engine):
        address = database.engine.url
        arguments = ["--format=custom", "--no-owner", "--file", str(target), _database(address)]
        _run("pg_dump", target, arguments, _environment(address))
        return
    with _open(database, f"The copy {target} cannot be made") as connection:
        sqlite.copy_database(connection, target)


@contextmanager
def _open(database: Database, trouble: str) -> Iterator[Connection]:
    """Open a connection whose driver's errors become DatabaseUnavailable, ``trouble`` first."""
    with explain_errors(database.engine), database.engine.connect() as connection:
        try:
            yield connection
        except Error as error:
            raise DatabaseUnavailable(f"{trouble}: {error}.") from error


def restore(database: Database, source: Path, *, previous: Path | None) -> None:
    """Replace everything in the database by a copy, in one transaction.

    The current state is first copied to ``previous``, unless that is None. Readers go on and
    see the old state or the new one. Raises DatabaseUnavailable, with nothing changed, when the
    file is not a copy of a database that this program knows.
    """
    if not source.is_file():
        raise DatabaseUnavailable(f"{source} is not a file.")
    _require_direct(database)
    if on_postgresql(database.engine):
        _require_known(_revision_in_archive(source), source)
    else:
        _require_sound(source)
    if previous is not None:
        backup(database, previous)
    if on_postgresql(database.engine):
        _replace(database.engine.url, source)
        return
    with _open(database, f"{source} cannot be put back") as connection:
        sqlite.replace_database(connection, source)


def _require_sound(file: Path) -> None:
    try:
        copy = open_database(f"sqlite:///{file.absolute()}")
    except DatabaseUnavailable as error:
        raise DatabaseUnavailable(f"{file} is no copy of a database that can be read.") from error
    try:
        _require_known(current_revision(copy), file)
        with explain_errors(copy.engine), copy.engine.connect() as connection:
            faults = sqlite.integrity_faults(connection)
    finally:
        copy.close()
    if faults:
        raise DatabaseUnavailable(f"{file} is damaged: {'; '.join(faults[:3])}")


def _require_known(revision: str | None, file: Path) -> None:
    if revision is None:
        raise DatabaseUnavailable(f"{file} holds no tables of Changewire.")
    refuse_unknown(revision)


def _replace(address: URL, archive: Path) -> None:
    """Put an archive of pg_dump in the place of all tables, in one transaction.

    Not by ``pg_restore --clean``: it drops what is in the archive alone, and stumbles over what
    later revisions have hung on that. Committed is only what pg_restore wrote to its end.
    """
    writing = [_program("pg_restore"), "--no-owner", "--file=-", str(archive)]
    reading = [_program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    with (
        TemporaryFile() as errors,
        Popen(writing, stdout=PIPE, stderr=errors) as writer,
        Popen(
            [*reading, _database(address)],
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=errors,
            env=_environment(address),
        ) as reader,
    ):
        assert writer.stdout is not None
        assert reader.stdin is not None
        with suppress(BrokenPipeError), reader.stdin as script:  # it says why it ended
            script.write(b"BEGIN;" + _DROP_ALL)
            shutil.copyfileobj(writer.stdout, script)
            script.write(b"COMMIT;" if writer.wait() == 0 else b"ROLLBACK;")
        writer.stdout.close()
        ended = reader.wait() or writer.wait()
        errors.seek(0)
        why = errors.read().decode(errors="replace")
    if ended:
        raise _failure("pg_restore", archive, why)


def _revision_in_archive(file: Path) -> str | None:
    arguments = ["--data-only", "--table=alembic_version", "--file=-", str(file)]
    lines = iter(_run("pg_restore", file, arguments, os.environ).splitlines())
    copied = any(line.startswith("COPY ") for line in lines)  # the row is the next line
    return next(lines, None) if copied else None


def _run(program: str, file: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run a program of PostgreSQL on an archive and return what it wrote to stdout."""
    ended = subprocess.run(
        [_program(program), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise _failure(program, file, ended.stderr)
    return ended.stdout


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise DatabaseUnavailable(
            f"{name} is not on this machine: apt-get install postgresql-client"
        )
    return path


def _database(address: URL) -> str:
    """Return the connection argument: the address without its password."""
    shown = address.difference_update_query(["password"])
    return f"--dbname={shown._replace(drivername='postgresql', password=None).render_as_string()}"


def _environment(address: URL) -> dict[str, str]:
    """Return the environment with the password: every user of the machine can read arguments."""
    password = address.password or address.query.get("password")
    return os.environ | ({} if password is None else {"PGPASSWORD": str(password)})


def _failure(program: str, file: Path, output: str) -> DatabaseUnavailable:
    why = (output.strip().splitlines() or ["it said nothing"])[0]
    return DatabaseUnavailable(f"{program} failed on {file}: {why}")
