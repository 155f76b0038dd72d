"""The radar of deadlines: what ends in the next months, on a line of time and month by month."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlencode

from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.part_lookups import running_parts
from handlers.site.error_pages import or_404
from handlers.site.forms import parse_offset, parse_word
from handlers.site.list_filter import ListFilter, parse_list_filter
from handlers.site.pages.following import own_sources, own_ways
from handlers.site.pages.lists import Ways, address, pushed_ways, saved_as, saved_filters
from handlers.site.radar import RadarDeadline, axis_of, radar_deadline
from handlers.site.services import current_time, read, site_services
from handlers.site.session import current_user, require_sign_in, signed_in_user
from handlers.site.words import DEADLINE_NAMES, stack_title
from openapi.vocabulary import DeadlineKind
from storage.entries.deadlines import select_deadlines
from storage.entries.part_deadlines import page_deadlines
from storage.models import EntryDeadline, SavedFilter
from storage.people.stacks import stack_names

Days: TypeAlias = tuple[date, date | None]
Asked: TypeAlias = Mapping[str, str]
"""What an address has besides a filter: some of ``following``, ``stack``, ``ends``, ``within``."""

deadlines_page = Blueprint("deadlines", __name__)
PAGE: Final = 100
YEAR: Final = timedelta(days=366)
EVER: Final = date(1970, 1, 1)
WINDOWS: Final = {
    "30": ("Next 30 days", 0, 30),
    "90": ("Next 90 days", 0, 90),
    "ended": ("Ended", -30, -1),
}
"""Spans of days from today, by the value of ``within``."""
CHOICES: Final[Mapping[str, Mapping[str, str]]] = {
    "ends": {kind.value: words for kind, words in DEADLINE_NAMES.items()},
    "within": {within: words for within, (words, _, _) in WINDOWS.items()},
}


@deadlines_page.get("/deadlines")
def page() -> str | AnyResponse:
    """Show the deadlines of all sources, or of what the user follows or runs."""
    asked = {
        name: text
        for name in ("following", "stack", *CHOICES)
        if (text := parse_word(request.args.get(name))) and text in CHOICES.get(name, (text,))
    }
    if ("following" in asked or "stack" in asked) and (refused := require_sign_in()) is not None:
        return refused
    wanted = parse_list_filter(request.args, hidden=() if "following" in asked else ("sources",))
    offset, days = parse_offset(request.args.get("offset")), days_shown(asked)
    today = current_time().date()
    with read() as session:
        saved = saved_filters(session)
        tabs = tabs_of(session, asked, wanted, saved)
        shown, total = _deadlines(session, asked, wanted, days, offset)

    def link(*offset: int, **changed: Any) -> str:
        return wanted.link(request.path, *offset, **{**asked, **changed})

    options = [(name, *each) for name, choices in CHOICES.items() for each in choices.items()]
    chips = [
        (words, link(**{name: None if (is_on := asked.get(name) == value) else value}), is_on)
        for name, value, words in options
    ]
    chips += [(words, link(**{name: None}), True) for name, words in wanted.words().items()]
    return render_template(
        "deadlines.html",
        axis=axis_of(shown, start=today - timedelta(days=4), end=today + YEAR, today=today)
        if any(deadline.last_day >= today for deadline in shown)
        else None,
        total=total,
        deadlines=shown,
        link=link,
        offset=offset,
        size=PAGE,
        asked=asked,
        wanted=wanted,
        tabs=tabs,
        chips=chips,
        ways=ways_to_follow(asked, wanted, days, saved_as(wanted, saved)),
    )


def days_shown(asked: Asked) -> Days:
    """Return the first and the last day of a list; what has ended of a stack is always in it."""
    today = current_time().date()
    if "within" not in asked:
        return EVER if "stack" in asked else today, None
    _, first, last = WINDOWS[asked["within"]]
    since = EVER if "stack" in asked and first < 0 else today + timedelta(first)
    return since, today + timedelta(last)


def _deadlines(
    session: Session, asked: Asked, wanted: ListFilter, days: Days, offset: int
) -> tuple[list[RadarDeadline], int]:
    """Return a page of a list of deadlines, and how many there are."""
    now, filter_, running = current_time(), wanted.entry_filter(), None
    if "following" in asked:
        filter_ = filter_.among(own_sources(session))
    if "stack" in asked:
        user, stack = signed_in_user(), asked["stack"]
        running = running_parts(site_services(), session, user.account_id, user.plan, stack)
    since, until = days
    query = select_deadlines(session, filter_, now=now, ended_since=since)
    if until is not None:
        query = query.where(EntryDeadline.last_day <= until)
    if "ends" in asked:
        query = query.where(EntryDeadline.kind == DeadlineKind(asked["ends"]))
    coming, total = page_deadlines(session, query, running, now=now, limit=PAGE, offset=offset)
    return [radar_deadline(one) for one in coming], total


def tabs_of(
    session: Session, asked: Asked, wanted: ListFilter, saved: Sequence[SavedFilter]
) -> list[tuple[str, str, bool]]:
    """Return the lists beside each other: all, what the user follows, saved filters and stacks.

    Answers 404 for a stack that is not saved.
    """
    user, stack = current_user(), asked.get("stack")
    if user is None:
        return []
    stacks = stack_names(session, user.account_id)
    or_404(stack is None or stack in stacks or None)
    same = saved_as(wanted, saved) if "following" in asked else None
    return [
        (name, address(request.path, said, query_of(asked, *CHOICES)), is_shown)
        for name, said, is_shown in (
            ("All", "", asked.keys() <= CHOICES.keys()),
            ("Following", "following=1", "following" in asked and same is None),
            *((each.name, f"following=1&{each.query}", each is same) for each in saved),
            *((stack_title(each), urlencode({"stack": each}), each == stack) for each in stacks),
        )
    ]


def query_of(asked: Asked, *names: str) -> str:
    """Return some of the parameters of the page as a query string."""
    return urlencode({name: asked[name] for name in names if name in asked})


def ways_to_follow(asked: Asked, wanted: ListFilter, days: Days, saved: SavedFilter | None) -> Ways:
    """Return the ways to follow a list of deadlines: that of everybody, or one's own."""
    filter_, dated = wanted.query(), {}
    ways: Ways
    if "stack" in asked:
        only = quote(f"stack:{asked['stack']}", safe="")
        digest = f"/app/webhooks?digest={only}#digest"
        ways = ((f"/app/filters?feed={only}#feeds", "Private calendar"), (digest, "Digest"))
    elif "following" in asked:
        ways = own_ways(wanted, saved)
    else:
        ways = (
            (address("/subscribe", "feed=deadlines", filter_, query_of(asked, "ends")), "Calendar"),
            *pushed_ways(address("", filter_), wanted.name()),
        )
    if "within" in asked or "stack" in asked:
        dated = {name: day for name, day in zip(("from", "to"), days, strict=True) if day}
    own = query_of(asked, "following", "stack", "ends")
    api = ("/api/v1/deadlines", filter_, own, urlencode(dated))
    return (*ways, (address(*api), "API"), (address(*api, "format=csv"), "CSV"))
