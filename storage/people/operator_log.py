"""What operators did in the browser, and when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from storage.models import OperatorAction

LONGEST_SUBJECT: Final = 200


def note_action(
    session: Session, account_id: int, action: str, subject: str, *, now: datetime
) -> None:
    """Record what an operator did, in the transaction in which it is done.

    ``subject`` is an id or a slug, never a mail address: the record outlives accounts.
    """
    session.add(
        OperatorAction(
            account_id=account_id, at=now, action=action, subject=subject[:LONGEST_SUBJECT]
        )
    )


def newest_actions(session: Session, *, most: int) -> Sequence[OperatorAction]:
    """Return the newest actions, with who did them."""
    query = select(OperatorAction).options(joinedload(OperatorAction.account))
    return session.scalars(query.order_by(OperatorAction.id.desc()).limit(most)).all()
