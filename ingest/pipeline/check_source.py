"""A source's check: request, parse, match, backfill, postings, dates, decide, measure, store.

``check`` writes nothing but that a quota is used up; ``store`` writes its whole result in one
transaction. So a process that is killed loses and repeats nothing, and no database session is open
during requests.
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from opentelemetry import trace
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError

from ingest.fetching.outcomes import Failed
from ingest.pipeline.backfill import backfill
from ingest.pipeline.check_result import CheckReport, CheckResult, CheckStatus
from ingest.pipeline.history import History, load_history, needs_whole_document
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.match import MatchedDocument, parse_and_match
from ingest.pipeline.measure import with_cadence
from ingest.pipeline.postings import add_postings
from ingest.pipeline.process_document import process
from ingest.pipeline.release_dates import date_releases
from ingest.pipeline.request import FetchedDocument, request
from ingest.pipeline.source_state import LeasedSource, LeaseLost
from ingest.pipeline.store import store
from ingest.scheduling.budget import Allotment
from storage.engine.retry import retry_transaction
from storage.scheduling.due import postpone

log = structlog.get_logger(__name__)
tracer = trace.get_tracer("changewire")

AFTER_OUR_ERROR: Final = timedelta(hours=1)
_OUR_FAULTS: Final = (DataError, IntegrityError, ProgrammingError)


def check(ingestion: Ingestion, source: LeasedSource) -> CheckResult:
    """Check one source and decide what changes; store nothing.

    Raises ClientClosed or ParserStopped when ingestion ends meanwhile.
    """
    attributes = {"changewire.source": source.slug}
    with tracer.start_as_current_span("check", attributes=attributes) as span:
        result = with_cadence(ingestion.db, _check(ingestion, source))
        report = result.report
        span.set_attribute("changewire.outcome", report.failure or report.status)
        return result


def _check(ingestion: Ingestion, source: LeasedSource) -> CheckResult:
    now = ingestion.now()
    read = _read(ingestion, source, now=now)
    if isinstance(read, CheckResult):
        return read
    matched, history = read
    complete = backfill(ingestion, source, matched, history, now=now)
    full = add_postings(ingestion, source, complete, now=now)
    dated = date_releases(ingestion, source, full, now=now)
    return process(ingestion, source, dated, history, now=now)


def _read(
    ingestion: Ingestion, source: LeasedSource, *, now: datetime
) -> tuple[MatchedDocument, History] | CheckResult:
    """Return what a source shows now, or how the check ends; its body is gone by then."""
    needs_document = needs_whole_document(ingestion.db, source, now=now)
    with ingestion.client.room.bounded():
        response = request(ingestion, source, needs_document=needs_document, now=now)
        if not isinstance(response, FetchedDocument):
            return CheckResult(source, now, response)
        history = load_history(ingestion.db, source, now=now)
        matched = parse_and_match(ingestion, source, response, history, now=now)
        if isinstance(matched, Failed):
            return CheckResult(source, now, matched)
        return matched, history


def store_result(ingestion: Ingestion, result: CheckResult) -> CheckReport:
    """Store a result in a transaction of its own, so that an error harms no other source.

    Raises DBAPIError when the database cannot be written.
    """
    slug = result.source.slug
    allotment = ingestion.allotment()
    try:
        retry_transaction(lambda: _store_alone(ingestion, result, allotment))
    except LeaseLost:
        log.warning("the lease was lost to another worker", slug=slug)
        return _failed(slug, "the lease was lost to another worker")
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, _OUR_FAULTS):
            raise  # the database failed, not this result
        log.exception("result could not be stored", slug=slug)
        with ingestion.db.write() as session:
            postpone(session, {result.source.source_id: result.at + AFTER_OUR_ERROR})
        return _failed(slug, "an error of ours, see the log")
    return result.report


def _store_alone(ingestion: Ingestion, result: CheckResult, allotment: Allotment) -> None:
    with ingestion.db.write() as session:
        store(session, [result], allotment)


def _failed(slug: str, message: str) -> CheckReport:
    return CheckReport(slug, CheckStatus.FAILED, message=message)
