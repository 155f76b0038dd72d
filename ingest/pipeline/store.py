"""One source, from its address to the rows: fetch, read, identify, classify, compare, store.

``examine`` does what takes time and opens no write transaction; ``store`` writes all that was
found in the one it is given: killed anywhere, nothing is lost and nothing doubled. No session
is open during network time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from opentelemetry import trace
from sqlalchemy.orm import Session

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.request import asked
from ingest.pipeline.source_state import Job, require_lease, store_facts, store_many_facts
from ingest.scheduling.fetch_state import Read, Recognised, Result, after
from ingest.scheduling.schedule import cadence
from openapi.vocabulary import Json

if TYPE_CHECKING:
    from ingest.pipeline.process_document import News

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
    news: "News | None" = None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing changed and the rhythm of the source need not be looked at again."""
        if _is_first_today(self.job, now=self.at):
            return False
        return isinstance(self.result, NotModified | Recognised)

    @property
    def report(self) -> Report:
        """What to tell of it."""
        if isinstance(self.result, Failed):
            message = self.result.message or self.result.failure.value
            failure = self.result.failure
            return Report(self.job.slug, Look.FAILED, message=message, failure=failure)
        if isinstance(self.result, Read):
            assert self.news is not None
            new, edited = len(self.news.changes.new), len(self.news.changes.edited)
            return Report(self.job.slug, Look.FETCHED, new=new, edited=edited)
        return Report(self.job.slug, Look.UNCHANGED)


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
    if not (job.facts.open_gap or isinstance(answer.outcome, Fetched)):
        return Finding(job, now, answer.outcome)
    from ingest.pipeline.process_document import understood  # loads what reads documents

    result, news = understood(ingestion, job, answer, now=now)
    return Finding(job, now, result, news)


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
    job, result, news, now = finding.job, finding.result, finding.news, finding.at
    if isinstance(result, Read):
        require_lease(session, job)
    if news is not None:
        from ingest.pipeline.process_document import store_news  # loaded by who found it

        store_news(session, job, news, now=now)
    rhythm = None
    if _is_first_today(job, now=now) or (news is not None and news.changes.new):
        from storage.entries.entry_writes import publish_times  # as above, or once a day

        rhythm = cadence(publish_times(session, job.source_id), now=now)
    facts = after(job.facts, result, now=now, cadence=rhythm)
    message = result.message if isinstance(result, Failed) else None
    recipe = None if news is None else news.recipe
    store_facts(session, job, facts, message=message, recipe=recipe, now=now)


def _is_first_today(job: Job, *, now: datetime) -> bool:
    last = job.facts.last_attempt_at
    return last is None or last.date() != now.date()
