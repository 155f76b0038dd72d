"""The stacks of accounts: the one saved on the page, and those that CI saves by name."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, insert, select
from sqlalchemy.orm import Session

from openapi.text import counted
from openapi.vocabulary import Plan
from storage.engine.statements import batches
from storage.models import StackPart
from storage.people.accounts import Refused, lock_account
from storage.people.plans import PLANS

PAGE: Final = "1"  # the name of the stack that is saved on the page
PARTS_PER_ACCOUNT: Final = 2000
PARTS_PER_STACK: Final = 5000
_BATCH: Final = 500


@dataclass(frozen=True, slots=True, order=True)
class SavedPart:
    """A package, by its package URL without version, and the version that runs; "" if unknown."""

    purl: str
    version: str


def list_parts(session: Session, account_id: int, stack: str | None = None) -> list[SavedPart]:
    """Return the parts of a stack, sorted; without a name those of all stacks of the account."""
    mine = StackPart.account_id == account_id if stack is None else _is(account_id, stack)
    query = select(StackPart.purl, StackPart.version).where(mine).distinct()
    return sorted(SavedPart(purl, version) for purl, version in session.execute(query))


def stack_names(session: Session, account_id: int) -> list[str]:
    """Return the names of an account's stacks, sorted."""
    query = select(StackPart.stack).where(StackPart.account_id == account_id).distinct()
    return sorted(session.scalars(query))


def save_parts(session: Session, account_id: int, parts: Iterable[SavedPart]) -> int:
    """Add parts to the page's stack, in place of other versions of the same packages.

    Returns how many. Raises Refused.
    """
    lock_account(session, account_id)
    distinct, mine = sorted(set(parts)), _is(account_id, PAGE)
    for batch in batches(sorted({part.purl for part in distinct}), _BATCH):
        session.execute(delete(StackPart).where(mine, StackPart.purl.in_(batch)))
    known = session.scalars(select(func.count()).select_from(StackPart).where(mine)).one()
    if known + len(distinct) > PARTS_PER_ACCOUNT:
        raise Refused(f"A stack has at most {PARTS_PER_ACCOUNT:,} parts.")
    _insert(session, account_id, PAGE, distinct)
    return len(distinct)


def save_stack(
    session: Session, account_id: int, plan: Plan, name: str, parts: Collection[SavedPart]
) -> None:
    """Save a stack under a name, in place of what it was. Raises Refused."""
    lock_account(session, account_id)
    if len(parts) > PARTS_PER_STACK:
        raise Refused(f"A stack has at most {PARTS_PER_STACK:,} parts; this has {len(parts):,}.")
    others = [each for each in stack_names(session, account_id) if each not in (PAGE, name)]
    if len(others) >= (most := PLANS[plan].stacks):
        saved = f"{counted(most, 'named stack')}: {', '.join(others)}"
        raise Refused(f"The {plan.value} plan has {saved}.")
    delete_stack(session, account_id, name)
    _insert(session, account_id, name, parts)


def delete_part(session: Session, account_id: int, part: SavedPart) -> None:
    """Take a part out of the page's stack, if it is there."""
    this = StackPart.purl == part.purl, StackPart.version == part.version
    session.execute(delete(StackPart).where(_is(account_id, PAGE), *this))


def delete_stack(session: Session, account_id: int, stack: str) -> None:
    """Forget a stack of an account."""
    session.execute(delete(StackPart).where(_is(account_id, stack)))


def _is(account_id: int, stack: str) -> ColumnElement[bool]:
    return and_(StackPart.account_id == account_id, StackPart.stack == stack)


def _insert(session: Session, account_id: int, stack: str, parts: Iterable[SavedPart]) -> None:
    rows: list[dict[str, Any]] = [
        {"account_id": account_id, "stack": stack, "purl": part.purl, "version": part.version}
        for part in parts
    ]
    if rows:
        session.execute(insert(StackPart), rows)
