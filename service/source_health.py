"""The health of a source, computed by ingestion's rules from what the catalog stores."""

from datetime import datetime

from ingest.fetching.outcomes import Failure
from ingest.scheduling import health
from ingest.scheduling.schedule import start_interval
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem


def verdict(item: CatalogItem, now: datetime) -> health.Verdict:
    """Judge a source, with reasons for the operator."""
    facts = health.facts_of(
        item,
        interval=item.interval or start_interval(item.adapter_type),
        last_failure=None if item.last_failure is None else Failure(item.last_failure),
    )
    return health.judge(facts, now=now)


def judge(item: CatalogItem, now: datetime) -> tuple[Health, str | None]:
    """Return a source's health and the message about it that may be public."""
    current = verdict(item, now)
    return current.health, current.message
