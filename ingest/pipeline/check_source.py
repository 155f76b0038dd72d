"""One look from its claim to what is stored, whatever happens in between."""

from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError

from ingest.fetching.client import ClientClosed
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import LeaseLost, load_jobs
from ingest.pipeline.store import Finding, Look, Report, examine, store
from ingest.sandbox.parser_pool import ParserStopped
from storage.models import FetchFacts
from storage.scheduling.due import claim, is_due, postpone, release

log = structlog.get_logger(__name__)

AFTER_OUR_ERROR: Final = timedelta(hours=1)
OUR_FAULTS: Final = (DataError, IntegrityError, ProgrammingError)


def look_alone(ingestion: Ingestion, source_id: int) -> Report | None:
    """Look at a source if it is due and free; None if it is not, or when ingestion ends meanwhile.

    Raises DBAPIError when the database cannot be written.
    """
    now = ingestion.now()
    wanted = (FetchFacts.source_id == source_id, is_due(now))
    with ingestion.db.write() as session:
        claims = claim(session, *wanted, now=now, most=1, per_host=1)
        jobs = load_jobs(session, [each.source_id for each in claims])
    for job in jobs:
        try:
            return stored_alone(ingestion, examine(ingestion, job))
        except (ClientClosed, ParserStopped):
            with ingestion.db.write() as session:
                release(session, claims)
        except DBAPIError:
            raise
        except Exception:  # an error of ours costs this source an hour, and no other anything
            log.exception("look failed", slug=job.slug)
            with ingestion.db.write() as session:
                postpone(session, {source_id: ingestion.now() + AFTER_OUR_ERROR})
                release(session, claims)
    return None


def stored_alone(ingestion: Ingestion, finding: Finding) -> Report:
    """Store a look in a transaction of its own, so that it harms no other.

    Raises DBAPIError when the database cannot be written.
    """
    slug = finding.job.slug
    try:
        with ingestion.db.write() as session:
            store(session, finding)
    except LeaseLost:
        log.warning("another worker has the source by now", slug=slug)
        return Report(slug, Look.FAILED, message="another worker has the source by now")
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, OUR_FAULTS):
            raise  # the database is in trouble, not this look
        log.exception("look could not be stored", slug=slug)
        with ingestion.db.write() as session:
            postpone(session, {finding.job.source_id: finding.at + AFTER_OUR_ERROR})
        return Report(slug, Look.FAILED, message="an error of ours, see the log")
    return finding.report
