"""Between the rows that are stored and the values that ingestion decides on."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, cast

from sqlalchemy import Table, bindparam, null, select, update
from sqlalchemy.orm import Session

from ingest.fetching.outcomes import Failure
from ingest.scheduling.fetch_state import Facts, health_facts
from ingest.scheduling.health import judge
from openapi.vocabulary import AdapterType, Health
from storage.engine.statements import PreparedQuery, PreparedWrite
from storage.engine.types import AnySelect
from storage.models import FetchFacts, Source

_FACTS = cast("Table", FetchFacts.__table__)  # as a table: no objects need to hear of it
_SOURCES = cast("Table", Source.__table__)


@cache
def _give_back_with(columns: tuple[str, ...]) -> PreparedWrite:
    """Return what writes these columns of the facts and ends the lease, where it still holds."""
    held = (
        _FACTS.c.source_id == bindparam("held_source"),
        _FACTS.c.leased_until.is_not_distinct_from(bindparam("held_until")),
    )
    values = {name: bindparam(f"new_{name}", type_=_FACTS.c[name].type) for name in columns}
    return PreparedWrite(
        lambda _: update(_FACTS).where(*held).values(**values, leased_until=null())
    )


_JUDGE = PreparedWrite(
    lambda _: (
        update(_SOURCES)
        .where(_SOURCES.c.id == bindparam("source"))
        .values(health=bindparam("judged", type_=_SOURCES.c.health.type))
    )
)
STORED = tuple(field.name for field in fields(Facts) if field.name not in {"slug", "adapter_type"})
_JOBS: AnySelect = select(
    _SOURCES.c.id,
    _SOURCES.c.slug,
    _SOURCES.c.vendor,
    _SOURCES.c.tags,
    _SOURCES.c.adapter_type,
    _SOURCES.c.entry_count,
    _SOURCES.c.health,
    _FACTS.c.leased_until,
    _FACTS.c.recipe,
    *(_FACTS.c[name] for name in STORED),
).select_from(_SOURCES.join(_FACTS, _FACTS.c.source_id == _SOURCES.c.id))


_LEASE = PreparedQuery(
    select(_FACTS.c.leased_until).where(_FACTS.c.source_id == bindparam("source"))
)


class LeaseLost(Exception):
    """Somebody else has the source by now; what was found is theirs to find."""


@dataclass(frozen=True, slots=True)
class Job:
    """A source as the pipeline takes it: what its entries inherit, and its facts.

    ``leased_until`` is the lease that the look is done under: what it finds is stored only
    while it is still the source's. ``recipe`` is JSON.
    """

    source_id: int
    slug: str
    vendor: str
    tags: tuple[str, ...]
    adapter_type: AdapterType
    entry_count: int
    health: Health
    leased_until: datetime | None
    recipe: str | None
    facts: Facts


def load_jobs(session: Session, source_ids: Collection[int]) -> list[Job]:
    """Read everything about sources that looks at them need."""
    query = _JOBS.where(_SOURCES.c.id.in_(source_ids))
    return [_job(tuple(row)) for row in session.execute(query)]


def _job(row: tuple[Any, ...]) -> Job:
    source_id, slug, vendor, tags, adapter_type, entry_count, health, until, recipe, *rest = row
    stored = dict(zip(STORED, rest, strict=True))
    return Job(
        source_id=source_id,
        slug=slug,
        vendor=vendor,
        tags=tuple(tags),
        adapter_type=adapter_type,
        entry_count=entry_count,
        health=health,
        leased_until=until,
        recipe=recipe,
        facts=_facts(slug, adapter_type, stored),
    )


def facts_of(source: Source, row: FetchFacts) -> Facts:
    """Return the stored facts of a source."""
    return _facts(source.slug, source.adapter_type, {name: getattr(row, name) for name in STORED})


def _facts(slug: str, adapter_type: AdapterType, stored: dict[str, Any]) -> Facts:
    if stored["last_failure"] is not None:
        stored["last_failure"] = Failure(stored["last_failure"])
    return Facts(slug=slug, adapter_type=adapter_type, **stored)


def require_lease(session: Session, job: Job) -> None:
    """Raise LeaseLost when the source is no longer held by this look, or is gone."""
    until = _LEASE.values(session, {"source": job.source_id})
    if until != [job.leased_until]:
        raise LeaseLost(job.slug)


def store_facts(
    session: Session,
    job: Job,
    facts: Facts,
    *,
    message: str | None,
    recipe: str | None,
    now: datetime,
) -> None:
    """Store the facts after a look and give the lease back.

    ``message`` is for the operator, ``recipe`` a new one. Raises LeaseLost when the source is
    no longer held by this look, or is gone.
    """
    _give_back(session, [_written(job, facts, message=message, recipe=recipe, now=now)])
    _store_health(session, [(job, facts)], now=now)


def store_many_facts(
    session: Session, looks: Sequence[tuple[Job, Facts]], *, now: datetime
) -> None:
    """Do what store_facts does for looks that found nothing new, in a few statements.

    Raises LeaseLost when one of the sources is no longer held; then all has to be undone.
    """
    alike: defaultdict[tuple[str, ...], list[dict[str, object]]] = defaultdict(list)
    for job, facts in looks:
        row = _written(job, facts, message=None, recipe=None, now=now)
        alike[tuple(row)].append(row)
    for rows in alike.values():
        _give_back(session, rows)
    _store_health(session, looks, now=now)


def _written(
    job: Job, facts: Facts, *, message: str | None, recipe: str | None, now: datetime
) -> dict[str, object]:
    """Return what is written of the facts after a look: what the look has changed."""
    before = job.facts
    values: dict[str, object] = {
        name: after for name in STORED if (after := getattr(facts, name)) != getattr(before, name)
    }
    if "feed_url" in values:
        from storage.catalog.sources import host_of  # brings the lists of the catalog along

        values["host"] = host_of(facts.feed_url)
    if facts.last_failure is not None:
        values["last_failure"] = facts.last_failure.value
    if recipe is not None:
        values |= {"recipe": recipe, "recipe_made_at": now}
    held = {"held_source": job.source_id, "held_until": job.leased_until}
    return {**held, "last_message": message, **values}


def _give_back(session: Session, rows: Sequence[dict[str, object]]) -> None:
    """Write rows of the same columns where the leases still hold, and end the leases."""
    columns = tuple(name for name in rows[0] if name not in {"held_source", "held_until"})
    renamed = [
        {name if name.startswith("held_") else f"new_{name}": value for name, value in row.items()}
        for row in rows
    ]
    counts = session.get_bind().dialect.supports_sane_multi_rowcount
    statement = _give_back_with(columns)
    for some in [renamed] if counts else [[row] for row in renamed]:
        stored = statement.run(session, some)
        if stored != len(some):
            raise LeaseLost(f"{len(some) - stored} of {len(some)}")


def _store_health(session: Session, looks: Sequence[tuple[Job, Facts]], *, now: datetime) -> None:
    judged = [(job, judge(health_facts(facts), now=now).health) for job, facts in looks]
    rows = [
        {"source": job.source_id, "judged": health}
        for job, health in judged
        if health is not job.health
    ]
    _JUDGE.run(session, rows)
