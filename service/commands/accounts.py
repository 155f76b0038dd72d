"""changewire account: people and their plans."""

from __future__ import annotations

from typing import Annotated, Literal

import email_validator
import typer

from openapi.text import counted
from openapi.vocabulary import Plan
from service.clock import clock
from service.commands import plan_requests, tables
from service.commands.inputs import opened, require_account, source_ids
from service.commands.output import AsJson, CommandFailed, command_group, print_rows, record, say
from storage.people import account_events, accounts, follows, plans

account = command_group("Manage accounts and plans.")
Email = Annotated[str, typer.Argument(help="The account's email address.")]
Slugs = Annotated[list[str], typer.Argument(help="Slugs, as listed by changewire sources.")]
PlanOption = Annotated[Plan | None, typer.Option(help="free, starter or all.")]
AddonOption = Annotated[
    Literal["diffs", "none"] | None, typer.Option(help="diffs for the Diff API add-on, or none.")
]
OperatorOption = Annotated[
    bool | None, typer.Option("--operator/--no-operator", help="Receives emails about requests.")
]


@account.command("create")
def account_create(
    email: Email,
    plan: PlanOption = None,
    addon: AddonOption = None,
    *,
    operator: OperatorOption = None,
) -> None:
    """Create an account. Example: changewire account create ada@acme.example --plan all"""
    try:
        address = email_validator.validate_email(email, check_deliverability=False).normalized
    except email_validator.EmailNotValidError as error:
        raise CommandFailed(f"{email} is not an email address: {error}") from error
    if len(accounts.folded(address)) > accounts.LONGEST_EMAIL:
        raise CommandFailed(f"{email} is longer than {accounts.LONGEST_EMAIL} characters.")
    with opened() as (_, database), database.write() as session:
        if accounts.find_account(session, address) is not None:
            raise CommandFailed(
                f"{address} has an account already; see: changewire account set {address}"
            )
        made = accounts.add_account(
            session,
            address,
            now=clock(),
            plan=plan or Plan.FREE,
            diffs_addon=addon == "diffs",
            operator=operator or False,
        )
        lines = _described(made)
    say(lines)


@account.command("set")
def account_set(
    email: Email,
    plan: PlanOption = None,
    addon: AddonOption = None,
    *,
    operator: OperatorOption = None,
) -> None:
    """Change a plan, add-on or role. Example: changewire account set ada@acme.example --plan all

    This also decides an open plan request of the account; its owner gets an email.
    """
    if plan is None and addon is None and operator is None:
        raise CommandFailed("Nothing to change; give --plan, --addon or --operator.")
    diffs_addon = None if addon is None else addon == "diffs"
    mail = None
    with opened() as (settings, database):
        with database.write() as session:
            account = require_account(session, email)
            accounts.set_terms(account, plan=plan, diffs_addon=diffs_addon, operator=operator)
            if plan is not None or diffs_addon is not None:
                account_events.note_plan(session, account, now=clock())
                mail = plan_requests.decide_open_request(
                    session,
                    account,
                    plan_given=plan is not None,
                    site_url=settings.site_url,
                    now=clock(),
                )
            lines = _described(account)
        say(lines)
        if mail is not None:
            plan_requests.send_decision(settings, mail)


@account.command("delete")
def account_delete(email: Email) -> None:
    """Delete an account and its data. Example: changewire account delete ada@acme.example

    Keys, sessions, webhooks and the digest are deleted with it. This cannot be undone.
    """
    with opened() as (_, database), database.write() as session:
        if not accounts.delete_account(session, email):
            raise CommandFailed(f"There is no account {email}; see: changewire account list")
    say(f"{accounts.folded(email)} is deleted, with keys, sessions, webhooks and digest.")


@account.command("list")
def account_list(*, json: AsJson = False) -> None:
    """List accounts. Example: changewire account list --json"""
    with opened() as (_, database), database.read() as session:
        names = "email plan diffs_addon operator created_at"
        rows = [record(account, names) for account in accounts.list_accounts(session)]
    if not json:
        for row in rows:
            row["add-on"] = "diffs" if row["diffs_addon"] else ""
            row["role"] = "operator" if row["operator"] else ""
    columns = {name: name for name in ("email", "plan", "add-on", "role")}
    print_rows(rows, columns | {"created": "created_at"}, json=json)


@account.command("follow")
def account_follow(email: Email, slugs: Slugs) -> None:
    """Follow sources. Example: changewire account follow ada@acme.example stripe.changelog"""
    with opened() as (_, database), database.write() as session:
        owner = require_account(session, email)
        more = follows.follow_sources(session, owner.id, source_ids(session, slugs), now=clock())
    say(f"{accounts.folded(email)} follows {counted(more, 'more source')}.")


@account.command("unfollow")
def account_unfollow(email: Email, slugs: Slugs) -> None:
    """Unfollow sources. Example: changewire account unfollow ada@acme.example acme.old"""
    with opened() as (_, database), database.write() as session:
        owner = require_account(session, email)
        follows.unfollow_sources(session, owner.id, source_ids(session, slugs))
        left = len(follows.account_follows(session, owner.id))
    say(f"{accounts.folded(email)} follows {counted(left, 'source')}.")


@account.command("follows")
def account_follows(email: Email, *, json: AsJson = False) -> None:
    """List followed sources. Example: changewire account follows ada@acme.example"""
    with opened() as (_, database), database.read() as session:
        slugs = sorted(follows.account_follows(session, require_account(session, email).id))
    print_rows([{"source": slug} for slug in slugs], {"source": "source"}, json=json)


def _described(account: tables.Account) -> str:
    addon = " with the Diff API add-on" if account.diffs_addon else ""
    is_idle = account.diffs_addon and not plans.PLANS[account.plan].diffs_addon
    note = "\nThe Diff API add-on works on the All plan only." if is_idle else ""
    role = "\nIt gets the mails about requests." if account.operator else ""
    return f"{account.email} is on the {account.plan.value} plan{addon}.{note}{role}"
