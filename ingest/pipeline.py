"""One source, from its address to the rows: fetch, read, identify, classify, compare, store.

``examine`` does what takes time and opens no write transaction; ``store`` writes all that was
found in the one it is given: killed anywhere, nothing is lost and nothing doubled. No session
is open during network time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

import structlog
from opentelemetry import trace
from sqlalchemy.orm import Session

from ingest import comparing
from ingest.adapters.marks import KnownItems
from ingest.asking import PARSER, Answer, asked, asked_anew
from ingest.bookkeeping import Job, load_jobs, require_lease, store_facts, store_many_facts
from ingest.comparing import Comparison, compared
from ingest.facts import Read, Recognised, Result, after
from ingest.history import (
    Caught,
    History,
    anchors_of,
    catch_up,
    history_of,
    seeks_older,
)
from ingest.ingestion import Ingestion
from ingest.outcomes import Failed, Failure, Fetched, NotModified
from ingest.reading import Document, read, recognised
from ingest.schedule import cadence
from ingest.seen import Past, completed, past_of, to_remember
from ingest.writing import EntryChanges, ReadWhole
from openapi.vocabulary import Json
from storage.archive import publish_times, save_entries
from storage.gaps import NewGap, add_gap, close_gaps, note_tries
from storage.seen import StoredItems, remember_items

log = structlog.get_logger(__name__)
tracer = trace.get_tracer("changewire")


class Look(StrEnum):
    """How a look at a source ended."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a look. ``message`` says why it failed, to the operator."""

    slug: str
    look: Look
    new: int = 0
    edited: int = 0
    message: str | None = None
    failure: Failure | None = None

    def as_fields(self) -> dict[str, Json]:
        """Return what a log line says."""
        told = {"slug": self.slug, "look": self.look.value, "new": self.new, "edited": self.edited}
        return {**told} if self.message is None else {**told, "message": self.message}

    def as_line(self) -> str:
        """Return a line for people."""
        if self.message is not None:
            return f"{self.slug}: {self.look.value}: {self.message}"
        return f"{self.slug}: {self.look.value}, {self.new} new, {self.edited} edited"


