"""The public feeds for readers (specification 4.7): RSS, Atom, JSON Feed, and deadlines as iCal.

Most requests of readers find nothing new, so ETags are made without writing the feed
(docs/decisions/0012).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from flask import Blueprint, Response, current_app, request
from sqlalchemy.orm import Session

from handlers.http.caching import NOT_MODIFIED, etag_of_state, matches
from handlers.site.error_pages import or_404
from handlers.site.feeds.atom import ATOM, atom_of
from handlers.site.feeds.calendar import calendar_of
from handlers.site.feeds.feed_filter import refuse_filter, requested_filter
from handlers.site.feeds.formats import (
    IMPORTANT,
    UPDATES,
    Channel,
    items_of,
    last_change,
    source_feed,
    writable,
)
from handlers.site.feeds.json_feed import JSON_FEED, json_feed_of
from handlers.site.feeds.rss import RSS, rss_of
from handlers.site.services import site_services
from openapi.requests import InvalidParameters
from storage.catalog.catalog_items import find_item
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import newest_feed_entries
from storage.entries.states import FeedState, feed_state

feeds = Blueprint("feeds", __name__)
feeds.register_error_handler(InvalidParameters, refuse_filter)

NEWEST: Final = 50
MOST_DEADLINES: Final = 500
CALENDAR: Final = "text/calendar"
FORMATS: Final = {
    "/rss/updates.xml": (UPDATES, RSS, rss_of),
    "/rss/important.xml": (IMPORTANT, RSS, rss_of),
    "/feeds/updates.atom": (UPDATES, ATOM, atom_of),
    "/feeds/important.atom": (IMPORTANT, ATOM, atom_of),
    "/feeds/updates.json": (UPDATES, JSON_FEED, json_feed_of),
    "/feeds/important.json": (IMPORTANT, JSON_FEED, json_feed_of),
}
"""The feeds of all sources: what each is called, its media type, the function that writes it."""

FEEDS: Final = (
    *((path, media_type, channel.title) for path, (channel, media_type, _) in FORMATS.items()),
    ("/deadlines.ics", CALENDAR, "Changewire: deadlines"),
)
"""Path, media type and title of every feed, for the head of the pages."""


@dataclass(frozen=True, slots=True)
class WrittenFeed:
    """A feed as it was written, with its ETag."""

    etag: str
    body: bytes
    changed_at: datetime | None
    content_type: str


@feeds.get("/feeds/<slug>.atom")
def atom_of_source(slug: str) -> Response:
    """Serve the newest entries of one source as Atom, as short as the other public feeds."""
    services = site_services()
    now = services.now()
    with services.db.read() as session:
        item = or_404(find_item(session, slug, now=now))
        entries = newest_feed_entries(
            session, most=NEWEST, now=now, only_important=False, source_id=item.id
        )
    items = items_of(entries)
    channel = Channel(
        f"Changewire: {writable(item.name)}", f"The newest entries of {writable(item.name)}."
    )
    body = atom_of(
        channel,
        items,
        site_url=services.site_url,
        path=source_feed(item.slug),
        page=writable(item.changelog_url),
    )
    written = WrittenFeed("", body, last_change(items), ATOM)
    return _with_validators(written, Response(body, mimetype=ATOM))


@feeds.get("/deadlines.ics")
def deadlines() -> Response:
    """Serve the coming deadlines as a calendar, narrowed by the filter in its address."""
    services, (text, filter_) = site_services(), requested_filter()
    now = services.now()
    with services.db.read() as session:
        if not text:
            return Response(_whole_calendar(session, now=now), mimetype=CALENDAR)
        coming = coming_deadlines(session, filter_, now=now, most=MOST_DEADLINES)
    return Response(calendar_of(coming), mimetype=CALENDAR)


def _whole_calendar(session: Session, *, now: datetime) -> bytes:
    """Return the calendar of all deadlines, written anew when an entry or the day has changed."""
    state, cache, path = feed_state(session, now=now), _written_feeds(), request.path
    depends = (now.date().isoformat(), *state.totals, state.newest, state.ahead)
    etag = etag_of_state(site_services().site_url, path, *depends)
    written = cache.get(path)
    if written is None or written.etag != etag:
        coming = coming_deadlines(session, now=now, most=MOST_DEADLINES)
        written = cache[path] = WrittenFeed(etag, calendar_of(coming), None, CALENDAR)
    return written.body


@feeds.after_request
def for_everybody(response: Response) -> Response:
    """Let caches keep feeds for a minute, and scripts of other sites read them."""
    response.headers["Cache-Control"] = "public, max-age=60"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def serve_feed() -> Response:
    """Serve a feed of all sources, written anew only when what it depends on has changed.

    With a filter it is written for each reader who does not have it. What a search finds also
    depends on the index of words, so that such a feed has no ETag.
    """
    path, services = request.path, site_services()
    text, filter_ = requested_filter()
    if text:
        return _filtered_feed(path, text, filter_)
    channel, media_type, write = FORMATS[path]
    now = services.now()
    cache = _written_feeds()
    with services.db.read() as session:
        state = feed_state(session, now=now)
        etag = etag_of_feed(state, path, site_url=services.site_url)
        if matches(request.headers.getlist("If-None-Match"), etag):
            return Response(status=NOT_MODIFIED, headers={"ETag": etag}, mimetype=media_type)
        written = cache.get(path)
        if written is None or written.etag != etag:
            entries = newest_feed_entries(
                session, most=NEWEST, now=now, only_important=channel.only_important
            )
            items = items_of(entries)
            body = write(channel, items, site_url=services.site_url, path=path)
            content_type = str(Response(mimetype=media_type).content_type)
            written = cache[path] = WrittenFeed(etag, body, last_change(items), content_type)
    return _with_validators(written, Response(written.body, content_type=written.content_type))


for feed_path in FORMATS:
    feeds.add_url_rule(feed_path, view_func=serve_feed)


def _written_feeds() -> dict[str, WrittenFeed]:
    feeds_by_path: dict[str, WrittenFeed] = current_app.extensions.setdefault(
        "changewire_feeds", {}
    )
    return feeds_by_path


def _filtered_feed(path: str, text: str, filter_: EntryFilter) -> Response:
    services, (channel, media_type, write) = site_services(), FORMATS[path]
    now = services.now()
    with services.db.read() as session:
        state = feed_state(session, now=now)
        etag = etag_of_feed(state, path, site_url=services.site_url, filter_text=text)
        if not filter_.q and matches(request.headers.getlist("If-None-Match"), etag):
            return Response(status=NOT_MODIFIED, headers={"ETag": etag}, mimetype=media_type)
        entries = newest_feed_entries(
            session, filter_, most=NEWEST, now=now, only_important=channel.only_important
        )
    items = items_of(entries)
    body = write(channel, items, site_url=services.site_url, path=f"{path}?{text}")
    feed = WrittenFeed("" if filter_.q else etag, body, last_change(items), media_type)
    return _with_validators(feed, Response(body, mimetype=media_type))


def _with_validators(written: WrittenFeed, response: Response) -> Response:
    if written.changed_at is not None:
        response.last_modified = written.changed_at
    if written.etag:
        response.headers["ETag"] = written.etag
    return response


def etag_of_feed(state: FeedState, path: str, *, site_url: str, filter_text: str = "") -> str:
    """Return the ETag of a feed of all sources, narrowed by a filter or not."""
    totals = state.totals
    if FORMATS[path][0].only_important:
        shown: tuple[int, ...] = (totals.important, state.important_ahead)
    else:
        shown = (totals.entries, state.ahead, state.newest, totals.public_version)
    depends = (*shown, totals.important_version, totals.catalog_version)
    variant = f"{path}?{filter_text}" if filter_text else path
    return etag_of_state(site_url, variant, *depends)
