"""One check of a source, due or not, without a worker."""

from ingest.pipeline.check import check
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckReport
from ingest.pipeline.source_state import load_sources
from ingest.pipeline.store import store_result


def check_now(ingestion: Ingestion, source_id: int) -> CheckReport:
    """Check a source as a worker does that has leased it; store the result."""
    with ingestion.db.read() as session:
        (source,) = load_sources(session, [source_id])
    return store_result(ingestion, check(ingestion, source))
