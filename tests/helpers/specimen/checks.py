"""One check of a source, due or not, without a worker."""

from ingest.pipeline.check_result import CheckReport
from ingest.pipeline.check_source import check, store_result
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import load_sources


def check_now(ingestion: Ingestion, source_id: int) -> CheckReport:
    """Check a source as a worker does that has leased it; store the result."""
    with ingestion.db.read() as session:
        (source,) = load_sources(session, [source_id])
    return store_result(ingestion, check(ingestion, source))
