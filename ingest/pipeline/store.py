"""Storing of check results, in the transaction that the caller has opened."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from ingest.pipeline.check_result import CheckResult, DocumentChanges
from ingest.pipeline.snapshot_changes import store_snapshot
from ingest.pipeline.source_state import LeasedSource, StateUpdate, require_lease, store_states
from ingest.scheduling.budget import Allotment
from ingest.scheduling.fetch_state import state_after
from storage.catalog.sources import host_of
from storage.entries.entry_writes import save_entries
from storage.scheduling.due import lock_facts
from storage.scheduling.gaps import add_gap, close_gaps, record_tries

log = structlog.get_logger(__name__)


def store(session: Session, results: Sequence[CheckResult], allotment: Allotment) -> None:
    """Store the results of checks. Raises LeaseLost when one of the leases is lost."""
    lock_facts(session, [result.source.source_id for result in results])
    for result in results:
        if result.changes is not None:
            require_lease(session, result.source)
            _store_changes(session, result.source, result.changes, now=result.at)
    store_states(session, [_update(result, allotment) for result in results])


def _update(result: CheckResult, allotment: Allotment) -> StateUpdate:
    source, changes = result.source, result.changes
    unit = allotment.unit_wait(source.source_id, host_of(source.state.feed_url))
    return StateUpdate(
        source,
        state_after(source.state, result.outcome, now=result.at, cadence=result.cadence, unit=unit),
        at=result.at,
        message=result.message,
        recipe=None if changes is None else changes.recipe,
        lookups=None if changes is None else changes.lookups,
    )


def _store_changes(
    session: Session, source: LeasedSource, changes: DocumentChanges, *, now: datetime
) -> None:
    source_id, entries = source.source_id, changes.entries
    save_entries(session, source_id, new=entries.new, edited=entries.edited, now=now)
    store_snapshot(session, source_id, changes.snapshot, now=now)
    gaps = changes.gaps
    if gaps.closed:
        close_gaps(session, gaps.closed, now=now)
    record_tries(session, gaps.tries)
    if gaps.opened is not None:
        log.warning("entries may have been missed", slug=source.slug, after=gaps.opened.after_id)
        add_gap(session, source_id, gaps.opened, now=now)
