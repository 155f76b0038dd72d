"""Which sources are due; on SQLite also who checks them: leases that end when a worker dies."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, and_, bindparam, case, func, or_, select, update
from sqlalchemy.orm import Session

from openapi.vocabulary import Tier
from storage.engine.statements import batches, insert_into
from storage.engine.types import AnySelect
from storage.models import FetchFacts, Follow, RateWindow, Source

LEASE = timedelta(minutes=5)  # longer than a fetch and a parse can take together
AT_A_TIME = 2  # sources of one host
CLOCKS_DIFFER = timedelta(hours=1)  # at most, those of several machines
LONGEST_SWEEP = timedelta(days=7)
_BATCH = 512
GITHUB: Final = "quota/github"
LONGEST_QUOTA: Final = timedelta(days=1)
"""A quota lasts an hour; what is further ahead was written by a clock that was put back since."""


@dataclass(frozen=True, slots=True)
class SourceLease:
    """A source leased by this worker."""

    source_id: int
    host: str
    until: datetime


@dataclass(frozen=True, slots=True)
class DueSource:
    """A source whose check is due. ``due_at`` and ``interval`` are None before the first one."""

    source_id: int
    slug: str
    host: str
    due_at: datetime | None
    interval: timedelta | None
    tier: Tier


def is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition of sources whose next check has come."""
    return or_(FetchFacts.next_check_at.is_(None), FetchFacts.next_check_at <= now)


def not_attempted_since(start: datetime) -> ColumnElement[bool]:
    """Return the condition of sources that a sweep begun at ``start`` has still to check."""
    attempted = FetchFacts.last_attempt_at
    ahead = attempted_ahead(start + LONGEST_SWEEP)
    return or_(attempted.is_(None), attempted < start, ahead)


def attempted_ahead(now: datetime) -> ColumnElement[bool]:
    """Return the condition of sources that were checked by a clock that was put back since."""
    return FetchFacts.last_attempt_at > now + CLOCKS_DIFFER


def claim_sources(
    session: Session,
    *conditions: ColumnElement[bool],
    now: datetime,
    most: int,
    per_host: int,
    avoid: Collection[str] = (),
    mine: Collection[int] = (),
) -> list[SourceLease]:
    """Lease some sources that fulfil the conditions, the longest due first, few of each host.

    Left out are sources that are leased, whose Retry-After still holds, and those of hosts to
    ``avoid``. A host is one worker's at a time: left out are those of which somebody else has a
    source; ``mine`` are what this worker has already. One transaction writes at a time on SQLite.
    """
    others = select(FetchFacts.host).where(
        FetchFacts.leased_until > now, FetchFacts.source_id.not_in(mine)
    )
    hidden = {*avoid, *session.scalars(others.distinct())}
    where = [_is_free(now), FetchFacts.host.not_in(hidden), *conditions]
    query = _fair_query(where, most=most, per_host=per_host)
    hosts: dict[int, str] = dict(session.execute(query).all())
    until = now + LEASE
    leased = update(FetchFacts).where(FetchFacts.source_id.in_(hosts)).values(leased_until=until)
    session.execute(leased)
    return [SourceLease(key, host, until) for key, host in hosts.items()]


def _is_free(now: datetime) -> ColumnElement[bool]:
    return and_(
        or_(FetchFacts.leased_until.is_(None), FetchFacts.leased_until <= now), _may_be_asked(now)
    )


def _may_be_asked(now: datetime) -> ColumnElement[bool]:
    return or_(FetchFacts.retry_after_at.is_(None), FetchFacts.retry_after_at <= now)


