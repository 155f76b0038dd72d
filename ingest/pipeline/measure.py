"""How often a source publishes, measured before its check is stored."""

from dataclasses import replace

from ingest.pipeline.check_result import CheckResult
from ingest.scheduling.schedule import cadence
from storage.engine.database import Database
from storage.entries.entry_writes import NEWEST_TIMES, publish_times


def with_cadence(db: Database, result: CheckResult) -> CheckResult:
    """Measure the cadence of a source once a day, and when its lists gain entries."""
    gained = [] if result.changes is None else result.changes.entries.publish_times
    if not gained and not result.is_first_today:
        return result
    with db.read() as session:
        stored = publish_times(session, result.source.source_id)
    newest = sorted([*stored, *gained], reverse=True)[:NEWEST_TIMES]
    return replace(result, cadence=cadence(newest, now=result.at))
