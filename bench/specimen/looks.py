"""One look at a source, due or not, without a worker."""

from ingest.pipeline.check_source import stored_alone
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import load_jobs
from ingest.pipeline.store import Report, examine


def look_at(ingestion: Ingestion, source_id: int) -> Report:
    """Look at a source as a worker does that has claimed it; store what came of it."""
    with ingestion.db.read() as session:
        (job,) = load_jobs(session, [source_id])
    return stored_alone(ingestion, examine(ingestion, job))