def _fair_query(where: Sequence[ColumnElement[bool]], *, most: int, per_host: int) -> AnySelect:
    """Return the query of ids and hosts of the sources due the longest, few of each host.

    Two of every host come before the third of any, or a crowded host would fill the claim.
    """
    oldest_first = (FetchFacts.next_check_at.asc().nulls_first(), FetchFacts.source_id)
    candidates = (
        select(
            FetchFacts.source_id,
            FetchFacts.host,
            FetchFacts.next_check_at,
            func.row_number()
            .over(partition_by=FetchFacts.host, order_by=oldest_first)
            .label("place"),
        )
        .where(*where)
        .subquery()
    )
    return (
        select(candidates.c.source_id, candidates.c.host)
        .where(candidates.c.place <= per_host)
        .order_by(
            (candidates.c.place - 1) // AT_A_TIME,
            candidates.c.next_check_at.asc().nulls_first(),
            candidates.c.source_id,
        )
        .limit(most)
    )


def any_free(session: Session, *conditions: ColumnElement[bool], now: datetime) -> bool:
    """Return whether there may be something to claim, without writing."""
    query = select(FetchFacts.source_id).where(_is_free(now), *conditions).limit(1)
    return session.scalar(query) is not None


def due_sources(session: Session, *, now: datetime) -> list[DueSource]:
    """Return all due sources that may be requested and are not leased."""
    query = (
        select(
            FetchFacts.source_id,
            Source.slug,
            FetchFacts.host,
            FetchFacts.next_check_at,
            FetchFacts.interval,
            Source.tier,
        )
        .join(Source, Source.id == FetchFacts.source_id)
        .where(is_due(now), _is_free(now))
    )
    return [DueSource(*row) for row in session.execute(query)]


def due_hosts(session: Session, *conditions: ColumnElement[bool], now: datetime) -> list[str]:
    """Return the hosts of the sources that fulfil the conditions, the longest due first."""
    query = select(FetchFacts.host).where(_may_be_asked(now), *conditions).group_by(FetchFacts.host)
    never = func.count() > func.count(FetchFacts.next_check_at)
    return list(session.scalars(query.order_by(never.desc(), func.min(FetchFacts.next_check_at))))


def due_of_host(
    session: Session, host: str, *conditions: ColumnElement[bool], now: datetime
) -> list[int]:
    """Return the sources of a host that fulfil the conditions, the longest due first."""
    oldest_first = (FetchFacts.next_check_at.asc().nulls_first(), FetchFacts.source_id)
    query = select(FetchFacts.source_id).where(FetchFacts.host == host, _may_be_asked(now))
    return list(session.scalars(query.where(*conditions).order_by(*oldest_first)))


def first_sweep(session: Session) -> tuple[int, datetime | None]:
    """Return how many sources were never requested, and when the last of them is to be."""
    waiting = select(func.count(), func.max(FetchFacts.next_check_at)).where(
        FetchFacts.last_attempt_at.is_(None)
    )
    count, until = session.execute(waiting).one()
    return count, until


def postpone(session: Session, times: Mapping[int, datetime]) -> None:
    """Give sources, by id, another time for their next check; those that were removed have none."""
    query = update(FetchFacts).where(FetchFacts.__table__.c.source_id == bindparam("source"))
    rows = [{"source": key, "next_check_at": at} for key, at in sorted(times.items())]
    if rows:
        session.connection().execute(query, rows)


def lock_facts(session: Session, source_ids: Collection[int]) -> dict[int, int]:
    """Lock the facts of sources before anything else of them; return how often each was checked.

    In one order everywhere, so that storing checks and removing sources cannot wait for each other.
    """
    checks: dict[int, int] = {}
    for batch in batches(sorted(source_ids), _BATCH):
        facts = select(FetchFacts.source_id, FetchFacts.checks)
        facts = facts.where(FetchFacts.source_id.in_(batch)).order_by(FetchFacts.source_id)
        checks |= dict(session.execute(facts.with_for_update()).all())
    return checks


