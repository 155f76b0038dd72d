"""The result of a check, and how it is stored: whole, and only if no other check came first."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.orm import Session

from ingest.fetching.outcomes import Failed
from ingest.pipeline.document import GapChanges
from ingest.pipeline.entries import EntryChanges
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckReport, CheckStatus
from ingest.pipeline.snapshot_changes import SnapshotChange, store_snapshot
from ingest.pipeline.source_state import STORED, SourceToCheck
from ingest.scheduling.budget import Allotment
from ingest.scheduling.fetch_state import CheckOutcome, FetchState, Parsed, state_after
from ingest.scheduling.health import facts_of, judge
from ingest.scheduling.lookups import Lookups, to_json
from ingest.scheduling.schedule import Cadence
from storage.engine.retry import retry_transaction
from storage.entries.entry_writes import save_entries
from storage.entries.search.index import index_entries
from storage.models import FetchFacts, Source
from storage.scheduling.due import host_of, lock_facts, postpone
from storage.scheduling.gaps import add_gap, close_gaps, record_tries

log = structlog.get_logger(__name__)

AFTER_OUR_ERROR: Final = timedelta(hours=1)
_OUR_FAULTS: Final = (DataError, IntegrityError, ProgrammingError)


class CheckedMeanwhile(Exception):
    """Another check of the source was stored since this one began, or it was removed."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check at ``at``, with what a document changes if one was parsed.

    ``recipe`` is a new one for a page that was redesigned, ``lookups`` what is still looked for.
    ``cadence`` is None unless it was measured anew.
    """

    source: SourceToCheck
    at: datetime
    outcome: CheckOutcome
    entries: EntryChanges = field(default_factory=EntryChanges)
    snapshot: SnapshotChange | None = None
    gaps: GapChanges = field(default_factory=GapChanges)
    recipe: str | None = None
    lookups: Lookups | None = None
    cadence: Cadence | None = None

    @property
    def report(self) -> CheckReport:
        """Return the report of the check."""
        slug, outcome = self.source.slug, self.outcome
        if isinstance(outcome, Failed):
            failure, message = outcome.failure, outcome.message or outcome.failure.message
            return CheckReport(slug, CheckStatus.FAILED, message=message, failure=failure)
        if not isinstance(outcome, Parsed):
            return CheckReport(slug, CheckStatus.UNCHANGED)
        new, edited = len(self.entries.new), len(self.entries.edited)
        return CheckReport(slug, CheckStatus.FETCHED, new=new, edited=edited)


def store(session: Session, results: Sequence[CheckResult], allotment: Allotment) -> None:
    """Store the results of checks. Raises CheckedMeanwhile when one was overtaken by another."""
    checks = lock_facts(session, [result.source.source_id for result in results])
    facts, words = list[dict[str, object]](), dict[int, Sequence[str]]()
    for result in results:
        source, entries, gaps, now = result.source, result.entries, result.gaps, result.at
        source_id = source.source_id
        if checks.get(source_id) != source.checks:
            raise CheckedMeanwhile(source.slug)
        if entries.records:
            new, edited = entries.new, entries.edited
            save_entries(session, source_id, new=new, edited=edited, now=now, unindexed=words)
        store_snapshot(session, source_id, result.snapshot, now=now)
        if gaps.closed:
            close_gaps(session, gaps.closed, now=now)
        if gaps.tries:
            record_tries(session, gaps.tries)
        if gaps.opened is not None:
            after = gaps.opened.after_id
            log.warning("entries may have been missed", slug=source.slug, after=after)
            add_gap(session, source_id, gaps.opened, now=now)
        unit = allotment.unit_wait(source_id, host_of(source.state.feed_url))
        state = state_after(
            source.state, result.outcome, now=now, cadence=result.cadence, unit=unit
        )
        facts.append({"source_id": source_id, **_changed_facts(result, state)})
        health = judge(facts_of(state, interval=state.usual_interval), now=now).health
        if health is not source.health:
            session.execute(update(Source), [{"id": source_id, "health": health}])
    if facts:
        session.execute(update(FetchFacts), sorted(facts, key=tuple))  # alike ones at once
    index_entries(session, words)  # last: SQLite writes its index at each statement that follows


def _changed_facts(result: CheckResult, state: FetchState) -> dict[str, object]:
    """Return what changes of a source's facts by its check, which counts it and ends a lease."""
    source = result.source
    values: dict[str, object] = {
        name: after
        for name in STORED
        if (after := getattr(state, name)) != getattr(source.state, name)
    }
    if "feed_url" in values:
        values["host"] = host_of(state.feed_url)
    if result.recipe is not None:
        values |= {"recipe": result.recipe, "recipe_made_at": result.at}
    if result.lookups is not None and result.lookups != source.lookups:
        values["lookups"] = to_json(result.lookups)
    message = result.outcome.message if isinstance(result.outcome, Failed) else None
    return values | {"last_message": message, "leased_until": None, "checks": source.checks + 1}


def store_result(ingestion: Ingestion, result: CheckResult) -> CheckReport:
    """Store a result in a transaction of its own, so that an error harms no other source.

    Raises DBAPIError when the database cannot be written.
    """
    slug = result.source.slug
    allotment = ingestion.pacing.allotment(ingestion.db, now=ingestion.now())

    def store_alone() -> None:
        with ingestion.db.write() as session:
            store(session, [result], allotment)

    try:
        retry_transaction(store_alone)
    except CheckedMeanwhile:
        message = "another check was stored meanwhile"
        log.warning(message, slug=slug)
        return CheckReport(slug, CheckStatus.FAILED, message=message)
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, _OUR_FAULTS):
            raise  # the database failed, not this result
        log.exception("result could not be stored", slug=slug)
        with ingestion.db.write() as session:
            postpone(session, {result.source.source_id: result.at + AFTER_OUR_ERROR})
        message = "an error of ours, see the log"
        return CheckReport(slug, CheckStatus.FAILED, message=message)
    return result.report
