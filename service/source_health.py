"""Health as the catalog shows it: stored facts in, ingestion's verdict out."""

from datetime import datetime

from ingest.fetching.outcomes import Failure
from ingest.scheduling import health
from ingest.scheduling.fetch_state import start_interval
from ingest.scheduling.health_validity import valid_until
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem


def verdict(item: CatalogItem, now: datetime) -> health.Verdict:
    """Judge a source, with reasons for the operator."""
    return health.judge(_facts(item), now=now)


def _facts(item: CatalogItem) -> health.HealthFacts:
    return health.HealthFacts(
        adapter_type=item.adapter_type,
        interval=item.interval or start_interval(item.adapter_type),
        fail_score=item.fail_score,
        failures=item.failures,
        empty_streak=item.empty_streak,
        first_attempt_at=item.first_attempt_at,
        last_attempt_at=item.last_attempt_at,
        last_success_at=item.last_success_at,
        last_failure=None if item.last_failure is None else Failure(item.last_failure),
        last_status=item.last_status,
        entries_180d=item.entries_180d,
        median_gap=item.median_gap,
        newest_published_at=item.newest_published_at,
        open_gap=item.open_gap,
    )


def judge(item: CatalogItem, now: datetime) -> tuple[Health, str | None]:
    """Return a source's health and what may be said about it to anybody."""
    found = verdict(item, now)
    return found.health, found.message


def holds_until(item: CatalogItem, now: datetime) -> datetime:
    """Return the moment up to which ``judge`` says the same, if nothing is learned meanwhile."""
    facts = _facts(item)
    return valid_until(facts, health.judge(facts, now=now), now=now)
