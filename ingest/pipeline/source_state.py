"""The stored state of sources: loaded as values, stored again with the end of the lease."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache

from sqlalchemy import RowMapping, bindparam, null, select, update
from sqlalchemy.orm import Session

from ingest.fetching.outcomes import Failure
from ingest.scheduling.fetch_state import FetchState, health_facts
from ingest.scheduling.health import judge
from ingest.scheduling.lookups import Lookups, from_json, to_json
from openapi.vocabulary import AdapterType, Health
from storage.catalog.sources import host_of
from storage.engine.statements import PreparedQuery, PreparedWrite
from storage.engine.types import AnySelect
from storage.models import Base, FetchFacts, Source

_FACTS = Base.metadata.tables[FetchFacts.__tablename__]
_SOURCES = Base.metadata.tables[Source.__tablename__]


@cache
def _release_with(columns: tuple[str, ...]) -> PreparedWrite:
    """Return the statement that writes these columns and ends the lease, if it is still held."""
    lease = (
        _FACTS.c.source_id == bindparam("held_source"),
        _FACTS.c.leased_until.is_not_distinct_from(bindparam("held_until")),
    )
    values = {name: bindparam(f"new_{name}", type_=_FACTS.c[name].type) for name in columns}
    return PreparedWrite(
        lambda _: update(_FACTS).where(*lease).values(**values, leased_until=null())
    )


_STORE_HEALTH = PreparedWrite(
    lambda _: (
        update(_SOURCES)
        .where(_SOURCES.c.id == bindparam("source"))
        .values(health=bindparam("new_health", type_=_SOURCES.c.health.type))
    )
)
STORED = tuple(
    field.name for field in fields(FetchState) if field.name not in {"slug", "adapter_type"}
)
_LEASED: AnySelect = select(
    _SOURCES.c.id,
    _SOURCES.c.slug,
    _SOURCES.c.vendor,
    _SOURCES.c.name,
    _SOURCES.c.tags,
    _SOURCES.c.adapter_type,
    _SOURCES.c.entry_count,
    _SOURCES.c.health,
    _FACTS.c.leased_until,
    _FACTS.c.recipe,
    _FACTS.c.lookups,
    _SOURCES.c.changelog_url,
    _SOURCES.c.homepage,
    *(_FACTS.c[name] for name in STORED),
).select_from(_SOURCES.join(_FACTS, _FACTS.c.source_id == _SOURCES.c.id))


_LEASE = PreparedQuery(
    select(_FACTS.c.leased_until).where(_FACTS.c.source_id == bindparam("source"))
)


class LeaseLost(Exception):
    """Another worker has leased the source, so this result is not stored."""


@dataclass(frozen=True, slots=True)
class LeasedSource:
    """A source that is checked under a lease: what its entries inherit, and its fetch state.

    A result is stored only while ``leased_until`` is still the lease of the source. ``recipe`` is
    JSON. ``addresses`` are those that the catalog gives: of the changelog and of the product.
    """

    source_id: int
    slug: str
    vendor: str
    name: str
    tags: tuple[str, ...]
    adapter_type: AdapterType
    entry_count: int
    health: Health
    leased_until: datetime | None
    recipe: str | None
    state: FetchState
    lookups: Lookups = field(default_factory=Lookups)
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """The state of a source after a check at ``at``, to be stored.

    ``message`` is for the operator, ``recipe`` a new one; ``lookups`` None: as they were.
    """

    source: LeasedSource
    state: FetchState
    at: datetime
    message: str | None = None
    recipe: str | None = None
    lookups: Lookups | None = None


def load_sources(session: Session, source_ids: Collection[int]) -> list[LeasedSource]:
    """Load sources with their fetch state."""
    query = _LEASED.where(_SOURCES.c.id.in_(source_ids))
    return [_leased(row) for row in session.execute(query).mappings()]


def _leased(row: RowMapping) -> LeasedSource:
    state = {name: row[name] for name in ("slug", "adapter_type", *STORED)}
    if state["last_failure"] is not None:
        state["last_failure"] = Failure(state["last_failure"])
    return LeasedSource(
        source_id=row["id"],
        slug=row["slug"],
        vendor=row["vendor"],
        name=row["name"],
        tags=tuple(row["tags"]),
        adapter_type=row["adapter_type"],
        entry_count=row["entry_count"],
        health=row["health"],
        leased_until=row["leased_until"],
        recipe=row["recipe"],
        state=FetchState(**state),
        lookups=from_json(row["lookups"]),
        addresses=tuple(filter(None, (row["changelog_url"], row["homepage"]))),
    )


def require_lease(session: Session, source: LeasedSource) -> None:
    """Raise LeaseLost when the source is no longer held by this check, or is gone."""
    until = _LEASE.values(session, {"source": source.source_id})
    if until != [source.leased_until]:
        raise LeaseLost(source.slug)


def store_states(session: Session, updates: Sequence[StateUpdate]) -> None:
    """Store the states of sources after their checks and end the leases.

    Raises LeaseLost when one of the sources is no longer held; then all has to be undone.
    """
    by_columns: defaultdict[tuple[str, ...], list[dict[str, object]]] = defaultdict(list)
    for update_ in updates:
        row = _row(update_)
        by_columns[tuple(row)].append(row)
    for rows in by_columns.values():
        _write_and_release(session, rows)
    _store_health(session, updates)


def _row(update: StateUpdate) -> dict[str, object]:
    """Return the columns that a check has changed, with their values."""
    source, state = update.source, update.state
    values: dict[str, object] = {
        name: after
        for name in STORED
        if (after := getattr(state, name)) != getattr(source.state, name)
    }
    if "feed_url" in values:
        values["host"] = host_of(state.feed_url)
    if state.last_failure is not None:
        values["last_failure"] = state.last_failure.value
    if update.recipe is not None:
        values |= {"recipe": update.recipe, "recipe_made_at": update.at}
    if update.lookups is not None and update.lookups != source.lookups:
        values["lookups"] = to_json(update.lookups)
    values["last_message"] = update.message
    return {"held_source": source.source_id, "held_until": source.leased_until, **values}


def _write_and_release(session: Session, rows: Sequence[dict[str, object]]) -> None:
    """Write rows of the same columns where the leases still hold, and end the leases."""
    columns = tuple(name for name in rows[0] if name not in {"held_source", "held_until"})
    renamed = [
        {name if name.startswith("held_") else f"new_{name}": value for name, value in row.items()}
        for row in rows
    ]
    counts = session.get_bind().dialect.supports_sane_multi_rowcount
    statement = _release_with(columns)
    for batch in [renamed] if counts else [[row] for row in renamed]:
        stored = statement.run(session, batch)
        if stored != len(batch):
            raise LeaseLost(f"{len(batch) - stored} of {len(batch)}")


def _store_health(session: Session, updates: Sequence[StateUpdate]) -> None:
    rows = []
    for update_ in updates:
        health = judge(health_facts(update_.state), now=update_.at).health
        if health is not update_.source.health:
            rows.append({"source": update_.source.source_id, "new_health": health})
    _STORE_HEALTH.run(session, rows)
