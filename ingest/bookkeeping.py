"""Between the rows that are stored and the values that ingestion decides on."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from typing import cast

from sqlalchemy import ColumnElement, CursorResult, Table, bindparam, select, update
from sqlalchemy.orm import Session, contains_eager

from ingest.facts import Facts, health_facts
from ingest.health import judge
from ingest.outcomes import Failure
from openapi.vocabulary import AdapterType, Health
from storage.models import FetchFacts, Source
from storage.sources import host_of, tags_of

_FACTS = cast("Table", FetchFacts.__table__)  # as a table: no objects need to hear of it
_GIVE_BACK = (
    update(_FACTS)
    .where(
        _FACTS.c.source_id == bindparam("held_source"),
        _FACTS.c.leased_until.is_not_distinct_from(bindparam("held_until")),
    )
    .values(leased_until=None)
)
STORED = tuple(field.name for field in fields(Facts) if field.name not in {"slug", "adapter_type"})


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
    query = select(Source).join(Source.facts).options(contains_eager(Source.facts))
    return [_job(each) for each in session.scalars(query.where(Source.id.in_(source_ids)))]


def _job(source: Source) -> Job:
    return Job(
        source_id=source.id,
        slug=source.slug,
        vendor=source.vendor,
        tags=tuple(tags_of(source)),
        adapter_type=source.adapter_type,
        entry_count=source.entry_count,
        health=source.health,
        leased_until=source.facts.leased_until,
        recipe=source.facts.recipe,
        facts=facts_of(source, source.facts),
    )


def facts_of(source: Source, row: FetchFacts) -> Facts:
    """Return the stored facts of a source."""
    stored = {name: getattr(row, name) for name in STORED}
    if stored["last_failure"] is not None:
        stored["last_failure"] = Failure(stored["last_failure"])
    return Facts(slug=source.slug, adapter_type=source.adapter_type, **stored)


def require_lease(session: Session, job: Job) -> None:
    """Raise LeaseLost when the source is no longer held by this look, or is gone."""
    query = select(FetchFacts.source_id).where(*_is_held(job))
    if session.scalar(query) is None:
        raise LeaseLost(job.slug)


def _is_held(job: Job) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return (
        FetchFacts.source_id == job.source_id,
        FetchFacts.leased_until.is_not_distinct_from(job.leased_until),
    )


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
    values: dict[str, object] = {
        name: after
        for name in STORED
        if (after := getattr(facts, name)) != getattr(job.facts, name)
    }
    if "feed_url" in values:
        values["host"] = host_of(facts.feed_url)
    if facts.last_failure is not None:
        values["last_failure"] = facts.last_failure.value
    if recipe is not None:
        values |= {"recipe": recipe, "recipe_made_at": now}
    held = {"held_source": job.source_id, "held_until": job.leased_until}
    stored = session.execute(_GIVE_BACK, {**held, "last_message": message, **values})
    assert isinstance(stored, CursorResult)
    if stored.rowcount != 1:
        raise LeaseLost(job.slug)
    health = judge(health_facts(facts), now=now).health
    if health is not job.health:
        session.execute(update(Source).where(Source.id == job.source_id).values(health=health))
