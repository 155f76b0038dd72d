"""changewire key: make, list, select for, rotate and revoke API keys."""

import re
import sys
from datetime import timedelta
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from openapi.counts import counted
from openapi.vocabulary import Json, Scope
from service.clock import clock
from service.commands.inputs import CommandFailed, opened, source_ids
from service.commands.output import AsJson, print_json, print_table, say
from storage.entries.documents import timestamp
from storage.models import Account, ApiKey
from storage.people.accounts import find_account
from storage.people.keys import (
    ROTATION_OVERLAP,
    TooManyKeys,
    TooManySelections,
    add_key,
    find_key,
    is_ending,
    is_live,
    list_keys,
    lock_account,
    rotate_key,
    select_sources,
    selected_slugs,
)
from storage.people.names import WrongName, name_for

HOUR = timedelta(hours=1)
key = typer.Typer(help="API keys.", no_args_is_help=True, add_completion=False)
Email = Annotated[str, typer.Argument(help="The account's e-mail address.")]
_ID = re.compile(r"(?:cw_)?([0-9A-Za-z]{12})(?:_.*)?", re.ASCII)


def _public_id(text: str) -> str:
    """Return the public id in what a page shows (cw_0A1b2C3d4E5f_…), in a whole key, or alone."""
    found = _ID.fullmatch(text)
    return text if found is None else found[1]


KeyId = Annotated[
    str,
    typer.Argument(
        help="The key's public id, as the keys page shows it or without cw_.", callback=_public_id
    ),
]


@key.command("create")
def key_create(
    email: Email,
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[Scope] | None, typer.Option(help="May be repeated; without it: read:entries.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="A slug to select; repeatable.")] = None,
    expires_in: Annotated[
        int | None, typer.Option(min=1, max=3650, help="Days until it expires.")
    ] = None,
) -> None:
    """Make a key; it is printed once, alone on stdout.

    Example: changewire key create ada@acme.example --name ci --source stripe.changelog
    """
    now = clock()
    with opened() as (_, database), database.write() as session:
        account = _account(session, email)
        try:
            made, text = add_key(
                session,
                account,
                name=name_for("key", name),
                scopes=list(dict.fromkeys(scope or [Scope.READ_ENTRIES])),
                now=now,
                expires_at=None if expires_in is None else now + timedelta(days=expires_in),
            )
            select_sources(session, made, source_ids(session, source or []), now=now)
        except (TooManyKeys, TooManySelections, WrongName) as error:
            raise CommandFailed(str(error)) from error
    say("The key is shown only now; keep it.")
    sys.stdout.write(f"{text}\n")


@key.command("list")
def key_list(email: Email, *, json: AsJson = False) -> None:
    """List an account's keys. Example: changewire key list ada@acme.example"""
    now = clock()
    with opened() as (_, database), database.read() as session:
        rows: list[dict[str, Json]] = [
            {
                "id": each.public_id,
                "name": each.name,
                "state": "live" if is_live(each, now=now) else "dead",
                "scopes": [*each.scopes],
                "sources": [*sorted(selected_slugs(session, each.id))],
                "expires_at": _time(each, "expires_at"),
                "last_used_at": _time(each, "last_used_at"),
            }
            for each in list_keys(session, _account(session, email).id)
        ]
    if json:
        print_json(list(rows))
        return
    print_table(
        ("id", "name", "state", "scopes", "sources", "expires", "last used"),
        [[_cell(value) for value in row.values()] for row in rows],
    )


@key.command("revoke")
def key_revoke(public_id: KeyId) -> None:
    """Refuse a key from now on. Example: changewire key revoke 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        found = key_named(session, public_id)
        found.revoked_at = found.revoked_at or clock()
    say(f"The key {public_id} is revoked.")


@key.command("rotate")
def key_rotate(
    public_id: KeyId,
    overlap: Annotated[
        int, typer.Option(min=0, max=720, help="Hours for which the old key works on; 0: none.")
    ] = ROTATION_OVERLAP // HOUR,
) -> None:
    """Make a successor with the same sources and scopes; it is printed once, alone on stdout.

    Example: changewire key rotate 0A1b2C3d4E5f --overlap 0
    """
    now = clock()
    with opened() as (_, database), database.write() as session:
        found = key_named(session, public_id)
        lock_account(session, found.account_id)
        session.refresh(found)
        if not is_live(found, now=now) or is_ending(found, now=now):
            raise CommandFailed(
                f"The key {public_id} has ended or ends within a day; make a new one: "
                "changewire key create"
            )
        try:
            _, text = rotate_key(session, found, now=now, overlap=overlap * HOUR)
        except TooManyKeys as error:
            raise CommandFailed(f"{error} Revoke one first, or give --overlap 0.") from error
    rest = f"works for {counted(overlap, 'hour')} more" if overlap else "is revoked"
    say(f"The key {public_id} {rest}. Its successor is shown only now; keep it.")
    sys.stdout.write(f"{text}\n")


@key.command("select")
def key_select(
    public_id: KeyId,
    slugs: Annotated[list[str], typer.Argument(help="All sources of the key from now on.")],
) -> None:
    """Choose a key's sources. Example: changewire key select 0A1b2C3d4E5f stripe.changelog"""
    with opened() as (_, database), database.write() as session:
        try:
            found = key_named(session, public_id)
            select_sources(session, found, source_ids(session, slugs), now=clock())
        except TooManySelections as error:
            raise CommandFailed(str(error)) from error
    selected = counted(len(set(slugs)), "source")
    say(f"The key {public_id} has {selected} selected.")


def _account(session: Session, email: str) -> Account:
    found = find_account(session, email)
    if found is None:
        raise CommandFailed(f"There is no account {email}; make it: changewire account create")
    return found


def key_named(session: Session, public_id: str) -> ApiKey:
    """Return the key of a public id, or say how to find one."""
    found = find_key(session, public_id)
    if found is None:
        raise CommandFailed(f"There is no key {public_id}; see: changewire key list EMAIL")
    return found


def _time(found: ApiKey, name: str) -> str | None:
    moment = getattr(found, name)
    return None if moment is None else timestamp(moment)


def _cell(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
