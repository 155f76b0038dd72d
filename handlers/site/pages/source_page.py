"""The page of a source for people who are signed in: how it is, and all that it published."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from flask import Blueprint

from handlers.site.drawings import Axis
from handlers.site.error_pages import or_404
from handlers.site.pages.diff_view import newest_heads
from handlers.site.pages.lists import ListView, show_list
from handlers.site.pages.source_drawings import (
    cadence_words,
    health_bars,
    health_sentence,
    year_of_entries,
)
from handlers.site.pages.sources import answer_strangers, ways_of_source
from handlers.site.radar import RadarDeadline, axis_of, radar_deadlines
from handlers.site.services import current_time, read, site_services
from handlers.site.session import signed_in_user
from handlers.site.words import KIND_NAMES, REASONS, HealthWords, ago, health_words
from openapi.text import counted
from openapi.vocabulary import Health, Kind
from storage.catalog.catalog_items import CatalogItem, find_item
from storage.catalog.packages import purls_of
from storage.entries.search.matching import Scope
from storage.scheduling.progress import health_of_days

source_pages = Blueprint("source_pages", __name__, url_prefix="/sources")
source_pages.before_request(answer_strangers)
NEWEST_DIFFS: Final = 6
MOST_DEADLINES: Final = 24
SHORTEST_AXIS: Final = timedelta(days=183)
LONGEST_AXIS: Final = timedelta(days=3 * 366)
HISTORY: Final = ListView(
    "",
    chosen=frozenset(),
    scope=Scope.WHOLE,
    hidden=frozenset({"sources", "vendor", "tag", "kind"}),
)
"""All that a source published, undated and future entries too."""
FEW: Final = 3
"""Entries in 180 days, with which a vendor's cadence is known."""


@source_pages.get("/<slug>")
def show(slug: str) -> str:
    """Show a source: its health and activity, its entries, and its edits."""
    services, viewer, now = site_services(), signed_in_user(), current_time()
    with read() as session:
        item = or_404(find_item(session, slug, now=now))
        year = year_of_entries(session, item.id, now=now)
        health_days = health_bars(health_of_days(session, item.id, now=now), today=now.date())
        diffs = newest_heads(session, item.id, most=NEWEST_DIFFS) if viewer.has_diffs else None
        purls = purls_of(session, [item.id]).get(item.id, [])
    words = health_words(*services.judge(item, now))
    coming = [
        one for one in radar_deadlines() if one.source == item.slug and one.last_day >= now.date()
    ][:MOST_DEADLINES]
    return show_list(
        replace(HISTORY, heading=item.name, fixed={"sources": item.slug}),
        "source.html",
        ways=ways_of_source(item.slug, item.vendor),
        item=item,
        health=words,
        reading=source_status_words(item, words, now=now),
        kind=KIND_NAMES[Kind(item.kind)],
        year=year,
        health_days=health_days,
        health_sentence=health_sentence(health_days),
        axis=deadline_axis(coming, today=now.date()) if coming else None,
        deadlines=coming,
        cadence=cadence_words(item.median_gap),
        diffs=diffs,
        purls=purls,
    )


def deadline_axis(deadlines: Sequence[RadarDeadline], *, today: date) -> Axis:
    """Draw deadlines on an axis from today to the last of them, three years at most."""
    last = max(deadline.last_day for deadline in deadlines)
    end = today + min(max(last + timedelta(days=20) - today, SHORTEST_AXIS), LONGEST_AXIS)
    return axis_of(deadlines, start=today, end=end, today=today)


def source_status_words(item: CatalogItem, words: HealthWords, *, now: datetime) -> str:
    """Return how a source is, and of one in trouble when it was and will be tried."""
    said = words.sentence
    if words.state == Health.OK and item.open_gap:
        said = "Read without errors, but entries may have been missed between two checks."
    elif words.state == Health.OK and not item.failures and item.entries_180d < FEW:
        entries = counted(item.entries_180d, "entry", "entries")
        said = f"Read without errors; rarely updated: {entries} in 180 days."
    elif item.first_attempt_at is None and words.state == Health.UNKNOWN:
        said = "Not read yet."
    elif item.failures and item.last_failure and item.last_attempt_at:
        reason = REASONS.get(item.last_failure, item.last_failure.replace("_", " "))
        said += f" Last check failed {ago(item.last_attempt_at, now)}: {reason}."
    elif words.state not in (Health.UNKNOWN, Health.PROBLEMATIC):
        return said
    next_at = max(item.next_check_at or now, now)
    return f"{said} Next check {'due now' if next_at == now else ago(next_at, now)}."
