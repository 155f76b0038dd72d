"""The radar of deadlines: what ends in the next months, on a line of time and month by month."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request, url_for

from handlers.site.drawings import Axis, Mark, axis
from handlers.site.forms import parse_choice, parse_offset, parse_word
from handlers.site.pages.following import own_sources
from handlers.site.pages.lists import Ways, pushed_ways
from handlers.site.radar import RadarDeadline, radar_deadlines
from handlers.site.services import current_time, read
from handlers.site.session import current_user
from handlers.site.words import DEADLINE_NAMES, day
from openapi.text import cut
from openapi.vocabulary import DeadlineKind

deadlines_page = Blueprint("deadlines", __name__)
PAGE: Final = 50
MOST_MARKS: Final = 120
YEAR: Final = timedelta(days=366)
WINDOWS: Final = {
    "30": ("Next 30 days", 0, 30),
    "90": ("Next 90 days", 0, 90),
    "ended": ("Ended", -30, -1),
}
"""Spans of days from today, by the value of ``within``."""
OPTIONS: Final = (
    *(("kind", kind.value, words) for kind, words in DEADLINE_NAMES.items()),
    *(("within", within, words) for within, (words, _, _) in WINDOWS.items()),
)


@deadlines_page.get("/deadlines")
def page() -> str:
    """Show the deadlines of all sources, of a vendor, of a kind, or of one's own selection."""
    today, viewer = current_time().date(), current_user()
    vendor = parse_word(request.args.get("vendor"))
    kind = parse_choice(DeadlineKind, request.args.get("kind"))
    within = request.args.get("within", "")
    _, first, last = WINDOWS.get(within, ("", 0, date.max.toordinal()))
    is_mine = viewer is not None and bool(request.args.get("mine"))
    with read() as session:
        mine = own_sources(session) if is_mine else None
    matching = [
        deadline
        for deadline in radar_deadlines()
        if first <= (deadline.last_day - today).days <= last
        and vendor in (None, deadline.vendor)
        and kind in (None, deadline.kind)
        and (mine is None or deadline.source in mine)
    ]
    offset = parse_offset(request.args.get("offset"))
    filters: dict[str, Any] = {"vendor": vendor, "kind": kind, "mine": 1 if is_mine else None}
    filters |= {"within": within} if within in WINDOWS else {}

    def link(**changed: Any) -> str:
        return url_for("deadlines.page", **{**filters, **changed})

    chips = [
        (words, link(**{name: None if (is_on := filters.get(name) == value) else value}), is_on)
        for name, value, words in OPTIONS
    ]
    if viewer is not None:
        chips.append(("Mine only", link(mine=None if is_mine else 1), is_mine))
    if vendor is not None:
        chips.append((vendor, link(vendor=None), True))
    return render_template(
        "deadlines.html",
        axis=radar(matching, today=today),
        total=len(matching),
        months=months_of(matching[offset : offset + PAGE]),
        today=today,
        link=link,
        offset=offset,
        size=PAGE,
        vendor=vendor,
        kind=kind,
        is_mine=is_mine,
        within=within,
        chips=chips,
        ways=ways_to_follow(vendor, within, is_mine=is_mine),
    )


def ways_to_follow(vendor: str | None, within: str, *, is_mine: bool) -> Ways:
    """Return the ways to follow deadlines: all of them, a vendor's, or one's own."""
    query = f"&{urlencode({'vendor': vendor})}" if vendor else ""
    pushed = pushed_ways(f"?{query[1:]}" if query else "", vendor or "")
    named: dict[str, Any] = {"vendor": vendor} if vendor else {}
    if within in WINDOWS:
        _, *days = WINDOWS[within]
        named["from"], named["to"] = (current_time().date() + timedelta(day) for day in days)
    if is_mine:
        return (("/app/filters#feeds", "Private calendar"), *pushed)
    return (
        (f"/subscribe?feed=deadlines{query}", "Calendar"),
        (f"/subscribe?feed=important{query}", "Feed"),
        *pushed,
        (f"/api/v1/deadlines?{urlencode(named)}".rstrip("?"), "API"),
        (f"/api/v1/deadlines?{urlencode({**named, 'format': 'csv'})}", "CSV"),
    )


def radar(deadlines: Sequence[RadarDeadline], *, today: date) -> Axis:
    """Return the next twelve months with a mark for each deadline."""
    marks = [
        Mark(
            deadline.last_day,
            deadline.kind.value,
            f"{day(deadline.last_day)}: {deadline.source_name}: {cut(deadline.headline, 90)}",
        )
        for deadline in deadlines[:MOST_MARKS]
    ]
    return axis(marks, start=today - timedelta(days=4), end=today + YEAR, today=today)


def months_of(deadlines: Iterable[RadarDeadline]) -> list[tuple[str, list[RadarDeadline]]]:
    """Group deadlines, which are in order, by the month and year of their last day."""
    grouped = groupby(deadlines, key=lambda one: f"{one.last_day:%B %Y}")
    return [(month, list(of_month)) for month, of_month in grouped]
