"""changewire account: people and their plans."""

from enum import StrEnum
from typing import Annotated

import typer
from email_validator import EmailNotValidError, validate_email

from openapi.vocabulary import Plan
from service.clock import clock
from service.commands.inputs import CommandFailed, opened
from service.commands.output import AsJson, print_json, print_table, say
from storage.entries.documents import timestamp
from storage.models import Account
from storage.people.accounts import (
    LONGEST_EMAIL,
    add_account,
    delete_account,
    find_account,
    folded,
    list_accounts,
)

account = typer.Typer(help="People and their plans.", no_args_is_help=True, add_completion=False)


class Addon(StrEnum):
    """What can be bought beside a plan."""

    DIFFS = "diffs"
    NONE = "none"


Email = Annotated[str, typer.Argument(help="The person's e-mail address.")]
PlanOption = Annotated[Plan | None, typer.Option(help="free, starter or all.")]
AddonOption = Annotated[
    Addon | None, typer.Option(help="diffs: the Diff API add-on; none: without it.")
]


@account.command("create")
def account_create(email: Email, plan: PlanOption = None, addon: AddonOption = None) -> None:
    """Add an account. Example: changewire account create ada@acme.example --plan all"""
    try:
        address = validate_email(email, check_deliverability=False).normalized
    except EmailNotValidError as error:
        raise CommandFailed(f"{email} is not an e-mail address: {error}") from error
    if len(folded(address)) > LONGEST_EMAIL:
        raise CommandFailed(f"{email} is longer than {LONGEST_EMAIL} characters.")
    with opened(make=True) as (_, database), database.write() as session:
        if find_account(session, address) is not None:
            raise CommandFailed(
                f"{address} has an account already; change it with: changewire account set"
            )
        made = add_account(
            session,
            address,
            now=clock(),
            plan=plan or Plan.FREE,
            diffs_addon=addon is Addon.DIFFS,
        )
        lines = _described(made)
    say(lines)


@account.command("set")
def account_set(email: Email, plan: PlanOption = None, addon: AddonOption = None) -> None:
    """Change a plan or add-on. Example: changewire account set ada@acme.example --plan starter"""
    if plan is None and addon is None:
        raise CommandFailed("Nothing to change; give --plan or --addon.")
    with opened() as (_, database), database.write() as session:
        found = find_account(session, email)
        if found is None:
            raise CommandFailed(f"There is no account {email}; make it: changewire account create")
        if plan is not None:
            found.plan = plan
        if addon is not None:
            found.diffs_addon = addon is Addon.DIFFS
        lines = _described(found)
    say(lines)


@account.command("delete")
def account_delete(email: Email) -> None:
    """Delete a person and all that is theirs. Example: changewire account delete ada@acme.example

    Keys, sessions, webhooks and the digest go with the account, at once and for good.
    """
    with opened() as (_, database), database.write() as session:
        if not delete_account(session, email):
            raise CommandFailed(f"There is no account {email}; see: changewire account list")
    say(f"{folded(email)} is deleted, with keys, sessions, webhooks and digest.")


@account.command("list")
def account_list(*, json: AsJson = False) -> None:
    """List accounts. Example: changewire account list --json"""
    with opened() as (_, database), database.read() as session:
        rows = [
            (each.email, each.plan.value, each.diffs_addon, timestamp(each.created_at))
            for each in list_accounts(session)
        ]
    if json:
        names = ("email", "plan", "diffs_addon", "created_at")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        print_table(
            ("email", "plan", "add-on", "created"),
            [(email, plan, "diffs" if addon else "", at) for email, plan, addon, at in rows],
        )


def _described(made: Account) -> str:
    addon = " with the Diff API add-on" if made.diffs_addon else ""
    sleeps = made.diffs_addon and made.plan is not Plan.ALL
    told = "\nThe Diff API add-on works on the All plan only." if sleeps else ""
    return f"{made.email} is on the {made.plan.value} plan{addon}.{told}"
