"""Inputs of commands: settings, the database, contracts, and named sources and accounts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import yaml
from sqlalchemy import select
from sqlalchemy.orm import Session

from contract_diff.parse import parse_contract
from service.commands.output import CommandFailed, WrongInput
from service.database import database_of
from service.settings import Settings, settings_for_command, use_temporary_folder
from service.telemetry.logs import set_up_logs
from storage.catalog.sources import near_slugs
from storage.engine.database import (
    Database,
    current_revision,
    explain_errors,
    on_postgresql,
    require_current,
    upgrade,
)
from storage.engine.types import AnySelect
from storage.models import Account, Source
from storage.people.accounts import Refused, find_account

DEEPEST: Final = 200
"""Levels of a contract; YAML's reader breaks off the program at tens of thousands."""


@contextmanager
def opened(
    *, make: bool = False, working: bool = False, migrate: bool = False
) -> Iterator[tuple[Settings, Database]]:
    """Give the settings and the database; an empty SQLite database gets its tables.

    One of an older version is refused unless ``migrate`` is given, which holds for SQLite: a
    restart or a look at it with a newer program is no upgrade (docs/decisions/0048).

    ``make``: create the database if it does not exist. Commands that only read do not, so that a
    mistyped path is reported instead of answered from an empty database. ``working``: with
    the connections of a worker.
    """
    settings = settings_for_command()
    use_temporary_folder(settings)
    set_up_logs(settings.log, settings.log_level)
    database = database_of(settings, make=make, working=working)
    try:
        if not on_postgresql(database.engine) and (migrate or current_revision(database) is None):
            upgrade(database)
        else:
            require_current(database)
        with explain_errors(database.engine):
            yield settings, database
    except Refused as error:
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
        return parse_contract(text)
    except OSError as error:
        raise WrongInput(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise WrongInput(f"{file} is no text in UTF-8.") from error
    except ValueError as error:
        raise WrongInput(f"{file}: {' '.join(str(error).split())}") from error


def _nests_too_deeply(text: str) -> bool:
    """Tell whether a text in YAML or JSON has more levels than any contract."""
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            return True
    return False


def source_ids(session: Session, slugs: Sequence[str]) -> list[int]:
    """Return the ids of sources; raise CommandFailed for a slug that the catalog does not have."""
    query: AnySelect = select(Source.slug, Source.id).where(Source.slug.in_(slugs))
    ids: dict[str, int] = dict(session.execute(query).all())
    for slug in slugs:
        if slug not in ids:
            raise unknown_source(session, slug)
    return list(ids.values())


def require_account(session: Session, email: str) -> Account:
    """Return an account; raise CommandFailed if there is none with this address."""
    account = find_account(session, email)
    if account is None:
        raise CommandFailed(f"There is no account {email}; see: changewire account list")
    return account


def unknown_source(session: Session, slug: str) -> CommandFailed:
    """Return the failure for a slug that the catalog does not have, with similar ones."""
    near = ", ".join(near_slugs(session, slug))
    suggestion = f" Did you mean {near}?" if near else ""
    return CommandFailed(f"The catalog has no source {slug}.{suggestion}")
