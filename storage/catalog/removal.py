"""Remove sources from the catalog for good (docs/decisions/0236)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, insert, select
from sqlalchemy.orm import Session

from storage.catalog.search.catalog_search import forget_index
from storage.catalog.sources import count_vendors
from storage.delivery.digests import end_digest, find_digest
from storage.delivery.subscriptions import SourceIds, followed_sources
from storage.delivery.webhooks import disable_webhook
from storage.entries.diffs import drop_snapshots, snapshot_times
from storage.entries.removals import add_removals
from storage.models import (
    Account,
    Base,
    Entry,
    Follow,
    RemovedFollow,
    RemovedSelection,
    Selection,
    Source,
    Webhook,
)
from storage.models.webhooks import DisabledReason
from storage.people.accounts import lock_account
from storage.scheduling.due import lock_facts


@dataclass(frozen=True, slots=True)
class Removal:
    """Counts of what was removed with sources. ``followers``: accounts that followed one.

    ``webhooks`` were disabled and ``digests`` ended, because nothing of their list is left.
    """

    entries: int
    followers: int
    webhooks: int
    digests: int


@dataclass(frozen=True, slots=True)
class _Pushed:
    """A webhook, or the digest without one, and what it is about."""

    account: Account
    webhook_id: int | None
    key_id: int | None
    sources: SourceIds


def remove_sources(session: Session, source_ids: Collection[int], *, now: datetime) -> Removal:
    """Delete sources with all that was read of them; nobody follows them any more.

    On a plan that has the whole catalog no list is the whole of it. What followed a list that
    nothing is left of ends, or it would be sent everything. Followers are told of each entry.
    """
    owners = select(Follow.account_id).where(Follow.source_id.in_(source_ids)).distinct()
    followers = session.scalars(owners.order_by(Follow.account_id)).all()
    before = [
        pushed for account_id in followers for pushed in _pushed_to(session, account_id, now=now)
    ]
    lock_facts(session, source_ids)
    # Entries before their sources, as whoever judges entries anew locks them.
    locked = select(Entry.id).where(Entry.source_id.in_(source_ids)).order_by(Entry.id)
    entries = session.scalar(select(func.count()).select_from(locked.with_for_update().subquery()))
    add_removals(session, source_ids, now=now)
    _remember(session, RemovedFollow, Follow, "account_id", source_ids)
    _remember(session, RemovedSelection, Selection, "key_id", source_ids)
    for source_id in sorted(source_ids):
        drop_snapshots(session, [key for key, _ in snapshot_times(session, source_id)])
        session.execute(delete(Source).where(Source.id == source_id))
    count_vendors(session)
    forget_index()
    webhooks, digests = _end_widened(session, before, now=now)
    return Removal(entries or 0, len(followers), webhooks, digests)


def _remember(
    session: Session,
    removed: type[Base],
    present: type[Base],
    owner: str,
    source_ids: Collection[int],
) -> None:
    """Let the owners of sources go on to be told of the removal."""
    noted, rows = removed.__table__.alias(), present.__table__
    of_owner = and_(noted.c[owner] == rows.c[owner], noted.c.slug == Source.slug)
    new = (
        select(rows.c[owner], Source.slug)
        .join(Source, Source.id == rows.c.source_id)
        .outerjoin(noted, of_owner)
        .where(rows.c.source_id.in_(source_ids), noted.c.slug.is_(None))
    )
    session.execute(insert(removed).from_select([owner, "slug"], new))


def _pushed_to(session: Session, account_id: int, *, now: datetime) -> list[_Pushed]:
    """Return what is pushed to an account; nobody changes what it follows meanwhile."""
    account = lock_account(session, account_id)
    hooks = select(Webhook.id, Webhook.key_id).where(
        Webhook.account_id == account_id, Webhook.disabled_at.is_(None)
    )
    ends: list[tuple[int | None, int | None]] = [
        (row.id, row.key_id) for row in session.execute(hooks)
    ]
    if find_digest(session, account_id) is not None:
        ends.append((None, None))
    return [
        _Pushed(
            account, webhook_id, key_id, followed_sources(session, account, key_id=key_id, now=now)
        )
        for webhook_id, key_id in ends
    ]


def _end_widened(
    session: Session, before: Collection[_Pushed], *, now: datetime
) -> tuple[int, int]:
    """End what followed some sources and would follow all now; count webhooks and digests."""
    webhooks = digests = 0
    for pushed in before:
        after = followed_sources(session, pushed.account, key_id=pushed.key_id, now=now)
        if pushed.sources is None or after is not None:
            continue
        if pushed.webhook_id is None:
            end_digest(session, pushed.account.id)
            digests += 1
        else:
            disable_webhook(session, pushed.webhook_id, DisabledReason.NOTHING_LEFT, now=now)
            webhooks += 1
    return webhooks, digests
