"""Feeds and a calendar of one account, at addresses that only their owner knows."""

from datetime import datetime
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from handlers.http.limiter import note_account
from handlers.site.error_pages import or_404
from handlers.site.feeds.calendar import calendar_of
from handlers.site.feeds.feed_views import (
    CALENDAR,
    MOST_DEADLINES,
    NEWEST,
    refuse_filter,
    refuse_unknown,
)
from handlers.site.feeds.formats import Channel, items_of
from handlers.site.feeds.writers import ATOM, JSON_FEED, write_feed
from handlers.site.services import current_time, read
from openapi.requests import InvalidRequest
from openapi.text import writable
from storage.delivery.subscriptions import followed_slugs
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_filter import EntryFilter, parse_filter
from storage.entries.entry_pages import newest_announced
from storage.models import PrivateFeed
from storage.people.private_feeds import find_private_feed

private_feeds = Blueprint("private_feeds", __name__, url_prefix="/private/<token>")
private_feeds.register_error_handler(InvalidRequest, refuse_filter)
private_feeds.before_request(refuse_unknown)

FOR_ITS_OWNER: Final = {"Cache-Control": "private, no-cache", "X-Robots-Tag": "noindex"}
FORMATS: Final = {"atom": ATOM, "json": JSON_FEED}
CALENDAR_PATH: Final = "/deadlines.ics"


@private_feeds.get("/entries.<any(atom, json):form>")
def entries(token: str, form: str) -> Response:
    """Serve the newest entries that people are told of, with their whole texts."""
    media_type, now = FORMATS[form], current_time()
    with read() as session:
        followed = _followed(session, token)
        filter_ = own_filter(session, followed, now=now)
        newest = newest_announced(session, filter_, most=NEWEST, now=now)
        channel = channel_of(followed)
    body = write_feed(media_type, channel, items_of(newest), path=request.path)
    return Response(body, mimetype=media_type, headers=FOR_ITS_OWNER)


@private_feeds.get(CALENDAR_PATH)
def deadlines(token: str) -> Response:
    """Serve the coming deadlines as a calendar."""
    now = current_time()
    with read() as session:
        followed = _followed(session, token)
        filter_ = own_filter(session, followed, now=now)
        coming = coming_deadlines(session, filter_, now=now, most=MOST_DEADLINES)
        name = f"{channel_of(followed).title}: deadlines"
    return Response(calendar_of(coming, name), mimetype=CALENDAR, headers=FOR_ITS_OWNER)


def own_filter(session: Session, followed: PrivateFeed, *, now: datetime) -> EntryFilter:
    """Return the filter of an account's selection as it is now, narrowed by its saved filter.

    The sources are those that are pushed to the account (docs/decisions/0040).
    """
    filter_ = parse_filter("" if followed.filter is None else followed.filter.query)
    return filter_.among(followed_slugs(session, followed.account_id, now=now))


def channel_of(followed: PrivateFeed) -> Channel:
    """Return what a feed is called."""
    if followed.filter is None:
        return Channel("Changewire: your selection", "The newest entries of your sources.")
    name = writable(followed.filter.name)
    description = f"The newest entries of your sources that match the filter “{name}”."
    return Channel(f"Changewire: {name}", description)


def _followed(session: Session, token: str) -> PrivateFeed:
    followed = or_404(find_private_feed(session, token))
    note_account(followed.account_id)
    return followed
