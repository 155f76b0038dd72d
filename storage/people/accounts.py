"""People and their plans."""

from datetime import datetime
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Plan
from storage.models import Account, SignInLink

LONGEST_EMAIL: Final = 320
"""Characters of an address in the form under which an account is found."""


def folded(email: str) -> str:
    """Return the form of an address under which an account is found."""
    return email.strip().casefold()


def find_account(session: Session, email: str) -> Account | None:
    """Return the account of an address, or None."""
    return session.scalar(select(Account).where(Account.email == folded(email)))


def add_account(
    session: Session,
    email: str,
    *,
    now: datetime,
    plan: Plan = Plan.FREE,
    diffs_addon: bool = False,
    operator: bool = False,
) -> Account:
    """Add an account; the caller has checked that there is none yet."""
    account = Account(
        email=folded(email),
        plan=plan,
        diffs_addon=diffs_addon,
        operator=operator,
        created_at=now,
    )
    session.add(account)
    session.flush()
    return account


def list_accounts(session: Session) -> list[Account]:
    """Return every account by address."""
    return list(session.scalars(select(Account).order_by(Account.email)))


def set_terms(
    account: Account,
    *,
    plan: Plan | None = None,
    diffs_addon: bool | None = None,
    operator: bool | None = None,
) -> None:
    """Change an account's plan, add-on or role, as far as given; it counts at once."""
    if plan is not None:
        account.plan = plan
    if diffs_addon is not None:
        account.diffs_addon = diffs_addon
    if operator is not None:
        account.operator = operator


def operators(session: Session) -> list[Account]:
    """Return the accounts that operate the service."""
    return list(session.scalars(select(Account).where(Account.operator).order_by(Account.id)))


def delete_account(session: Session, email: str) -> bool:
    """Delete an account with all that is its own: keys, sessions, webhooks, digest, mailed links.

    Returns whether there was one.
    """
    address = folded(email)
    session.execute(delete(SignInLink).where(SignInLink.email == address))
    deleted = delete(Account).where(Account.email == address).returning(Account.id)
    return session.scalar(deleted) is not None
