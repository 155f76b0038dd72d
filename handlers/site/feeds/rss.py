"""The public feeds for readers (specification 4.7): RSS, Atom, JSON Feed, and deadlines as iCal."""

from collections.abc import Callable, Sequence
from email.utils import format_datetime
from functools import lru_cache
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from flask import Blueprint, Response, abort, current_app, request

from handlers.context import Context
from handlers.http.caching import NOT_MODIFIED, matches
from handlers.site.feeds.atom import ATOM, atom_of
from handlers.site.feeds.calendar import calendar_of
from handlers.site.feeds.feed_responses import CHANNELS, FOR_EVERYBODY, WrittenFeed, etag_of_feed
from handlers.site.feeds.formats import (
    IMPORTANT,
    MOST_KEPT,
    UPDATES,
    Channel,
    Item,
    as_html,
    items_of,
    last_change,
    writable,
)
from handlers.site.feeds.json_feed import json_feed_of
from storage.catalog.catalog_items import find_item
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_pages import newest_feed_entries
from storage.entries.states import feed_state

feeds = Blueprint("feeds", __name__)

Write: TypeAlias = Callable[..., bytes]
NEWEST: Final = 50
MOST_DEADLINES: Final = 500
TTL_MINUTES: Final = 60
END: Final = b"</channel></rss>"
RSS, JSON_FEED, CALENDAR = "application/rss+xml", "application/feed+json", "text/calendar"

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
        found = newest_feed_entries(
            session, most=NEWEST, now=now, only_important=False, source_id=item.id
        )
    items = items_of(found)
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


def source_feed(slug: str) -> str:
    """Return the path of the feed of one source."""
    return f"/feeds/{slug}.atom"


@feeds.get("/deadlines.ics")
def deadlines() -> Response:
    """Serve the days by which readers of the entries have to act."""
    services = _services()
    with services.db.read() as session:
        found = coming_deadlines(session, now=services.now(), most=MOST_DEADLINES)
    return Response(calendar_of(found), mimetype=CALENDAR)


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
            found = newest_feed_entries(
                session, most=NEWEST, now=now, only_important=channel.only_important
            )
            items = items_of(found)
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


def rss_of(channel: Channel, items: Sequence[Item], *, site_url: str, path: str) -> bytes:
    """Write RSS 2.0, the same bytes for the same items. ``path`` is where the feed is served."""
    rss = Element(
        "rss",
        {
            "version": "2.0",
            "xmlns:atom": "http://www.w3.org/2005/Atom",
            "xmlns:dc": "http://purl.org/dc/elements/1.1/",
        },
    )
    head = SubElement(rss, "channel")
    _add(head, "title", channel.title)
    _add(head, "link", f"{site_url}/")
    _add(head, "description", channel.description)
    _add(head, "atom:link", None, rel="self", href=site_url + path, type=RSS)
    _add(head, "language", "en")
    changed_at = last_change(items)
    if changed_at is not None:
        _add(head, "lastBuildDate", format_datetime(changed_at, usegmt=True))
    _add(head, "ttl", str(TTL_MINUTES))
    whole: bytes = tostring(rss, encoding="utf-8", xml_declaration=True)
    return b"".join([whole.removesuffix(END), *map(_item_xml, items), END])


@lru_cache(maxsize=MOST_KEPT)
def _item_xml(item: Item) -> bytes:
    """Write an item, which depends on nothing but itself."""
    element = Element("item")
    quotes = "".join(as_html(f"{category}: “{text}”") for category, text in item.evidence)
    _add(element, "title", item.title)
    _add(element, "link", item.url)
    _add(element, "description", quotes + as_html(item.text))
    _add(element, "dc:creator", item.source_name)
    for label in item.labels:
        _add(element, "category", label)
    _add(element, "guid", item.id, isPermaLink="false")
    _add(element, "pubDate", format_datetime(item.published_at, usegmt=True))
    written: bytes = tostring(element, encoding="utf-8")
    return written


def _add(parent: Element, name: str, text: str | None, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
