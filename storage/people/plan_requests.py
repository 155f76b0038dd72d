"""Plans that people ask the operator for: one waits at most for an account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import select, text, update
from sqlalchemy.orm import Session, joinedload

from openapi.vocabulary import Plan
from storage.engine.upsert import insert_into
from storage.models import PlanRequest
from storage.people.account_events import note_plan
from storage.people.accounts import set_terms

LONGEST_NOTE: Final = 1000


class AlreadyDecided(Exception):
    """A request was decided before. The message says so."""


def ask_for_plan(
    session: Session,
    account_id: int,
    *,
    plan: Plan,
    diffs_addon: bool,
    note: str | None,
    now: datetime,
) -> bool:
    """Store what an account asks for, instead of what it asked for before and still waits for.

    Return whether it is another wish than the one that waits.
    """
    waiting = waiting_request(session, account_id)
    wish = {"plan": plan, "diffs_addon": diffs_addon, "note": note}
    if waiting is not None and all(getattr(waiting, name) == value for name, value in wish.items()):
        return False
    statement = insert_into(session, PlanRequest).values(
        account_id=account_id, **wish, created_at=now
    )
    session.execute(
        statement.on_conflict_do_update(
            index_elements=[PlanRequest.account_id],
            index_where=text("decided_at IS NULL"),
            set_={**wish, "created_at": now},
        )
    )
    session.expire_all()
    return True


def waiting_request(session: Session, account_id: int) -> PlanRequest | None:
    """Return what an account asks for and waits for, or None."""
    query = select(PlanRequest).where(PlanRequest.decided_at.is_(None))
    return session.scalar(query.where(PlanRequest.account_id == account_id))


def waiting_requests(session: Session) -> Sequence[PlanRequest]:
    """Return the requests that wait, with their accounts, oldest first."""
    query = select(PlanRequest).where(PlanRequest.decided_at.is_(None))
    query = query.options(joinedload(PlanRequest.account))
    return session.scalars(query.order_by(PlanRequest.created_at, PlanRequest.id)).all()


def find_plan_request(session: Session, id_: int) -> PlanRequest | None:
    """Return a request with its account, or None."""
    query = select(PlanRequest).where(PlanRequest.id == id_)
    return session.scalar(query.options(joinedload(PlanRequest.account)))


def decide(
    session: Session,
    request: PlanRequest,
    *,
    granted: bool,
    reason: str | None,
    now: datetime,
) -> None:
    """Grant or refuse a request; what is granted counts from the next request of a key on.

    Raises AlreadyDecided: of two operators at once only one decides.
    """
    decided = session.scalars(
        update(PlanRequest)
        .where(PlanRequest.id == request.id, PlanRequest.decided_at.is_(None))
        .values(decided_at=now, granted=granted, reason=reason)
        .returning(PlanRequest.id)
    ).all()
    if not decided:
        raise AlreadyDecided("This request was decided already.")
    if granted:
        set_terms(request.account, plan=request.plan, diffs_addon=request.diffs_addon)
        note_plan(session, request.account, now=now)
