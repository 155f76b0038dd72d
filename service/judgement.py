"""Health as the catalog shows it: stored facts in, ingestion's verdict out."""

from datetime import datetime

from ingest import health
from ingest.bookkeeping import facts_of
from ingest.facts import health_facts
from openapi.vocabulary import Health
from storage.sources import CatalogItem


def verdict(item: CatalogItem, now: datetime) -> health.Verdict:
    """Judge a source, with reasons for the operator."""
    return health.judge(health_facts(facts_of(item.source, item.facts)), now=now)


def judge(item: CatalogItem, now: datetime) -> tuple[Health, str | None]:
    """Return a source's health and what may be said about it to anybody."""
    found = verdict(item, now)
    return found.health, found.message
