"""What peers ask of the data: our indexes and the shape of our page query, through the ORM."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from peers.orm import ApiKey, Entry, Refused, Selection, Source
from sqlalchemy import func, literal_column, select, union_all
from sqlalchemy.orm import Session, joinedload

from ingest.fetching.outcomes import Failure
from ingest.scheduling import health
from ingest.scheduling.schedule import start_interval
from openapi.vocabulary import AdapterType

FUTURE = timedelta(minutes=10)
SLOTS = {"free": 3, "starter": 10, "all": None}
FAR = datetime.max.replace(tzinfo=UTC)
NEWEST_FIRST = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())


@dataclass(frozen=True)
class Caller:
    """Whose key it is."""

    key_id: int
    plan: str
    scopes: list[str]


def caller_of(session: Session, text: str | None) -> Caller:
    """Return whose key it is, checked by its SHA-256; raise Refused for any other text."""
    parts = (text or "").split("_")
    if len(parts) == 3:
        query = select(ApiKey).where(ApiKey.public_id == parts[1])
        key = session.scalar(query.options(joinedload(ApiKey.account)))
        fits = key is not None and key.digest == hashlib.sha256(text.encode()).hexdigest()
        if fits and key.revoked_at is None and (key.expires_at or FAR) > datetime.now(UTC):
            return Caller(key.id, key.account.plan, key.scopes)
    raise Refused(401, "unauthorized", "The API key is missing or not valid.")


def entries_page(
    session: Session, caller: Caller, slugs: Sequence[str], *, since: datetime | None, limit, offset
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of the sources that the key may read."""
    if "read:entries" not in caller.scopes:
        raise Refused(403, "insufficient_scope", "The key lacks the scope read:entries.")
    slots = SLOTS[caller.plan]
    if slots is not None and len(slugs) > slots:
        raise Refused(403, "plan_limit_exceeded", "Too many sources.")
    sources = session.scalars(select(Source).where(Source.slug.in_(slugs))).all()
    allowed = {source.id for source in sources}
    if slots is not None:
        chosen = select(Selection.source_id).where(Selection.key_id == caller.key_id)
        allowed &= set(session.scalars(chosen))
    if len(allowed) < len(set(slugs)):
        raise Refused(403, "source_not_selected", "A source is not selected.")
    arms = []
    for source in sources:
        query = select(Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
        query = query.where(Entry.source_id == source.id)
        arms.append(query if since is None else query.where(Entry.published_at > since))
    names = ("published_at", "external_id", "source_id")
    merged = union_all(*arms).order_by(*(literal_column(f"{name} DESC") for name in names))
    page = merged.limit(limit).offset(offset).subquery()
    ids = session.scalars(select(page.c.id)).all()
    rows = session.scalars(
        select(Entry).where(Entry.id.in_(ids)).options(joinedload(Entry.of)).order_by(*NEWEST_FIRST)
    ).all()
    return sum(source.entry_count for source in sources), rows


def public_page(
    session: Session, *, limit: int, offset: int, important: bool
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of a public feed."""
    until = datetime.now(UTC) + FUTURE
    ahead = select(func.count()).select_from(Entry).where(Entry.published_at > until)
    query = select(Entry).where(Entry.published_at <= until)
    column = Source.entry_count
    if important:
        query, ahead = query.where(Entry.important == 1), ahead.where(Entry.important == 1)
        column = Source.important_count
    total = (session.scalar(select(func.sum(column))) or 0) - (session.scalar(ahead) or 0)
    query = query.options(joinedload(Entry.of)).order_by(*NEWEST_FIRST)
    return total, session.scalars(query.limit(limit).offset(offset)).all()


def catalog_page(session: Session, *, limit: int, offset: int) -> tuple[int, Sequence[Source]]:
    """Return total and sources by slug."""
    total = session.scalar(select(func.count()).select_from(Source)) or 0
    query = select(Source).options(joinedload(Source.facts)).order_by(Source.slug)
    return total, session.scalars(query.limit(limit).offset(offset)).all()


def sample(session: Session) -> tuple[int, Sequence[Source]]:
    """Return total and five sources of distinct vendors."""
    total = session.scalar(select(func.count()).select_from(Source)) or 0
    best = select(func.min(Source.slug)).where(Source.health == "healthy").group_by(Source.vendor)
    best = best.order_by(func.max(Source.prominence).desc(), func.min(Source.slug)).limit(5)
    query = select(Source).options(joinedload(Source.facts)).where(Source.slug.in_(best))
    return total, session.scalars(query).all()


def verdict(source: Source, now: datetime) -> health.Verdict:
    """Judge a source by our rules: its health changes with time, so nobody can store it."""
    facts, adapter_type = source.facts, AdapterType(source.adapter_type)
    interval, gap = facts.interval, facts.median_gap
    return health.judge(
        health.HealthFacts(
            adapter_type=adapter_type,
            interval=timedelta(seconds=interval) if interval else start_interval(adapter_type),
            fail_score=facts.fail_score,
            failures=facts.failures,
            empty_streak=facts.empty_streak,
            first_attempt_at=facts.first_attempt_at,
            last_attempt_at=facts.last_attempt_at,
            last_success_at=facts.last_success_at,
            last_failure=None if facts.last_failure is None else Failure(facts.last_failure),
            last_status=facts.last_status,
            entries_180d=facts.entries_180d,
            median_gap=None if gap is None else timedelta(seconds=gap),
            newest_published_at=facts.newest_published_at,
            open_gap=facts.open_gap,
        ),
        now=now,
    )