def reset_future_checks(session: Session, *, now: datetime) -> int:
    """Make due what was checked by a clock that has been put back; return how many there are.

    A Retry-After that was sent then holds for as long from now on.
    """
    query = select(FetchFacts.source_id, FetchFacts.last_attempt_at, FetchFacts.retry_after_at)
    due: dict[int, datetime] = {}
    for key, attempted_at, until in session.execute(query.where(attempted_ahead(now))):
        due[key] = now
        if attempted_at is not None and until is not None:
            due[key] = now + (until - attempted_at)
            changes = {"last_attempt_at": now, "retry_after_at": due[key]}
            session.execute(update(FetchFacts).where(FetchFacts.source_id == key).values(changes))
    postpone(session, due)
    return len(due)


def count_sources_where(session: Session, *conditions: ColumnElement[bool]) -> int:
    """Return how many sources fulfil the conditions."""
    return session.scalar(select(func.count()).select_from(FetchFacts).where(*conditions)) or 0


def release_sources(session: Session, claims: Collection[SourceLease]) -> None:
    """Give back sources that were leased and not checked, unless another worker has them."""
    for claim in claims:
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.source_id == claim.source_id, FetchFacts.leased_until == claim.until)
            .values(leased_until=None)
        )


def retry_afters(session: Session, *, now: datetime) -> list[tuple[str, str, datetime, datetime]]:
    """Return every Retry-After that still holds: host, address, when it was sent, until when."""
    query: AnySelect = select(
        FetchFacts.host, FetchFacts.feed_url, FetchFacts.last_attempt_at, FetchFacts.retry_after_at
    ).where(FetchFacts.retry_after_at > now, FetchFacts.last_attempt_at.is_not(None))
    return list(session.execute(query))


def forget_recipe(session: Session, slug: str) -> bool:
    """Drop the recipe that a page's redesign led to; return whether there was one."""
    source_id = select(Source.id).where(Source.slug == slug).scalar_subquery()
    forgotten = session.scalars(
        update(FetchFacts)
        .where(FetchFacts.source_id == source_id, FetchFacts.recipe.is_not(None))
        .values(
            recipe=None,
            recipe_made_at=None,
            body_hash=None,
            etag=None,
            last_modified=None,
            validators_url=None,
            next_check_at=None,
        )
        .returning(FetchFacts.source_id)
    )
    return forgotten.first() is not None


def close_quota(session: Session, name: str, *, until: datetime, now: datetime) -> None:
    """Let no process call an API until its quota is filled again, a day at most.

    A quota that is known to be filled later stays closed until then.
    """
    closes_at, before = min(until, now + LONGEST_QUOTA), RateWindow.closes_at
    opened = insert_into(session, RateWindow).values(name=name, hits=0, closes_at=closes_at)
    is_later = and_(before > closes_at, before <= now + LONGEST_QUOTA)
    later = {"closes_at": case((is_later, before), else_=closes_at)}
    session.execute(opened.on_conflict_do_update(index_elements=["name"], set_=later))


def is_quota_open(session: Session, name: str, *, now: datetime) -> bool:
    """Return whether an API may be called, as far as processes have said."""
    until = session.scalar(select(RateWindow.closes_at).where(RateWindow.name == name))
    return until is None or not now < until <= now + LONGEST_QUOTA


def demands_of_sources(session: Session) -> list[tuple[int, str, float, timedelta | None]]:
    """Return id, host, pull and floor of every source whose cadence was measured."""
    query: AnySelect = select(
        FetchFacts.source_id, FetchFacts.host, FetchFacts.pull, FetchFacts.floor
    ).where(FetchFacts.pull.is_not(None))
    return list(session.execute(query))


def followers_of_sources(session: Session) -> dict[int, int]:
    """Return how many accounts follow each source."""
    query = select(Follow.source_id, func.count(Follow.account_id)).group_by(Follow.source_id)
    return dict(session.execute(query).all())


def host_of(address: str) -> str:
    """Return the host that an address is fetched from, in lower case."""
    return (urlsplit(address).hostname or "").lower()
