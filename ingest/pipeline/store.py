"""Storing of check results, in the transaction that the caller has opened."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from ingest.pipeline.check_result import CheckResult, DocumentChanges
from ingest.pipeline.snapshot_changes import store_snapshot
from ingest.pipeline.source_state import (
    LeasedSource,
    StateUpdate,
    require_lease,
    store_states,
)
from ingest.scheduling.budget import Allotment
from ingest.scheduling.fetch_state import state_after
from ingest.scheduling.schedule import Cadence, cadence
from storage.catalog.sources import host_of
from storage.entries.entry_writes import publish_times, save_entries
from storage.scheduling.due import lock_facts
from storage.scheduling.gaps import add_gap, close_gaps, record_tries
from storage.scheduling.item_cache import store_items

log = structlog.get_logger(__name__)


def store_all(session: Session, results: Sequence[CheckResult], allotment: Allotment) -> None:
    """Store the results of several checks. Raises LeaseLost when one of the leases is lost."""
    lock_facts(session, [result.source.source_id for result in results])
    unchanged = [_update(result, allotment) for result in results if result.is_state_only]
    store_states(session, unchanged)
    for result in results:
        if not result.is_state_only:
            store(session, result, allotment)


def store(session: Session, result: CheckResult, allotment: Allotment) -> None:
    """Store the result of a check. Raises LeaseLost when the lease is lost."""
    source, changes = result.source, result.changes
    lock_facts(session, [source.source_id])
    if changes is not None:
        require_lease(session, source)
        _store_changes(session, source, changes, now=result.at)
    measured = None
    if result.is_first_today or (changes is not None and changes.entries.changes_times):
        measured = cadence(publish_times(session, source.source_id), now=result.at)
    store_states(session, [_update(result, allotment, measured)])


def _update(
    result: CheckResult, allotment: Allotment, measured: Cadence | None = None
) -> StateUpdate:
    source, changes = result.source, result.changes
    unit = allotment.unit_wait(source.source_id, host_of(source.state.feed_url))
    return StateUpdate(
        source,
        state_after(source.state, result.outcome, now=result.at, cadence=measured, unit=unit),
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
    if changes.items is not None:
        store_items(session, source_id, changes.items)
    if changes.closed_gaps:
        close_gaps(session, changes.closed_gaps, now=now)
    record_tries(session, changes.tries)
    if changes.new_gap is not None:
        log.warning(
            "entries may have been missed", slug=source.slug, after=changes.new_gap.after_id
        )
        add_gap(session, source_id, changes.new_gap, now=now)
