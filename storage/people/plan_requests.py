"""Plans that people request from the operator: an account has one open request at most."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import select, text, update
from sqlalchemy.orm import Session, joinedload

from openapi.vocabulary import Plan
from storage.engine.statements import insert_into
from storage.models import PlanRequest
from storage.people.accounts import Refused

LONGEST_NOTE: Final = 1000
_PREFIX: Final = "plan_"


def ask_for_plan(
    session: Session,
    account_id: int,
    *,
    plan: Plan,
    diffs_addon: bool,
    note: str | None,
    now: datetime,
) -> PlanRequest | None:
    """Store what an account requests, in the place of its open request.

    Return the request, or None if the open one is the same.
    """
    waiting = waiting_request(session, account_id)
    wish = {"plan": plan, "diffs_addon": diffs_addon, "note": note}
    if waiting is not None and all(getattr(waiting, name) == value for name, value in wish.items()):
        return None
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
    return waiting_request(session, account_id)


def waiting_request(session: Session, account_id: int) -> PlanRequest | None:
    """Return the open request of an account with its account, or None."""
    query = select(PlanRequest).where(PlanRequest.decided_at.is_(None))
    query = query.options(joinedload(PlanRequest.account))
    return session.scalar(query.where(PlanRequest.account_id == account_id))


def list_plan_requests(session: Session) -> Sequence[PlanRequest]:
    """Return all requests, open and decided, with their accounts, oldest first."""
    query = select(PlanRequest).options(joinedload(PlanRequest.account))
    return session.scalars(query.order_by(PlanRequest.created_at, PlanRequest.id)).all()


def plan_request_id(request: PlanRequest) -> str:
    """Return the id by which commands name a request."""
    return f"{_PREFIX}{request.id}"


def find_plan_request(session: Session, id_: str) -> PlanRequest | None:
    """Return the request of an id that ``plan_request_id`` gave, with its account, or None."""
    digits = id_.removeprefix(_PREFIX)
    if digits == id_ or not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return None
    query = select(PlanRequest).where(PlanRequest.id == int(digits))
    return session.scalar(query.options(joinedload(PlanRequest.account)))


def decide(
    session: Session,
    request: PlanRequest,
    *,
    granted: bool,
    reason: str | None = None,
    now: datetime,
) -> None:
    """Close a request. Raises Refused: of two operators at once only one decides."""
    decided = session.scalars(
        update(PlanRequest)
        .where(PlanRequest.id == request.id, PlanRequest.decided_at.is_(None))
        .values(decided_at=now, granted=granted, reason=reason)
        .returning(PlanRequest.id)
    ).all()
    if not decided:
        raise Refused("This plan request is already decided.")
