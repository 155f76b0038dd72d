"""changewire key: API keys, and what they read."""

from __future__ import annotations

import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from handlers.site.feeds import opml
from openapi.text import counted
from openapi.vocabulary import Scope
from service.clock import clock
from service.commands import tables
from service.commands.inputs import opened, require_account, source_ids
from service.commands.output import AsJson, CommandFailed, command_group, print_rows, record, say
from storage.catalog import addresses
from storage.people import account_events, accounts, follows, keys

HOUR = timedelta(hours=1)
key = command_group("Manage API keys and their sources.")
Email = Annotated[str, typer.Argument(help="The account's email address.")]
_ID = re.compile(r"(?:cw_)?([0-9A-Za-z]{12})(?:_.*)?", re.ASCII)


def _public_id(text: str) -> str:
    """Return the public id in a key, in its short form (cw_0A1b2C3d4E5f_…) or alone."""
    match = _ID.fullmatch(text)
    return text if match is None else match[1]


KeyId = Annotated[
    str, typer.Argument(help="The key's public id, with or without cw_.", callback=_public_id)
]


@key.command("create")
def key_create(
    email: Email,
    name: Annotated[str, typer.Option(help="A name for the key.")],
    scope: Annotated[
        list[Scope] | None, typer.Option(help="A permission; repeatable; default: read:entries.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Read only this source; repeatable.")
    ] = None,
    expires_in: Annotated[
        int | None,
        typer.Option(min=1, max=3650, help="Days until the key expires; default: never."),
    ] = None,
) -> None:
    """Create a key and print it, once. Nothing else goes to stdout.

    Example: changewire key create ada@acme.example --name ci --source stripe.changelog
    """
    now = clock()
    with opened() as (_, database), database.write() as session:
        account = require_account(session, email)
        made, text = keys.add_key(
            session,
            account,
            name=accounts.name_for("key", name),
            scopes=list(dict.fromkeys(scope or [Scope.READ_ENTRIES])),
            now=now,
            expires_at=None if expires_in is None else now + timedelta(days=expires_in),
        )
        if source:
            follows.narrow_key(session, made, source_ids(session, source), now=now)
        account_events.note_key_by_operator(
            session, tables.AccountEventKind.KEY_MADE, made, now=now
        )
    say("Copy the key now; it is not shown again.")
    sys.stdout.write(f"{text}\n")


@key.command("list")
def key_list(email: Email, *, json: AsJson = False) -> None:
    """List an account's keys. Example: changewire key list ada@acme.example"""
    now = clock()
    with opened() as (_, database), database.read() as session:
        rows = [
            {
                "id": api_key.public_id,
                "name": api_key.name,
                "state": "live" if keys.is_live(api_key, now=now) else "dead",
                "scopes": [*api_key.scopes],
                "sources": sorted(follows.sources_of_key(session, api_key)),
                **record(api_key, "expires_at last_used_at"),
            }
            for api_key in keys.list_keys(session, require_account(session, email).id)
        ]
    columns = {name: name for name in ("id", "name", "state", "scopes", "sources")}
    columns |= {"expires": "expires_at", "last used": "last_used_at"}
    print_rows(rows, columns, json=json)


@key.command("revoke")
def key_revoke(public_id: KeyId) -> None:
    """Revoke a key immediately. Example: changewire key revoke 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        api_key = key_named(session, public_id)
        keys.revoke_key(api_key, now=clock())
        account_events.note_key_by_operator(
            session, tables.AccountEventKind.KEY_REVOKED, api_key, now=clock()
        )
    say(f"The key {public_id} is revoked.")


@key.command("rotate")
def key_rotate(
    public_id: KeyId,
    overlap: Annotated[
        int, typer.Option(min=0, max=720, help="Hours the old key keeps working.")
    ] = 24,
) -> None:
    """Replace a key, keeping its sources and scopes, and print the new one once.

    Example: changewire key rotate 0A1b2C3d4E5f --overlap 0
    """
    now = clock()
    with opened() as (_, database), database.write() as session:
        api_key = key_named(session, public_id)
        accounts.lock_account(session, api_key.account_id)
        session.refresh(api_key)
        if not keys.is_live(api_key, now=now) or keys.is_ending(api_key, now=now):
            raise CommandFailed(
                f"The key {public_id} is no longer valid or expires soon; create one: "
                "changewire key create"
            )
        try:
            _, text = keys.rotate_key(session, api_key, now=now, overlap=overlap * HOUR)
            account_events.note_key_by_operator(
                session, tables.AccountEventKind.KEY_ROTATED, api_key, now=now
            )
        except accounts.Refused as error:
            raise CommandFailed(f"{error} Revoke one first, or give --overlap 0.") from error
    state = f"works for {counted(overlap, 'hour')} more" if overlap else "is revoked"
    say(f"The key {public_id} {state}. Store the new key: it is shown only once.")
    sys.stdout.write(f"{text}\n")


@key.command("select")
def key_select(
    public_id: KeyId,
    slugs: Annotated[
        list[str] | None, typer.Argument(help="The key's sources; replaces the current ones.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Everything that the account may read.")
    ] = False,
) -> None:
    """Choose what a key reads; the account follows it.

    Example: changewire key select 0A1b2C3d4E5f stripe.changelog
    """
    if everything == bool(slugs):
        raise typer.BadParameter("Name slugs, or give --all.", param_hint="SLUGS")
    with opened() as (_, database), database.write() as session:
        api_key = key_named(session, public_id)
        if everything:
            follows.widen_key(session, api_key)
        else:
            follows.narrow_key(session, api_key, source_ids(session, slugs or []), now=clock())
    reads = counted(len(set(slugs)), "source") if slugs else "everything its account may read"
    say(f"The key {public_id} reads {reads}.")


def key_named(session: tables.Session, public_id: str) -> tables.ApiKey:
    """Return the key with a public id; raise CommandFailed if there is none."""
    api_key = keys.find_key(session, public_id)
    if api_key is None:
        raise CommandFailed(f"There is no key {public_id}; see: changewire key list EMAIL")
    return api_key


@key.command("export")
def key_export(public_id: KeyId) -> None:
    """Print a key's sources as OPML. Example: changewire key export 0A1b2C3d4E5f > mine.opml"""
    with opened() as (settings, database), database.read() as session:
        api_key = key_named(session, public_id)
        document = opml.as_opml(
            addresses.public_sources(session, follows.sources_of_key(session, api_key)),
            title=f"Changewire: {api_key.name}",
            site_url=settings.site_url,
            now=clock(),
        )
    sys.stdout.write(document.decode())


@key.command("import")
def key_import(
    public_id: KeyId, file: Annotated[Path, typer.Argument(help="An OPML file.")]
) -> None:
    """Narrow a key to the sources of an OPML file; report lines without a match.

    Example: changewire key import 0A1b2C3d4E5f mine.opml
    """
    try:
        outlines = opml.read_opml(file.read_bytes())
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror}.") from error
    except accounts.Refused as error:
        raise CommandFailed(f"{file}: {error}") from error
    with opened() as (settings, database), database.write() as session:
        catalog = addresses.directory(session)
        slugs, unknown = opml.look_up(outlines, catalog, site_url=settings.site_url)
        ids = [catalog.by_slug[slug] for slug in slugs]
        try:
            follows.narrow_key(session, key_named(session, public_id), ids, now=clock())
        except follows.TooManySources as error:
            raise CommandFailed(f"{error} Nothing was changed.") from error
    say(f"The key {public_id} reads {counted(len(slugs), 'source')}.")
    for line in unknown:
        say(f"Not found: {line}.")
