"""How the reading of a source goes, in plain words. Pure."""

from datetime import datetime
from typing import Final

from handlers.site.pages.status_drawings import REASONS
from handlers.site.words import HealthWords, ago, day
from openapi.text import counted
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem

FEW: Final = 3
"""Entries in 180 days, with which a vendor's cadence is known."""


def source_status_words(item: CatalogItem, words: HealthWords, *, now: datetime) -> str:
    """Say how a source is; of one that was never read, what was tried."""
    if words.state == Health.OK:
        return _without_real_trouble(item, words, now)
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
    reason = "" if words.state == Health.UNKNOWN else words.sentence
    if reason.startswith("Never read"):
        return f"{reason} {tried}. {_next(item, now)}"
    return " ".join(filter(None, ["Never read.", f"{tried}.", reason, _next(item, now)]))


def _without_real_trouble(item: CatalogItem, words: HealthWords, now: datetime) -> str:
    """Say what keeps a source from being healthy."""
    if item.failures and item.last_failure is not None and item.last_attempt_at is not None:
        reason = REASONS.get(item.last_failure, item.last_failure.replace("_", " "))
        tried = ago(item.last_attempt_at, now)
        return f"Its last check failed, {tried}. {reason}. {_next(item, now)}"
    if item.open_gap:
        return "Read without trouble, but entries may have been missed between two checks."
    if item.entries_180d < FEW:
        entries = counted(item.entries_180d, "entry", "entries")
        return f"Read without trouble; the vendor publishes seldom: {entries} in 180 days."
    return words.sentence


def _next(item: CatalogItem, now: datetime) -> str:
    if item.next_check_at is None or item.next_check_at <= now:
        return "It is due now."
    return f"The next try is due {ago(item.next_check_at, now)}."
