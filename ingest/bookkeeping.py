"""Between the rows that are stored and the values that ingestion decides on."""

from dataclasses import dataclass, fields

from sqlalchemy import select
from sqlalchemy.orm import Session, contains_eager

from ingest.facts import Facts
from ingest.outcomes import Failure
from openapi.vocabulary import AdapterType
from storage.models import FetchFacts, Source
from storage.sources import host_of, tags_of

STORED = tuple(field.name for field in fields(Facts) if field.name not in {"slug", "adapter_type"})


@dataclass(frozen=True, slots=True)
class Job:
    """A source as the pipeline takes it: what its entries inherit, and its facts."""

    source_id: int
    slug: str
    vendor: str
    tags: tuple[str, ...]
    adapter_type: AdapterType
    entry_count: int
    facts: Facts


def load_job(session: Session, source_id: int) -> Job:
    """Read everything about a source that a look at it needs."""
    query = select(Source).join(Source.facts).options(contains_eager(Source.facts))
    source = session.scalars(query.where(Source.id == source_id)).one()
    return Job(
        source_id=source.id,
        slug=source.slug,
        vendor=source.vendor,
        tags=tuple(tags_of(source)),
        adapter_type=source.adapter_type,
        entry_count=source.entry_count,
        facts=facts_of(source, source.facts),
    )


def facts_of(source: Source, row: FetchFacts) -> Facts:
    """Return the stored facts of a source."""
    stored = {name: getattr(row, name) for name in STORED}
    if stored["last_failure"] is not None:
        stored["last_failure"] = Failure(stored["last_failure"])
    return Facts(slug=source.slug, adapter_type=source.adapter_type, **stored)


def store_facts(session: Session, source_id: int, facts: Facts, *, message: str | None) -> None:
    """Store the facts after a look and give the lease back. ``message`` is for the operator."""
    row = session.get_one(FetchFacts, source_id)
    for name in STORED:
        setattr(row, name, getattr(facts, name))
    row.host = host_of(facts.feed_url)
    row.last_message = message
    row.leased_until = None
