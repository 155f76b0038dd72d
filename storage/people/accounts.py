"""Find, add, lock and delete accounts; check their limits."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from openapi.text import readable
from openapi.vocabulary import Plan
from storage.models import Account, SignInLink

LONGEST_EMAIL: Final = 320  # characters of an address in the form under which an account is found
LONGEST_NAME: Final = 80  # characters of the name of a key or webhook


class Refused(Exception):
    """An account may not have or do this. The message says why."""


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
        email=folded(email), plan=plan, diffs_addon=diffs_addon, operator=operator, created_at=now
    )
    session.add(account)
    session.flush()
    return account


def list_accounts(session: Session) -> list[Account]:
    """Return every account by address."""
    return list(session.scalars(select(Account).order_by(Account.email)))


def looks_up(session: Session, account_id: int) -> bool:
    """Return whether names of an account's packages may be sent to the package index."""
    return bool(session.scalar(select(Account.looks_up).where(Account.id == account_id)))


def set_terms(
    account: Account,
    *,
    plan: Plan | None = None,
    diffs_addon: bool | None = None,
    operator: bool | None = None,
) -> None:
    """Change an account's plan, add-on or role if given, effective immediately."""
    if plan is not None:
        account.plan = plan
    if diffs_addon is not None:
        account.diffs_addon = diffs_addon
    if operator is not None:
        account.operator = operator


def operators(session: Session) -> list[Account]:
    """Return the accounts that operate the service."""
    return list(session.scalars(select(Account).where(Account.operator).order_by(Account.id)))


def lock_account(session: Session, account_id: int) -> Account:
    """Lock an account against other transactions until this one ends."""
    return session.scalars(select(Account).where(Account.id == account_id).with_for_update()).one()


def require_room(
    session: Session, account_id: int, model: type[Any], things: str, *, most: int
) -> None:
    """Lock an account. Raises Refused if it has as many rows of a model as it may have."""
    lock_account(session, account_id)
    query = select(func.count()).select_from(model).where(model.account_id == account_id)
    if session.scalars(query).one() >= most:
        raise Refused(f"An account has at most {most} {things}.")


def name_for(thing: str, text: str) -> str:
    """Return a text as the name of a key or webhook: one line of visible characters.

    Raises Refused.
    """
    name = " ".join(text.split())
    if not any(map(str.isprintable, name)) or len(name) > LONGEST_NAME or readable(name) != name:
        raise Refused(f"Give the {thing} a name of 1 to {LONGEST_NAME} characters.")
    return name


def delete_account(session: Session, email: str) -> bool:
    """Delete an account with its keys, sessions, webhooks, digest and mailed links, if it exists.

    Return True if it did.
    """
    address = folded(email)
    session.execute(delete(SignInLink).where(SignInLink.email == address))
    deleted = delete(Account).where(Account.email == address).returning(Account.id)
    return session.scalar(deleted) is not None
