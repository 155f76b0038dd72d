"""The stacks of accounts: what they confirmed that they run (docs/decisions/0141)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from storage.engine.statements import batches
from storage.models import StackPart
from storage.people.accounts import Refused, lock_account

PARTS_PER_ACCOUNT: Final = 2000
_BATCH: Final = 500


@dataclass(frozen=True, slots=True, order=True)
class SavedPart:
    """A package, by its package URL without version, and the version that runs."""

    purl: str
    version: str


def list_parts(session: Session, account_id: int) -> list[SavedPart]:
    """Return the stack of an account, sorted."""
    query = select(StackPart.purl, StackPart.version).where(StackPart.account_id == account_id)
    return sorted(SavedPart(purl, version) for purl, version in session.execute(query))


def count_parts(session: Session, account_id: int) -> int:
    """Return how many parts the stack of an account has."""
    query = select(func.count()).where(StackPart.account_id == account_id)
    return session.scalar(query) or 0


def save_parts(session: Session, account_id: int, parts: Iterable[SavedPart]) -> int:
    """Add parts to a stack, in place of other versions of the same packages; return how many.

    Raises Refused.
    """
    lock_account(session, account_id)
    distinct = sorted(set(parts))
    _delete(session, account_id, {part.purl for part in distinct})
    if count_parts(session, account_id) + len(distinct) > PARTS_PER_ACCOUNT:
        raise Refused(f"A stack has at most {PARTS_PER_ACCOUNT:,} parts.")
    rows = [
        {"account_id": account_id, "purl": part.purl, "version": part.version} for part in distinct
    ]
    if rows:
        session.execute(insert(StackPart), rows)
    return len(rows)


def delete_part(session: Session, account_id: int, part: SavedPart) -> None:
    """Take a part out of a stack, if it is there."""
    session.execute(
        delete(StackPart).where(
            StackPart.account_id == account_id,
            StackPart.purl == part.purl,
            StackPart.version == part.version,
        )
    )


def delete_stack(session: Session, account_id: int) -> None:
    """Forget the whole stack of an account."""
    session.execute(delete(StackPart).where(StackPart.account_id == account_id))


def _delete(session: Session, account_id: int, purls: Collection[str]) -> None:
    for batch in batches(sorted(purls), _BATCH):
        session.execute(
            delete(StackPart).where(StackPart.account_id == account_id, StackPart.purl.in_(batch))
        )
