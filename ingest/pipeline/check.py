"""A source's check, from top to bottom: request, read, optional steps, decide; ``store`` follows.

``check`` writes nothing but that a quota is used up; ``store`` writes its whole result in one
transaction. So a process that is killed loses and repeats nothing, and no database session is open
during requests.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import structlog
from opentelemetry import trace
from sqlalchemy.exc import DBAPIError

from ingest.fetching.client import ClientClosed
from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.document import Document, read_document
from ingest.pipeline.entries import decide_entries
from ingest.pipeline.file_notes import add_file_notes
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.older_pages import add_older_pages
from ingest.pipeline.postings import add_postings
from ingest.pipeline.release_dates import date_releases
from ingest.pipeline.report import CheckReport
from ingest.pipeline.request import PARSER, replaces_api, request
from ingest.pipeline.snapshot_changes import decide_snapshot
from ingest.pipeline.source_state import SourceToCheck
from ingest.pipeline.store import AFTER_OUR_ERROR, CheckResult, store_result
from ingest.sandbox.process_pool import PoolStopped
from ingest.scheduling.fetch_state import Parsed
from ingest.scheduling.schedule import cadence
from storage.engine.database import Database
from storage.engine.retry import is_connection_lost
from storage.entries.entry_writes import NEWEST_TIMES, publish_times
from storage.scheduling.due import postpone

log = structlog.get_logger(__name__)
tracer = trace.get_tracer("changewire")

OPTIONAL_STEPS: Final[tuple[Callable[[Document], Document], ...]] = (
    add_older_pages,
    add_postings,
    add_file_notes,
    date_releases,
)


def check(ingestion: Ingestion, source: SourceToCheck) -> CheckResult:
    """Check one source and decide what changes; store nothing.

    Raises ClientClosed or PoolStopped when ingestion ends meanwhile.
    """
    attributes = {"changewire.source": source.slug}
    with tracer.start_as_current_span("check", attributes=attributes) as span:
        result = _with_cadence(ingestion.db, _check(ingestion, source))
        report = result.report
        span.set_attribute("changewire.outcome", report.failure or report.status)
        return result


def check_and_store(ingestion: Ingestion, source: SourceToCheck) -> CheckReport | None:
    """Check a source and store the result; return None when there is none to store.

    Ingestion ends meanwhile, or the check failed by our own error: it is made again after an
    hour. Raises DBAPIError when the database cannot be used.
    """
    try:
        result = check(ingestion, source)
    except (ClientClosed, PoolStopped):
        return None
    except Exception as error:
        if isinstance(error, DBAPIError) and is_connection_lost(error):
            raise
        log.exception("check failed", slug=source.slug)
        with ingestion.db.write() as session:
            postpone(session, {source.source_id: ingestion.now() + AFTER_OUR_ERROR})
        return None
    return store_result(ingestion, result)


def _check(ingestion: Ingestion, source: SourceToCheck) -> CheckResult:
    now = ingestion.now()
    with ingestion.client.room.bounded():  # of large documents, whose bodies are gone behind it
        response = request(ingestion, source, now=now)
        if not isinstance(response, Fetched):
            return CheckResult(source, now, response)
        document = read_document(ingestion, source, response, now=now)
        del response
    if isinstance(document, Failed):
        return CheckResult(source, now, document)
    for step in OPTIONAL_STEPS:
        document = step(document)
    return _decide(document)


def _decide(document: Document) -> CheckResult:
    """Decide what a document changes.

    GitHub's Atom feed, read in place of its API, has the same releases in other words: its new
    entries are stored, its edits are not.
    """
    ingestion, source, parsed = document.ingestion, document.source, document.parsed
    entries = decide_entries(ingestion.db, ingestion.parsers, source, document.entries)
    snapshot = None
    if replaces_api(ingestion, source, document.response):
        entries = replace(entries, edited=())
    else:
        snapshot = decide_snapshot(document, entries)
    written = sum(len(text) for record in entries.records for text in record.documents or ())
    if snapshot is not None:
        written += len(snapshot.written.body) + len(snapshot.changes or b"")
    outcome = Parsed(
        document.response,
        PARSER,
        parsed.ttl,
        open_gap=document.gaps.are_open,
        is_cut=parsed.is_cut,
        written=written,
    )
    return CheckResult(
        source,
        document.now,
        outcome,
        entries,
        snapshot,
        document.gaps,
        recipe=document.recipe,
        lookups=document.lookups,
    )


def _with_cadence(db: Database, result: CheckResult) -> CheckResult:
    """Measure how often a source publishes, once a day and when its lists gain entries."""
    listed = [record for record in result.entries.new if record.listed]
    dated = [edit.written for edit in result.entries.edited if edit.dated]
    gained = [record.text.published_at for record in (*listed, *dated)]
    last = result.source.state.last_attempt_at
    if not gained and last is not None and last.date() == result.at.date():
        return result
    source_id = result.source.source_id
    with db.read() as session:
        stored = publish_times(session, source_id) if result.source.entry_count else []
    newest = sorted([*stored, *gained], reverse=True)[:NEWEST_TIMES]
    return replace(result, cadence=cadence(newest, now=result.at))
