"""Subscriptions at the hubs that sources name: asked for, promised, renewed and ended."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from storage.models import FetchFacts, HubPush, HubSubscription
from storage.scheduling.due import postpone

LEASE: Final = timedelta(days=10)
"""What hubs are asked for."""
SHORTEST_LEASE: Final = timedelta(hours=1)
"""A hub that promises less is asked too often to be worth it."""
LONGEST_LEASE: Final = timedelta(days=30)
RENEWED_AFTER: Final = 0.8  # of a lease
ASK_AGAIN: Final = timedelta(hours=1)
ANSWERED_WITHIN: Final = timedelta(days=1)
LONGEST_PAUSE: Final = timedelta(days=7)
NOTE_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class HubRequest:
    """A subscription to ask a hub for."""

    source_id: int
    hub: str
    topic: str
    token: str
    secret: str


def name_hub(
    session: Session, source_id: int, named: tuple[str, str] | None, *, now: datetime
) -> None:
    """Keep which hub and topic the document of a source names now; the one before is left."""
    session.execute(delete(HubPush).where(HubPush.source_id == source_id))
    session.execute(delete(HubSubscription).where(HubSubscription.source_id == source_id))
    if named is not None:
        hub, topic = named
        session.add(
            HubSubscription(
                source_id=source_id,
                hub=hub,
                topic=topic,
                token=secrets.token_urlsafe(32),
                secret=secrets.token_urlsafe(32),
                next_ask_at=now,
            )
        )


def take_requests(session: Session, *, now: datetime, most: int) -> list[HubRequest]:
    """Return subscriptions that are to be asked for, each of which nobody else asks for now.

    Each time that a hub does not promise anything it is left alone for longer.
    """
    due = (
        select(HubSubscription)
        .where(HubSubscription.next_ask_at <= now)
        .order_by(HubSubscription.next_ask_at)
        .limit(most)
    )
    requests = []
    for row in session.scalars(due.with_for_update(skip_locked=True)):
        pause = min(ASK_AGAIN * (1 << min(row.failures, 10)), LONGEST_PAUSE)
        row.asked_at, row.next_ask_at, row.failures = now, now + pause, row.failures + 1
        requests.append(HubRequest(row.source_id, row.hub, row.topic, row.token, row.secret))
    return requests


def record_fault(session: Session, request: HubRequest, fault: str) -> None:
    """Keep why a hub did not take a request."""
    session.execute(
        update(HubSubscription)
        .where(HubSubscription.token == request.token)
        .values(note=fault[:NOTE_LENGTH])
    )


def find_subscription(
    session: Session, token: str, *, to_change: bool = True
) -> HubSubscription | None:
    """Return the subscription of a callback's token; ``to_change`` holds it until the end."""
    query = select(HubSubscription).where(HubSubscription.token == token)
    return session.scalar(query.with_for_update() if to_change else query)


def is_wanted(row: HubSubscription, *, now: datetime) -> bool:
    """Tell whether a hub may confirm a subscription: it was asked for it, or has it already."""
    is_live = row.live_until is not None and row.live_until > now
    return is_live or (row.asked_at is not None and row.asked_at > now - ANSWERED_WITHIN)


def confirm_subscription(row: HubSubscription, lease: timedelta, *, now: datetime) -> bool:
    """Begin or renew a subscription that its hub confirms; False if the lease is too short."""
    if lease < SHORTEST_LEASE:
        row.note = "The hub promises to push for less than an hour."
        return False
    lease = min(lease, LONGEST_LEASE)
    is_live = row.live_until is not None and row.live_until > now
    row.live_since = row.live_since if is_live else now
    row.live_until, row.next_ask_at = now + lease, now + lease * RENEWED_AFTER
    row.failures, row.note = 0, None
    return True


def end_subscription(
    session: Session, row: HubSubscription, note: str, *, until: datetime, now: datetime
) -> None:
    """End what a hub has promised; it is not asked again before a time, and the source is polled.

    What has not been pushed may be waiting at the vendor's own address.
    """
    row.live_since = row.live_until = row.asked_at = None
    row.next_ask_at, row.note = until, note[:NOTE_LENGTH]
    poll_again(session, [row.source_id], now=now)


def end_silent(session: Session, source_id: int, *, now: datetime) -> None:
    """End what a hub has promised and not kept; it is asked once more in a week."""
    session.execute(
        update(HubSubscription)
        .where(HubSubscription.source_id == source_id)
        .values(
            live_since=None,
            live_until=None,
            asked_at=None,
            next_ask_at=now + LONGEST_PAUSE,
            note="The hub did not push what was published.",
        )
    )


def end_overdue(session: Session, *, now: datetime) -> int:
    """End the subscriptions whose lease was not renewed; return how many there are."""
    over = select(HubSubscription).where(HubSubscription.live_until <= now)
    rows = session.scalars(over.with_for_update(skip_locked=True)).all()
    for row in rows:
        row.live_since = row.live_until = None
    poll_again(session, [row.source_id for row in rows], now=now)
    return len(rows)


def poll_again(session: Session, source_ids: list[int], *, now: datetime) -> None:
    """Make sources due that were polled rarely, as early as their vendors want."""
    facts = select(
        FetchFacts.source_id, FetchFacts.last_attempt_at, FetchFacts.floor, FetchFacts.next_check_at
    ).where(FetchFacts.source_id.in_(source_ids))
    times: dict[int, datetime] = {}
    for key, attempted_at, floor, next_at in session.execute(facts):
        earliest = max(now, (attempted_at or now) + (floor or timedelta()))
        if next_at is not None and next_at > earliest:
            times[key] = earliest
    postpone(session, times)
