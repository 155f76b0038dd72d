"""Inputs of commands: settings, the database, contracts, and named sources and accounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import yaml

from contract_diff import parse
from service import database as service_database
from service.commands import tables
from service.commands.output import CommandFailed, WrongInput, say
from service.settings import Settings, settings_for_command, use_temporary_folder
from service.telemetry import logs
from storage.catalog import sources
from storage.engine import database as databases
from storage.people import accounts

DEEPEST: Final = 200
"""Levels of a contract; YAML's reader breaks off the program at tens of thousands."""


@contextmanager
def opened(
    *, make: bool = False, working: bool = False, migrate: bool = False, quiet: bool = False
) -> Iterator[tuple[Settings, databases.Database]]:
    """Yield the settings and the database.

    ``make``: create the SQLite database if it does not exist, and say so unless ``quiet``. Only
    commands of a first start do: elsewhere a mistyped path is reported instead of answered from
    an empty database. ``migrate``: upgrade one of an older version too; a restart or a look at it
    with a newer program is no upgrade (docs/decisions/0048). ``working``: for a worker.
    """
    settings = settings_for_command()
    use_temporary_folder(settings)
    logs.set_up_logs(settings.log, settings.log_level)
    database = service_database.database_of(settings, make=make or migrate, working=working)
    try:
        is_new = databases.current_revision(database) is None
        if not databases.on_postgresql(database.engine) and (migrate or (make and is_new)):
            databases.upgrade(database)
            if is_new and not quiet:
                say(f"Created {Path(database.engine.url.database or '').absolute()}.")
        else:
            databases.require_current(database)
        with databases.explain_errors(database.engine):
            yield settings, database
    except accounts.Refused as error:
        raise CommandFailed(str(error)) from error
    finally:
        database.close()


def read_contract(file: Path) -> dict[str, Any]:
    """Read a contract from a file; raise WrongInput if that is not one."""
    try:
        text = file.read_text(encoding="utf-8")
        with suppress(yaml.YAMLError):  # said below
            if _nests_too_deeply(text):
                raise WrongInput(f"{file} nests more than {DEEPEST} levels deep.")
        return parse.parse_contract(text)
    except OSError as error:
        raise WrongInput(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise WrongInput(f"{file} is not UTF-8 text.") from error
    except ValueError as error:
        raise WrongInput(f"{file}: {' '.join(str(error).split())}") from error


def _nests_too_deeply(text: str) -> bool:
    """Return whether a text in YAML or JSON has more levels than any contract."""
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            return True
    return False


def source_ids(session: tables.Session, slugs: Sequence[str]) -> list[int]:
    """Return the ids of sources; raise CommandFailed for a slug that the catalog does not have."""
    query = tables.select(tables.Source.slug, tables.Source.id)
    query = query.where(tables.Source.slug.in_(slugs))
    ids = {row.slug: row.id for row in session.execute(query)}
    for slug in slugs:
        if slug not in ids:
            raise unknown_source(session, slug)
    return list(ids.values())


def require_account(session: tables.Session, email: str) -> tables.Account:
    """Return an account; raise CommandFailed if there is none with this address."""
    account = accounts.find_account(session, email)
    if account is None:
        raise CommandFailed(f"There is no account {email}; see: changewire account list")
    return account


def unknown_source(session: tables.Session, slug: str) -> CommandFailed:
    """Return the failure for a slug that the catalog does not have, with similar ones."""
    near = " or ".join(sources.near_slugs(session, slug))
    advice = f"Did you mean {near}?" if near else "Search: changewire source list --q WORDS"
    return CommandFailed(f'The catalog has no source "{slug}". {advice}')
