"""changewire key export, import: selections as OPML."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from handlers.site.feeds.opml import NoOpml, as_opml, look_up, read_opml
from openapi.counts import counted
from service.clock import clock
from service.commands.inputs import CommandFailed, opened
from service.commands.keys import KeyId, key, key_named
from service.commands.output import say
from storage.catalog.addresses import directory, selected_sources
from storage.people.keys import TooManySelections
from storage.people.selection import add_selections


@key.command("export")
def key_export(public_id: KeyId) -> None:
    """Print a key's sources as OPML. Example: changewire key export 0A1b2C3d4E5f > mine.opml"""
    with opened() as (settings, database), database.read() as session:
        api_key = key_named(session, public_id)
        document = as_opml(
            selected_sources(session, api_key.id),
            title=f"Changewire: {api_key.name}",
            site_url=settings.site_url,
            now=clock(),
        )
    sys.stdout.write(document.decode())


@key.command("import")
def key_import(
    public_id: KeyId,
    file: Annotated[Path, typer.Argument(help="An OPML file, whoever wrote it.")],
) -> None:
    """Add the sources of an OPML list to a key; report the lines that match no source.

    Example: changewire key import 0A1b2C3d4E5f mine.opml
    """
    try:
        outlines = read_opml(file.read_bytes())
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror}.") from error
    except NoOpml as error:
        raise CommandFailed(f"{file}: {error}") from error
    with opened() as (settings, database), database.write() as session:
        catalog = directory(session)
        matches = look_up(outlines, catalog, site_url=settings.site_url)
        ids = [catalog.by_slug[slug] for slug in matches.slugs]
        try:
            more = add_selections(session, key_named(session, public_id), ids, now=clock())
        except TooManySelections as error:
            raise CommandFailed(f"{error} Nothing was selected.") from error
    say(
        f"{counted(len(matches.slugs), 'source')} found, {more} of them new to the key {public_id}."
    )
    for line in matches.unknown:
        say(f"Not found: {line}.")
