"""What a hub pushed, through the same stages as a fetched document, but for those about its window.

A push may be a part of a document (WebSub, section 7): what it lacks is not missing, and what
stands there in other words is no edit. So it adds entries; edits, gaps and the published state are
seen when the vendor's own address is read.
"""

import hashlib
from dataclasses import replace

from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.check_result import CheckResult
from ingest.pipeline.gap_changes import GapChanges
from ingest.pipeline.history import load_history
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.match import parse_and_match
from ingest.pipeline.measure import with_cadence
from ingest.pipeline.postings import add_postings
from ingest.pipeline.process_document import process
from ingest.pipeline.release_dates import date_releases
from ingest.pipeline.request import FetchedDocument
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.fetch_state import Parsed
from ingest.scheduling.push_state import Pushed
from storage.scheduling.hub_pushes import Push


def check_push(ingestion: Ingestion, source: LeasedSource, push: Push) -> CheckResult:
    """Parse what was pushed and decide what it changes; store nothing.

    What cannot be read changes nothing. Raises ClientClosed or ParserStopped when ingestion ends
    meanwhile.
    """
    return with_cadence(ingestion.db, _check_push(ingestion, source, push))


def _check_push(ingestion: Ingestion, source: LeasedSource, push: Push) -> CheckResult:
    now = ingestion.now()
    document = _as_document(push)
    history = load_history(ingestion.db, source, now=now)
    matched = parse_and_match(ingestion, source, document, history, now=now)
    if isinstance(matched, Failed):
        return CheckResult(source, now, Pushed())
    matched = replace(matched, gaps=GapChanges())
    full = add_postings(ingestion, source, matched, now=now)
    dated = date_releases(ingestion, source, full, now=now)
    result = process(ingestion, source, dated, history, now=now)
    written = result.outcome.written if isinstance(result.outcome, Parsed) else 0
    pushed = Pushed(differs=bool(matched.entries.differing), written=written)
    return replace(result, outcome=pushed)


def _as_document(push: Push) -> FetchedDocument:
    fetched = Fetched(push.body, push.content_type, push.topic)
    return FetchedDocument(fetched, hashlib.sha256(push.body).hexdigest(), is_fallback=True)
