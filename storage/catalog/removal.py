"""Remove sources from the catalog for good (docs/decisions/0236)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, insert, select
from sqlalchemy.orm import Session

from storage.catalog.search.catalog_search import forget_index
from storage.catalog.sources import count_vendors
from storage.entries.diffs import drop_snapshots, snapshot_times
from storage.entries.removals import add_removals
from storage.models import Base, Entry, Follow, RemovedFollow, RemovedSelection, Selection, Source
from storage.people.accounts import lock_account
from storage.scheduling.due import lock_facts


@dataclass(frozen=True, slots=True)
class Removal:
    """Counts of what was removed with sources. ``followers``: accounts that followed one."""

    entries: int
    followers: int


def remove_sources(session: Session, source_ids: Collection[int], *, now: datetime) -> Removal:
    """Delete sources with everything read of them; followers get each entry as a change."""
    owners = select(Follow.account_id).where(Follow.source_id.in_(source_ids)).distinct()
    followers = session.scalars(owners.order_by(Follow.account_id)).all()
    for account_id in followers:
        lock_account(session, account_id)  # nobody changes what it follows meanwhile
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
    return Removal(entries or 0, len(followers))


def _remember(
    session: Session,
    removed: type[Base],
    present: type[Base],
    owner: str,
    source_ids: Collection[int],
) -> None:
    """Let the followers of sources still get their removal as a change."""
    noted, rows = removed.__table__.alias(), present.__table__
    of_owner = and_(noted.c[owner] == rows.c[owner], noted.c.slug == Source.slug)
    new = (
        select(rows.c[owner], Source.slug)
        .join(Source, Source.id == rows.c.source_id)
        .outerjoin(noted, of_owner)
        .where(rows.c.source_id.in_(source_ids), noted.c.slug.is_(None))
    )
    session.execute(insert(removed).from_select([owner, "slug"], new))
