"""How the reading of a source goes, in plain words. Pure."""

from datetime import datetime

from handlers.site.words import HealthWords, ago, day
from openapi.counts import counted
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem


def reading_words(item: CatalogItem, words: HealthWords, *, now: datetime) -> str:
    """Say how a source is; of one that was never read, what was tried."""
    if item.last_success_at is not None or words.state not in (Health.UNKNOWN, Health.PROBLEMATIC):
        return words.sentence
    if item.first_attempt_at is None or item.last_attempt_at is None:
        if words.state != Health.UNKNOWN:
            return words.sentence
        return f"Never read: nobody has tried yet. {_next(item, now)}".strip()
    tries = counted(max(item.failures, 1), "time")
    tried = (
        f"Tried {tries} since {day(item.first_attempt_at)}, last {ago(item.last_attempt_at, now)}"
    )
    reason = "" if words.state == Health.UNKNOWN else f" {words.sentence}"
    return f"Never read. {tried}.{reason} {_next(item, now)}".strip()


def _next(item: CatalogItem, now: datetime) -> str:
    if item.next_check_at is None or item.next_check_at <= now:
        return "It is due now."
    return f"The next try is due {ago(item.next_check_at, now)}."
