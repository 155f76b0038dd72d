"""/following: what the sources of an account published, with its saved filters."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, redirect, session
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.list_filter import ListFilter
from handlers.site.pages.lists import (
    FOLLOWING_PATH,
    ListView,
    Ways,
    pushed_ways,
    requested_filter,
    saved_as,
    saved_filters,
    show_list,
    way_to,
)
from handlers.site.services import current_time, read, write
from handlers.site.session import require_sign_in, signed_in_user
from storage.delivery.subscriptions import followed_slugs
from storage.entries.search.matching import Scope
from storage.models import Account, SavedFilter
from storage.people.follows import account_follows
from storage.people.plans import PLANS

following = Blueprint("following", __name__)
following.before_request(require_sign_in)
FOLLOWING: Final = ListView("Following", scope=Scope.WHOLE, hidden=frozenset())
BETWEEN_VISITS: Final = timedelta(minutes=30)
VISIT_PRECISION: Final = timedelta(minutes=1)
LAST_VISIT: Final = "last_visit"


@following.get("/app/stream")
def old_address() -> AnyResponse:
    """Redirect to the list, which had this address before."""
    return redirect(FOLLOWING_PATH, code=301)


@following.get(FOLLOWING_PATH)
def show() -> str:
    """Show what the sources of the account published."""
    user = signed_in_user()
    now, wanted = current_time(), requested_filter(FOLLOWING)
    with read() as db:
        sources = own_sources(db)
        selected = len(account_follows(db, user.account_id))
        saved = saved_as(wanted, saved_filters(db))
    return show_list(
        replace(FOLLOWING, sources=sources, heading=saved.name if saved else FOLLOWING.heading),
        "following.html",
        ways=own_ways(wanted, saved),
        since=last_visit(now),
        selected=selected,
        slots=PLANS[user.plan].slots,
    )


def own_sources(db: Session) -> frozenset[str] | None:
    """Return the sources of the signed-in user; None for the whole catalog."""
    return followed_slugs(db, signed_in_user().account_id, now=current_time())


def own_ways(wanted: ListFilter, saved: SavedFilter | None) -> Ways:
    """Return the ways to follow one's own list; a filter is saved by the first that is taken."""
    if not wanted.narrows:
        return ("/app/filters#feeds", "Private feed"), *pushed_ways("", "")
    query, name = f"?{wanted.query()}", saved.name if saved else wanted.name()
    ways = ((way_to("feed", query, name), "Private feed"), *pushed_ways(query, name))
    return ways if saved else (*ways, (way_to("list", query, name), "Save filter"))


def last_visit(now: datetime) -> datetime | None:
    """Return when the account's list was read before this visit; None where it never was.

    A visit ends with half an hour in which the list is not read. The account has one time, when it
    was read last; this browser keeps the one before, so that reading on changes nothing.
    """
    user = signed_in_user()
    with read() as db:
        visited_at = db.get_one(Account, user.account_id).visited_at
    if visited_at is None or now - visited_at >= VISIT_PRECISION:
        with write() as db:
            db.get_one(Account, user.account_id).visited_at = now
    if visited_at is not None and now - visited_at >= BETWEEN_VISITS:
        session[LAST_VISIT] = visited_at.isoformat()
    known = session.get(LAST_VISIT)
    return None if known is None else datetime.fromisoformat(known)
