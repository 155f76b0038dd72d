"""The public feeds for readers (specification 4.7): RSS, Atom, JSON Feed, and deadlines as iCal."""

from collections.abc import Callable
from typing import Final, TypeAlias

from flask import Blueprint, Response, abort, current_app, request

from handlers.context import Context
from handlers.http.caching import NOT_MODIFIED, matches
from handlers.site.feeds.atom import ATOM, atom_of
from handlers.site.feeds.calendar import calendar_of
from handlers.site.feeds.feed_responses import (
    CHANNELS,
    FOR_EVERYBODY,
    WrittenFeed,
    etag_of_feed,
)
from handlers.site.feeds.formats import (
    IMPORTANT,
    UPDATES,
    Channel,
    items_of,
    last_change,
    source_feed,
    writable,
)
from handlers.site.feeds.json_feed import json_feed_of
from handlers.site.feeds.rss import RSS, rss_of
from storage.catalog.catalog_items import find_item
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_pages import newest_feed_entries
from storage.entries.states import feed_state

feeds = Blueprint("feeds", __name__)

Write: TypeAlias = Callable[..., bytes]
NEWEST: Final = 50
MOST_DEADLINES: Final = 500
JSON_FEED, CALENDAR = "application/feed+json", "text/calendar"

FEEDS: Final = (
    ("/rss/updates.xml", RSS, UPDATES.title),
    ("/rss/important.xml", RSS, IMPORTANT.title),
    ("/feeds/updates.atom", ATOM, UPDATES.title),
    ("/feeds/important.atom", ATOM, IMPORTANT.title),
    ("/feeds/updates.json", JSON_FEED, UPDATES.title),
    ("/feeds/important.json", JSON_FEED, IMPORTANT.title),
    ("/deadlines.ics", CALENDAR, "Changewire: deadlines"),
)
"""Path, media type and title of every feed, for the head of the pages."""


@feeds.get("/rss/updates.xml")
def updates() -> Response:
    """Serve the newest entries of all sources as RSS."""
    return _feed("/rss/updates.xml", RSS, rss_of)


@feeds.get("/rss/important.xml")
def important() -> Response:
    """Serve the newest important entries as RSS."""
    return _feed("/rss/important.xml", RSS, rss_of)


@feeds.get("/feeds/updates.json")
def json_updates() -> Response:
    """Serve the newest entries of all sources as JSON Feed."""
    return _feed("/feeds/updates.json", JSON_FEED, json_feed_of)


@feeds.get("/feeds/important.json")
def json_important() -> Response:
    """Serve the newest important entries as JSON Feed."""
    return _feed("/feeds/important.json", JSON_FEED, json_feed_of)


@feeds.get("/feeds/updates.atom")
def atom_updates() -> Response:
    """Serve the newest entries of all sources as Atom."""
    return _feed("/feeds/updates.atom", ATOM, atom_of)


@feeds.get("/feeds/important.atom")
def atom_important() -> Response:
    """Serve the newest important entries as Atom."""
    return _feed("/feeds/important.atom", ATOM, atom_of)


@feeds.get("/feeds/<slug>.atom")
def atom_of_source(slug: str) -> Response:
    """Serve the newest entries of one source as Atom, as short as the other public feeds."""
    services = _services()
    now = services.now()
    with services.db.read() as session:
        item = find_item(session, slug, now=now)
        if item is None:
            abort(404)
        entries = newest_feed_entries(
            session, most=NEWEST, now=now, only_important=False, source_id=item.id
        )
    items = items_of(entries)
    channel = Channel(
        f"Changewire: {writable(item.name)}",
        f"The newest entries of {writable(item.name)}.",
        only_important=False,
    )
    body = atom_of(
        channel,
        items,
        site_url=services.site_url,
        path=source_feed(item.slug),
        page=writable(item.changelog_url),
    )
    response = Response(body, mimetype=ATOM)
    return _as_of(WrittenFeed("", body, last_change(items), ATOM), response)


@feeds.get("/deadlines.ics")
def deadlines() -> Response:
    """Serve the days by which readers of the entries have to act."""
    services = _services()
    with services.db.read() as session:
        coming = coming_deadlines(session, now=services.now(), most=MOST_DEADLINES)
    return Response(calendar_of(coming), mimetype=CALENDAR)


@feeds.after_request
def for_everybody(response: Response) -> Response:
    """Let caches keep feeds for a minute, and pages of other sites read them."""
    response.headers.update(FOR_EVERYBODY)
    return response


def _feed(path: str, mimetype: str, write: Write) -> Response:
    """Serve a feed of all sources, written anew only when what it depends on has changed."""
    services, now = _services(), _services().now()
    kept: dict[str, WrittenFeed] = current_app.extensions.setdefault("changewire_feeds", {})
    with services.db.read() as session:
        state = feed_state(session, now=now)
        etag = etag_of_feed(state, path, site_url=services.site_url)
        if matches(request.headers.getlist("If-None-Match"), etag):
            return Response(status=NOT_MODIFIED, headers={"ETag": etag}, mimetype=mimetype)
        written = kept.get(path)
        if written is None or written.etag != etag:
            channel = CHANNELS[path]
            entries = newest_feed_entries(
                session, most=NEWEST, now=now, only_important=channel.only_important
            )
            items = items_of(entries)
            body = write(channel, items, site_url=services.site_url, path=path)
            content_type = str(Response(mimetype=mimetype).content_type)
            written = kept[path] = WrittenFeed(etag, body, last_change(items), content_type)
    return _as_of(written, Response(written.body, content_type=written.content_type))


def _as_of(written: WrittenFeed, response: Response) -> Response:
    if written.changed_at is not None:
        response.last_modified = written.changed_at
    if written.etag:
        response.headers["ETag"] = written.etag
    return response


def _services() -> Context:
    services = current_app.extensions["changewire"]
    assert isinstance(services, Context)
    return services
