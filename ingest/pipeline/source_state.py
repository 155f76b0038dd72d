"""The stored state of a source: loaded before its check, written after it."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from changelog_reader.adapters.base import KnownEntry
from ingest.fetching.outcomes import Failure
from ingest.scheduling.budget import Pause, host_pause
from ingest.scheduling.fetch_state import FetchState
from ingest.scheduling.lookups import Lookups, from_json
from ingest.scheduling.schedule import WINDOW
from openapi.vocabulary import AdapterType, Health
from storage.engine.database import Database
from storage.engine.types import AnySelect
from storage.entries.diffs import StoredSnapshot, last_snapshot
from storage.entries.entry_writes import StoredEntry, newest_entries
from storage.models import FetchFacts, Source
from storage.scheduling.due import retry_afters
from storage.scheduling.gaps import OpenGap, open_gaps

REMEMBERED: Final = 100
"""How many of the newest stored entries a document is compared with."""
ANCHORS: Final = 30
"""How many of the newest stored entries a page is compared with."""
MOST_TRIES: Final = 24
"""How many checks try to close a gap by older pages that cannot be fetched."""
STORED: Final = tuple(
    field.name for field in fields(FetchState) if field.name not in {"slug", "adapter_type"}
)
_SOURCE: AnySelect = select(
    *(Source.id, Source.slug, Source.vendor, Source.name, Source.tags, Source.adapter_type),
    *(Source.entry_count, Source.health, Source.changelog_url, Source.homepage),
    Source.on_demand,
    *(FetchFacts.checks, FetchFacts.recipe, FetchFacts.lookups),
    *(getattr(FetchFacts, name) for name in STORED),
).join(FetchFacts, FetchFacts.source_id == Source.id)


@dataclass(frozen=True, slots=True)
class SourceToCheck:
    """A source that is checked: what its entries inherit, and its fetch state.

    ``checks`` counts those that were stored: a result is stored only if it is still the same.
    ``recipe`` is JSON. ``addresses`` are those that the catalog gives: of the changelog and of the
    product.
    """

    source_id: int
    slug: str
    vendor: str
    name: str
    tags: tuple[str, ...]
    adapter_type: AdapterType
    entry_count: int
    health: Health
    checks: int
    recipe: str | None
    state: FetchState
    lookups: Lookups = field(default_factory=Lookups)
    addresses: tuple[str, ...] = ()
    on_demand: bool = False


def load_sources(session: Session, source_ids: Collection[int]) -> list[SourceToCheck]:
    """Load sources with their fetch state."""
    same = ("slug", "vendor", "name", "adapter_type", "entry_count", "health", "checks", "recipe")
    sources = []
    for row in session.execute(_SOURCE.where(Source.id.in_(source_ids))).mappings():
        state = {name: row[name] for name in ("slug", "adapter_type", *STORED)}
        if state["last_failure"] is not None:
            state["last_failure"] = Failure(state["last_failure"])
        source = SourceToCheck(
            source_id=row["id"],
            tags=tuple(row["tags"]),
            state=FetchState(**state),
            lookups=from_json(row["lookups"]),
            addresses=tuple(filter(None, (row["changelog_url"], row["homepage"]))),
            on_demand=row["on_demand"],
            **{name: row[name] for name in same},
        )
        sources.append(source)
    return sources


@dataclass(frozen=True, slots=True)
class History:
    """The stored entries, open gaps and last published state of a source.

    ``newest`` are its newest entries, newest first, those dated in the future too: at least twice
    as many as the last document had.
    """

    newest: Sequence[StoredEntry] = ()
    gaps: Sequence[OpenGap] = ()
    snapshot: StoredSnapshot | None = None

    @property
    def anchors(self) -> list[KnownEntry]:
        """The newest entries, which a page is compared with to notice a redesign."""
        return [as_known_entry(entry) for entry in self.newest[:ANCHORS]]


def as_known_entry(stored: StoredEntry) -> KnownEntry:
    """Return the fields of a stored entry that identity compares."""
    return KnownEntry(
        stored.external_id, stored.url, stored.title, stored.published_at, stored.content_hash
    )


def load_history(db: Database, source: SourceToCheck, *, now: datetime) -> History:
    """Load what a document of a source is compared with."""
    if source.state.last_success_at is None and not source.entry_count:
        return History()  # nothing is stored yet
    with db.read() as session:
        snapshot = last_snapshot(session, source.source_id)
        shown = 0 if snapshot is None else snapshot.entry_count
        most = 2 * max(REMEMBERED, shown)
        newest = newest_entries(session, source.source_id, most=most) if source.entry_count else []
        gaps = open_gaps(session, source.source_id, since=now - WINDOW)
    return History(newest, gaps, snapshot)


def needs_whole_document(db: Database, source: SourceToCheck, *, now: datetime) -> bool:
    """Return whether a document is to be parsed even if it did not change.

    So it is when older pages that could not be fetched so far are to be requested again, or what is
    looked for of single entries.
    """
    if source.lookups.is_due(now):
        return True
    if not source.state.open_gap:
        return False
    with db.read() as session:
        gaps = open_gaps(session, source.source_id, since=now - WINDOW)
    return any(gap.tries is not None and gap.tries < MOST_TRIES for gap in gaps)


def paused_hosts(session: Session, *, now: datetime) -> set[str]:
    """Return the hosts that several of their addresses asked not to send requests to."""
    by_host: defaultdict[str, list[Pause]] = defaultdict(list)
    for host, url, asked_at, until in retry_afters(session, now=now):
        by_host[host].append((url, asked_at, until))
    return {host for host, of_host in by_host.items() if host_pause(of_host, now=now)}