@dataclass(frozen=True, slots=True)
class Finding:
    """All that a look at ``at`` found, to be stored together."""

    job: Job
    at: datetime
    result: Result
    changes: EntryChanges = field(default_factory=EntryChanges)
    comparison: Comparison | None = None
    gap: NewGap | None = None
    closed: tuple[int, ...] = ()
    tries: Mapping[int, int | None] = field(default_factory=dict)
    recipe: str | None = None
    seen: StoredItems | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing changed and the rhythm of the source need not be looked at again."""
        last = self.job.facts.last_attempt_at
        same_day = last is not None and last.date() == self.at.date()
        return same_day and isinstance(self.result, NotModified | Recognised)

    @property
    def report(self) -> Report:
        """What to tell of it."""
        if isinstance(self.result, Failed):
            message = self.result.message or self.result.failure.value
            failure = self.result.failure
            return Report(self.job.slug, Look.FAILED, message=message, failure=failure)
        if isinstance(self.result, Read):
            new, edited = len(self.changes.new), len(self.changes.edited)
            return Report(self.job.slug, Look.FETCHED, new=new, edited=edited)
        return Report(self.job.slug, Look.UNCHANGED)


def look_at(ingestion: Ingestion, source_id: int) -> Report:
    """Look at one source and store everything that came of it."""
    with ingestion.db.read() as session:
        (job,) = load_jobs(session, [source_id])
    finding = examine(ingestion, job)
    with ingestion.db.write() as session:
        store(session, finding)
    return finding.report


def examine(ingestion: Ingestion, job: Job) -> Finding:
    """Look at one source and decide what that means; store nothing.

    Raises ClientClosed or ParserStopped when ingestion ends meanwhile.
    """
    with tracer.start_as_current_span("look", attributes={"changewire.source": job.slug}) as span:
        finding = _examined(ingestion, job)
        report = finding.report
        span.set_attribute("changewire.outcome", report.failure or report.look)
        return finding


def _examined(ingestion: Ingestion, job: Job) -> Finding:
    now = ingestion.now()
    answer = asked(ingestion, job, now=now)
    seeks = seeks_older(ingestion.db, job, now=now)
    if seeks and isinstance(answer.outcome, NotModified):
        answer = asked_anew(ingestion, job, now=now) or answer
    if not isinstance(answer.outcome, Fetched):
        return Finding(job, now, answer.outcome)
    same = None if seeks else recognised(job, answer.outcome)
    if same is not None:
        return Finding(job, now, same)
    past = past_of(ingestion.db, job)
    try:
        return _found(ingestion, job, answer, past, past.known, now=now)
    except ReadWhole:
        return _found(ingestion, job, answer, past, None, now=now)


def _found(
    ingestion: Ingestion,
    job: Job,
    answer: Answer,
    past: Past,
    items: KnownItems | None,
    *,
    now: datetime,
) -> Finding:
    """Read a document that came. Raises ReadWhole when no item of it may be passed over."""
    assert isinstance(answer.outcome, Fetched)
    anchors = anchors_of(ingestion.db, job)
    read_ = read(ingestion.parsers, job, answer.outcome, known=anchors, items=items)
    if isinstance(read_, Failed):
        return Finding(job, now, read_)
    history = history_of(ingestion.db, job, entries=read_.size, now=now)
    document = completed(ingestion.db, job, read_, past, newest=history.stored)
    if document is None:
        raise ReadWhole
    caught = catch_up(ingestion, job, document, history, now=now)
    return _finding(job, now, answer, document, history, caught, past)


def _finding(
    job: Job,
    now: datetime,
    answer: Answer,
    document: Document,
    history: History,
    caught: Caught,
    past: Past,
) -> Finding:
    changes, shown = caught.changes, caught.shown
    comparison = seen = None
    if answer.stands_in:  # the same releases in other words: news counts, wording does not
        changes = replace(changes, edited=())
    else:
        pairs = [(each.id, each.entry) for each in shown.identified]
        comparison = compared(
            job.adapter_type, document.parsed, pairs, past.last, before=past.state
        )
        state = past.last if comparison is None else comparison.written
        if state is not None:
            seen = to_remember(document, shown, history.stored, snapshot_hash=state.content_hash)
    open_gap = caught.gap is not None or len(caught.closed) < len(history.gaps)
    return Finding(
        job,
        now,
        Read(document.fetched, document.body_hash, PARSER, document.parsed.ttl, open_gap),
        changes,
        comparison,
        caught.gap,
        tuple(caught.closed),
        caught.tries,
        document.recipe,
        seen,
    )


def store_all(session: Session, findings: Sequence[Finding], *, now: datetime) -> None:
    """Store what several looks found. Raises LeaseLost when one of the sources is lost."""
    quiet = [each for each in findings if each.is_quiet]
    looks = [(each.job, after(each.job.facts, each.result, now=each.at)) for each in quiet]
    store_many_facts(session, looks, now=now)
    for each in findings:
        if not each.is_quiet:
            store(session, each)


def store(session: Session, finding: Finding) -> None:
    """Store all that a look found. Raises LeaseLost when the source is somebody else's by now."""
    job, result, now = finding.job, finding.result, finding.at
    changes = finding.changes
    if isinstance(result, Read):
        require_lease(session, job)
    save_entries(session, job.source_id, new=changes.new, edited=changes.edited, now=now)
    comparing.store(session, job.source_id, finding.comparison, now=now)
    if finding.seen is not None:
        remember_items(session, job.source_id, finding.seen)
    if finding.closed:
        close_gaps(session, finding.closed, now=now)
    note_tries(session, finding.tries)
    if finding.gap is not None:
        log.warning("entries may have been missed", slug=job.slug, after=finding.gap.after_id)
        add_gap(session, job.source_id, finding.gap, now=now)
    last = job.facts.last_attempt_at
    rhythm = None
    if changes.new or last is None or last.date() != now.date():
        rhythm = cadence(publish_times(session, job.source_id), now=now)
    facts = after(job.facts, result, now=now, cadence=rhythm)
    message = result.message if isinstance(result, Failed) else None
    store_facts(session, job, facts, message=message, recipe=finding.recipe, now=now)
