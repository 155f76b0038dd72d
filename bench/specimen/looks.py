"""One look at a source, due or not, without a worker."""

from ingest.bookkeeping import load_jobs
from ingest.ingestion import Ingestion
from ingest.looking import stored_alone
from ingest.pipeline import Report, examine


def look_at(ingestion: Ingestion, source_id: int) -> Report:
    """Look at a source as a worker does that has claimed it; store what came of it."""
    with ingestion.db.read() as session:
        (job,) = load_jobs(session, [source_id])
    return stored_alone(ingestion, examine(ingestion, job))
