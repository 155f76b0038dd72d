"""The page of a source for people who are signed in: how it is, and all that it published."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from flask import Blueprint, render_template, request, url_for
from sqlalchemy.orm import Session

from handlers.site.drawings import Axis, Mark, axis
from handlers.site.error_pages import or_404
from handlers.site.forms import parse_choice, parse_day, parse_key, parse_offset, parse_word
from handlers.site.marked_words import searched_words
from handlers.site.pages.diffs import newest_heads
from handlers.site.pages.lists import days_of
from handlers.site.pages.source_activity import year_of_entries
from handlers.site.pages.source_drawings import Picture, cadence_words, health_picture
from handlers.site.pages.source_status_words import source_status_words
from handlers.site.pages.sources import answer_strangers
from handlers.site.radar import RadarDeadline, radar_deadlines
from handlers.site.services import site_services
from handlers.site.session import SignedInUser, signed_in_user
from handlers.site.stream import cut
from handlers.site.words import KIND_NAMES, day, days_away, health_words
from openapi.vocabulary import Category, Kind
from storage.catalog.catalog_items import CatalogItem, find_item
from storage.catalog.packages import purls_of
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import LOOKED_AHEAD
from storage.entries.history import HistoryPage, page_history
from storage.entries.search.query import parse_query
from storage.entries.search.search import MOST_HITS
from storage.people.keys import account_choices, is_live, list_keys
from storage.people.plans import PLANS
from storage.scheduling.health_record import health_of_days

source_pages = Blueprint("source_pages", __name__, url_prefix="/sources")
source_pages.before_request(answer_strangers)
PAGE: Final = 40
NEWEST_DIFFS: Final = 6
MOST_DEADLINES: Final = 24
LONGEST_EVIDENCE: Final = 180
SHORTEST_AXIS: Final = timedelta(days=183)
LONGEST_AXIS: Final = timedelta(days=3 * 366)


@dataclass(frozen=True, slots=True)
class DeadlineLine:
    """A deadline in words: what happens when, where it is said, and what it was before."""

    what: str
    when: str
    away: str
    evidence: str
    kind: str
    replaced: tuple[str, ...]

    @property
    def row(self) -> tuple[str, ...]:
        """The row of a table."""
        return self.when, self.what, self.away, self.evidence, ", ".join(self.replaced)


@dataclass(frozen=True, slots=True)
class SourcePictures:
    """What is drawn of a source; None where there is nothing to draw."""

    activity: Picture | None
    totals: list[tuple[str, str]]
    health: Picture
    axis: Axis | None
    deadlines: list[DeadlineLine]


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """What the form above the entries says: words, a category, a span of days.

    ``below`` as in StreamFilter.
    """

    q: str | None
    category: Category | None
    since: date | None
    until: date | None
    below: int

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return any((self.q, self.category, self.since, self.until))

    def link(self, slug: str, offset: int = 0, **changes: str | int | None) -> str:
        """Return the address of a page of what is meant."""
        named: dict[str, Any] = {
            "q": self.q,
            "category": self.category,
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "below": self.below or None,
            **changes,
        }
        return url_for("source_pages.show", slug=slug, offset=offset or None, **named)


@source_pages.get("/<slug>")
def show(slug: str) -> str:
    """Show a source: its health and activity, its entries, and what was changed afterwards."""
    services, viewer = site_services(), signed_in_user()
    now, offset = services.now(), parse_offset(request.args.get("offset"))
    wanted = _history_filter()
    with services.db.read() as session:
        item = or_404(find_item(session, slug, now=now))
        pictures = source_pictures(session, item, now=now)
        page = _history(session, item, wanted, offset=offset, now=now)
        diffs = newest_heads(session, item.id, most=NEWEST_DIFFS) if viewer.has_diffs else None
        keys = _keys(session, viewer, slug)
        purls = purls_of(session, [item.id]).get(item.id, [])
    words = health_words(*services.judge(item, now))
    searched = None if wanted.q is None else searched_words(parse_query(wanted.q))
    return render_template(
        "source.html",
        item=item,
        words=words,
        reading=source_status_words(item, words, now=now),
        kind=KIND_NAMES[Kind(item.kind)],
        pictures=pictures,
        cadence=cadence_words(item.median_gap),
        wanted=wanted,
        days=days_of(page.entries, now=now, words=searched),
        searched=searched,
        undated=any(b'"date_source":"undated"' in entry.public for entry in page.entries),
        total=page.total,
        is_cut=wanted.q is not None and page.total == min(offset + LOOKED_AHEAD, MOST_HITS),
        offset=offset,
        older=wanted.link(slug, offset + PAGE) if page.total > offset + PAGE else None,
        newer=wanted.link(slug, max(0, offset - PAGE)) if offset else None,
        looked_back_to=page.looked_back_to,
        diffs=diffs,
        keys=keys,
        purls=purls,
        slots=PLANS[viewer.plan].slots,
    )


def source_pictures(session: Session, item: CatalogItem, *, now: datetime) -> SourcePictures:
    """Return what is drawn of a source."""
    today, year = now.date(), year_of_entries(session, item.id, item.name, now=now)
    coming = [
        deadline
        for deadline in radar_deadlines()
        if deadline.source == item.slug and deadline.last_day >= today
    ][:MOST_DEADLINES]
    return SourcePictures(
        activity=year.picture,
        totals=year.totals,
        health=health_picture(health_of_days(session, item.id, now=now), today=today),
        axis=deadline_axis(coming, today=today) if coming else None,
        deadlines=[_deadline_line(deadline, today) for deadline in coming],
    )


def deadline_axis(deadlines: Sequence[RadarDeadline], *, today: date) -> Axis:
    """Draw deadlines on an axis from today to the last of them, three years at most."""
    last = max(deadline.last_day for deadline in deadlines)
    end = today + min(max(last + timedelta(days=20) - today, SHORTEST_AXIS), LONGEST_AXIS)
    marks = [
        Mark(
            deadline.last_day,
            deadline.kind.value,
            f"{day(deadline.last_day)}: {cut(deadline.evidence, LONGEST_EVIDENCE)}",
            f"{deadline.last_day.day} {deadline.last_day:%b}",
        )
        for deadline in deadlines
    ]
    return axis(marks, start=today, end=end, today=today)


def _deadline_line(deadline: RadarDeadline, today: date) -> DeadlineLine:
    return DeadlineLine(
        what=deadline.what,
        when=deadline.when,
        away=days_away(deadline.last_day, today),
        evidence=cut(deadline.evidence, LONGEST_EVIDENCE),
        kind=deadline.kind.value,
        replaced=deadline.moved_from,
    )


def _history_filter() -> HistoryFilter:
    until = parse_day(request.args.get("until"))
    return HistoryFilter(
        q=parse_word(request.args.get("q")),
        category=parse_choice(Category, request.args.get("category")),
        since=parse_day(request.args.get("since")),
        until=until,
        below=parse_key(request.args.get("below")) if until else 0,
    )


def _history(
    session: Session, item: CatalogItem, wanted: HistoryFilter, *, offset: int, now: datetime
) -> HistoryPage:
    filter_ = EntryFilter(
        categories=frozenset({wanted.category} if wanted.category else ()),
        since=None if wanted.since is None else _start_of(wanted.since),
        until=None if wanted.until is None else _start_of(wanted.until, days=1),
        below=wanted.below,
    )
    return page_history(
        session, item.id, filter_, words=wanted.q, limit=PAGE, offset=offset, now=now
    )


def _start_of(day_: date, days: int = 0) -> datetime:
    """Return the last moment before a day, or before one that comes so many days after it."""
    try:
        return datetime.combine(day_, time(), tzinfo=UTC) + timedelta(days=days, microseconds=-1)
    except OverflowError:
        return datetime.combine(day_, time(), tzinfo=UTC)


def _keys(
    session: Session, viewer: SignedInUser, slug: str
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the live keys of an account by whether they select a source: name and public id."""
    now = site_services().now()
    live = [key for key in list_keys(session, viewer.account_id) if is_live(key, now=now)]
    choices = account_choices(session, viewer.account_id, now=now)
    chosen = {key_id for choice, key_id in choices if choice == slug}
    return [
        (words, [(key.name, key.public_id) for key in live if (key.id in chosen) is selected])
        for words, selected in (("Selected for", True), ("Select it for", False))
    ]
